"""Which files become commands, under which names, and which come first."""

import os
from pathlib import Path

import pytest

from agent.custom_commands.catalog import Catalog
from agent.settings.paths import Places


class Files:
    """A home and a project in it."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        (self.project / ".git").mkdir(parents=True)

    def put(self, path: str, text: str = "Do it.") -> Path:
        file = (self.home / path[2:]) if path.startswith("~/") else self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def catalog(self, *reserved: str, cwd: str = ".") -> Catalog:
        places = Places.resolve(self.project / cwd, {"HOME": str(self.home)}, managed_dir=self.home / "none")
        return Catalog(places, reserved)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def names(catalog: Catalog) -> list[str]:
    return [command.name for command in catalog.commands()]


def test_folders_make_names(files: Files) -> None:
    files.put(".claude/commands/review.md")
    files.put(".claude/commands/front/deep/page.md")
    files.put(".ccagent/commands/ours.md")
    files.put("~/.claude/commands/mine.md")
    files.put(".claude/commands/notes.txt")
    files.put(".claude/commands/two words.md")
    assert names(files.catalog()) == ["front:deep:page", "mine", "ours", "review"]
    assert files.catalog().find("PAGE").name == "front:deep:page"


def test_a_last_part_that_two_have_names_none(files: Files) -> None:
    files.put(".claude/commands/a/page.md")
    files.put(".claude/commands/b/page.md")
    assert files.catalog().find("page") is None
    assert files.catalog().find("b:page").path.parent.name == "b"


def test_the_project_comes_first_and_the_person_can_still_be_asked_for(files: Files) -> None:
    files.put("~/.claude/commands/ship.md", "mine")
    files.put(".claude/commands/ship.md", "theirs")
    catalog = files.catalog()
    assert catalog.find("ship").text == "theirs"
    assert catalog.find("user:ship").text == "mine"
    assert catalog.find("project:ship").text == "theirs"
    assert catalog.find("project:none") is None


def test_no_file_takes_a_name_of_ours(files: Files) -> None:
    files.put(".claude/commands/Compact.md")
    catalog = files.catalog("compact")
    assert names(catalog) == ["project:Compact"]
    assert catalog.find("compact") is None
    assert catalog.find("project:compact") is not None


def test_frontmatter(files: Files) -> None:
    files.put(
        ".claude/commands/fix.md",
        "\ufeff---\r\ndescription: Fix an issue\r\nargument-hint: [issue] [branch]\r\n"
        "allowed-tools: Read, Bash(git add:*), Bash(git status:*)\r\nmodel: haiku\r\narguments: issue branch\r\n"
        "unknown: {a: b}\r\n---\r\n\r\nFix $issue.\r\n",
    )
    command = files.catalog().find("fix")
    assert command.usage == "/fix [issue] [branch]"
    assert command.help == "Fix an issue (project)"
    assert command.allowed_tools == ("Read", "Bash(git add:*)", "Bash(git status:*)")
    assert (command.model, command.arguments, command.text) == ("haiku", ("issue", "branch"), "Fix $issue.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Review\n\nLook.", "Review (project)"),
        ("", "(project)"),
        ("---\nbroken: [\n---\nGo.", "Go. (project)"),
        ("---\nnever closed", "--- (project)"),
        ("---\nmodel: inherit\n---\n" + "x" * 200, "x" * 119 + "… (project)"),
    ],
)
def test_a_file_without_a_description(files: Files, text: str, expected: str) -> None:
    files.put(".claude/commands/it.md", text)
    command = files.catalog().find("it")
    assert command.help == expected
    assert command.model == ""


def test_a_changed_file_is_read_again(files: Files) -> None:
    file = files.put(".claude/commands/it.md", "one")
    catalog = files.catalog()
    assert catalog.find("it").text == "one"
    files.put(".claude/commands/it.md", "another")
    assert catalog.find("it").text == "another"
    file.unlink()
    assert catalog.find("it") is None


def test_a_file_that_changes_within_one_tick_of_the_clock_is_read_again(files: Files) -> None:
    file = files.put(".claude/commands/it.md", "one")
    catalog, moment = files.catalog(), file.stat().st_mtime_ns
    assert catalog.find("it").text == "one"
    files.put(".claude/commands/it.md", "two")
    os.utime(file, ns=(moment, moment))
    assert catalog.find("it").text == "two"


def test_links_binary_and_broken_files_are_left_out(files: Files, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush", encoding="utf-8")
    folder = files.put(".claude/commands/ok.md").parent
    (folder / "leak.md").symlink_to(secret)
    (folder / "gone.md").symlink_to(tmp_path / "nothing")
    (folder / "folder.md").mkdir()
    (folder / "bin.md").write_bytes(b"\0\1")
    os.mkfifo(folder / "pipe.md")
    assert names(files.catalog()) == ["ok"]


def test_a_person_may_link_their_own_commands(files: Files, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "day.md").write_text("Plan.", encoding="utf-8")
    (files.home / ".claude").mkdir(parents=True)
    (files.home / ".claude" / "commands").symlink_to(dotfiles)
    assert names(files.catalog()) == ["day"]


def test_skills(files: Files) -> None:
    files.put(".claude/skills/pdf/SKILL.md", "---\nname: PDF\ndescription: Fill forms\n---\nRead FORMS.md.")
    files.put(".claude/skills/pdf/FORMS.md")
    command = files.catalog().find("pdf")
    assert command.is_skill
    assert command.help == "Fill forms (project)"


def test_the_folder_of_the_session_has_a_say_too(files: Files) -> None:
    files.put("pkg/.claude/commands/here.md")
    files.put(".claude/commands/root.md")
    assert names(files.catalog(cwd="pkg")) == ["here", "root"]


def test_a_home_inside_the_project_is_the_person_s(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "commands").mkdir(parents=True)
    (tmp_path / ".claude" / "commands" / "mine.md").write_text("x", encoding="utf-8")
    places = Places.resolve(tmp_path, {"HOME": str(tmp_path)}, managed_dir=tmp_path / "none")
    assert Catalog(places, ()).find("mine").whose == "user"


def test_linked_folders_of_a_person_are_walked_once_and_those_of_a_project_never(files: Files, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "team.md").write_text("x", encoding="utf-8")
    (shared / "loop").symlink_to(shared)
    for folder in (files.put("~/.claude/commands/mine.md").parent, files.put(".claude/commands/theirs.md").parent):
        (folder / "linked").symlink_to(shared)
    assert names(files.catalog()) == ["linked:team", "mine", "theirs"]
    assert files.catalog().find("linked:team").whose == "user"


def test_what_only_a_model_may_use_is_not_listed(files: Files) -> None:
    files.put(".claude/skills/secret/SKILL.md", "---\nuser-invocable: false\n---\nx")
    assert names(files.catalog()) == []
