"""Which memory files are loaded, in which order, and what is left out."""

import os
from pathlib import Path

import pytest

from agent.memory.claude_md import Memory, load_memory
from agent.settings.paths import Places


class Tree:
    """A home, a managed folder and a project two levels below a workspace."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home = base / "home"
        self.project = base / "workspace" / "project"
        self.cwd = self.project / "pkg"
        self.cwd.mkdir(parents=True)
        (self.project / ".git").mkdir()
        self.home.mkdir()

    def put(self, path: str, text: str) -> Path:
        """Write a file below the base."""
        file = self.base / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def load(self, *excludes: str) -> Memory:
        """What a session in the package would load."""
        places = Places.resolve(self.cwd, {"HOME": str(self.home)}, managed_dir=self.base / "managed")
        return load_memory(places, excludes=excludes)

    def texts(self, *excludes: str) -> list[str]:
        """Only the texts."""
        return [file.text for file in self.load(*excludes).files]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_nothing_there(tree: Tree) -> None:
    assert tree.load() == Memory()


def test_the_order_is_broad_to_specific(tree: Tree) -> None:
    in_order = [
        ("managed/CLAUDE.md", "Managed"),
        ("home/.claude/CLAUDE.md", "User"),
        ("home/.claude/rules/a.md", "User"),
        ("home/.claude/rules/sub/b.md", "User"),
        ("home/.ccagent/CLAUDE.md", "User"),
        ("workspace/CLAUDE.md", "Project"),
        ("workspace/project/.claude/CLAUDE.md", "Project"),
        ("workspace/project/CLAUDE.local.md", "Local"),
        ("workspace/project/pkg/AGENTS.md", "Project"),
        ("workspace/project/pkg/CLAUDE.local.md", "Local"),
        ("workspace/project/.claude/rules/style.md", "Project"),
    ]
    for path, _kind in reversed(in_order):
        tree.put(path, f"text of {path}")
    memory = tree.load()
    assert [(str(file.path.relative_to(tree.base)), file.kind) for file in memory.files] == in_order
    assert memory.files[0].text == "text of managed/CLAUDE.md"
    assert memory.notices == ()


def test_one_main_file_a_folder(tree: Tree) -> None:
    tree.put("workspace/project/pkg/AGENTS.md", "agents")
    assert tree.texts() == ["agents"]
    tree.put("workspace/project/pkg/.claude/CLAUDE.md", "nested")
    assert tree.texts() == ["nested"]
    tree.put("workspace/project/pkg/CLAUDE.md", "main")
    assert tree.texts() == ["main"]


def test_a_file_with_two_names_is_loaded_once(tree: Tree) -> None:
    tree.put("workspace/project/CLAUDE.md", "once")
    (tree.cwd / "CLAUDE.md").symlink_to(tree.project / "CLAUDE.md")
    assert tree.texts() == ["once"]


def test_rules_for_some_paths_wait(tree: Tree) -> None:
    rules = "workspace/project/.claude/rules"
    tree.put(f"{rules}/1.md", "---\npaths: src/**\n---\nwaits")
    tree.put(f"{rules}/2.md", "---\npaths:\n  - a\n  - b\n---\nwaits too")
    tree.put(f"{rules}/3.md", "---\ntitle: x\npaths: []\n---\nalways")
    tree.put(f"{rules}/4.md", "---\nnever closed")
    tree.put(f"{rules}/5.txt", "no Markdown")
    assert tree.texts() == ["always", "---\nnever closed"]


def test_imports_follow_their_file(tree: Tree) -> None:
    main = tree.put(
        "workspace/project/pkg/CLAUDE.md", "See @docs/a.md, @../b.md and (@docs/a.md).\n- @./docs/my\\ file.md"
    )
    tree.put("workspace/project/pkg/docs/a.md", "A\n@inner/c.md")
    tree.put("workspace/project/pkg/docs/inner/c.md", "C")
    tree.put("workspace/project/pkg/docs/my file.md", "M")
    tree.put("workspace/project/b.md", "B")
    memory = tree.load()
    assert [file.text[:1] for file in memory.files] == ["S", "A", "C", "B", "M"]
    assert [file.imported_by for file in memory.files] == [None, main, main.parent / "docs/a.md", main, main]
    assert memory.notices == ()


def test_imports_from_home(tree: Tree) -> None:
    tree.put("home/.claude/CLAUDE.md", "@~/notes.txt and @extra.md")
    tree.put("home/notes.txt", "notes")
    tree.put("home/.claude/extra.md", "extra")
    assert tree.texts() == ["@~/notes.txt and @extra.md", "notes", "extra"]


def test_imports_go_four_files_deep_and_end_in_cycles(tree: Tree) -> None:
    for at in range(7):
        tree.put(f"workspace/project/pkg/{at}.md", f"{at} @{at + 1}.md @0.md")
    tree.put("workspace/project/pkg/CLAUDE.md", "@0.md")
    memory = tree.load()
    assert [file.path.name for file in memory.files] == ["CLAUDE.md", "0.md", "1.md", "2.md", "3.md"]
    assert [notice for notice in memory.notices if "4 files deep" in notice] == [
        f"@4.md in {tree.cwd / '3.md'} left out: imports go 4 files deep"
    ]


def test_missing_imports_are_named_and_mentions_are_not(tree: Tree) -> None:
    file = tree.put(
        "workspace/project/pkg/CLAUDE.md", "@docs/gone.md, ask @someone or a@b.md, use @property, @org/pkg and @./x."
    )
    assert tree.load().notices == (f"@docs/gone.md in {file} not found", f"@./x in {file} not found")


def test_code_imports_nothing(tree: Tree) -> None:
    tree.put("workspace/project/pkg/a.md", "A")
    code = "`@a.md` and ``x ` @a.md``\n```\n@a.md\n```\n~~~~ md\n@a.md\n~~~\n@a.md\n~~~~\n"
    tree.put("workspace/project/pkg/CLAUDE.md", code)
    assert len(tree.texts()) == 1
    tree.put("workspace/project/pkg/CLAUDE.md", code + "an odd ` tick @a.md")
    assert tree.texts()[1:] == ["A"]


@pytest.mark.parametrize("target", ["../../secret.md", "/etc/hostname", "~/secret.md", "link.md"])
def test_a_project_imports_nothing_from_outside(tree: Tree, target: str) -> None:
    tree.put("home/secret.md", "SECRET")
    tree.put("workspace/secret.md", "SECRET")
    (tree.cwd / "link.md").symlink_to(tree.home / "secret.md")
    tree.put("workspace/project/pkg/CLAUDE.md", f"text @{target}")
    memory = tree.load()
    assert [file.text for file in memory.files] == [f"text @{target}"]
    assert len(memory.notices) == 1
    assert "leads out of the project" in memory.notices[0]


def test_a_linked_main_file_does_not_reach_outside(tree: Tree) -> None:
    (tree.cwd / "CLAUDE.md").symlink_to(tree.put("home/secret.md", "SECRET"))
    (tree.project / "CLAUDE.md").symlink_to("/proc/self/environ")
    memory = tree.load()
    assert memory.files == ()
    assert len(memory.notices) == 2


def test_a_persons_own_markdown_may_be_imported_by_a_project(tree: Tree) -> None:
    tree.put("home/.claude/mine.md", "mine")
    tree.put("home/.claude/.credentials.json", "SECRET")
    tree.put("workspace/project/pkg/CLAUDE.md", "@~/.claude/mine.md @~/.claude/.credentials.json")
    assert tree.texts()[1:] == ["mine"]


def test_excludes(tree: Tree) -> None:
    tree.put("workspace/CLAUDE.md", "up")
    tree.put("workspace/project/CLAUDE.md", "here")
    assert tree.texts("**/workspace/CLAUDE.md") == ["here"]
    assert tree.texts("*/workspace/*") == []


def test_what_cannot_be_used_is_named(tree: Tree) -> None:
    (tree.cwd / "CLAUDE.md").mkdir()
    (tree.cwd / "CLAUDE.local.md").symlink_to("CLAUDE.local.md")
    (tree.project / "CLAUDE.md").write_bytes(b"\x7fELF\0\0")
    (tree.project / "CLAUDE.local.md").write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    notices = tree.load().notices
    reasons = ("not a text", "larger than 4 MiB", "not a file", "Too many levels of symbolic links")
    assert len(notices) == 4
    assert all(reason in notice for reason, notice in zip(reasons, notices, strict=True))


def test_a_pipe_is_not_waited_for(tree: Tree) -> None:

    os.mkfifo(tree.cwd / "CLAUDE.md")
    assert "not a file" in tree.load().notices[0]


def test_odd_encodings_are_read(tree: Tree) -> None:
    (tree.cwd / "CLAUDE.md").write_bytes(b"\xef\xbb\xbfcaf\xe9\r\nline")
    assert tree.texts() == ["caf\ufffd\nline"]


def test_a_flood_of_imports_that_are_not_there_is_told_in_a_few_lines(tree: Tree) -> None:
    tree.put(
        str(tree.cwd / "CLAUDE.md"), " ".join(f"@f{number}.md" for number in range(5_000)) + f" @./{'x' * 5_000}.md"
    )
    notices = tree.load().notices
    assert len(notices) == 51
    assert notices[-1] == "… and 4,951 more like these"


def test_imports_of_devices_folders_and_loops_end(tree: Tree) -> None:
    (tree.cwd / "loop").symlink_to("loop")
    tree.put(
        str(tree.cwd / "CLAUDE.md"),
        "@CLAUDE.md @./loop @loop/x.md @. @/dev/stdin @/dev/zero @~/ @../../../../etc/hostname end",
    )
    loaded = tree.load()
    assert [file.path.name for file in loaded.files] == ["CLAUDE.md"]
