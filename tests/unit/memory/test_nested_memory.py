"""What is loaded when a file is read: the CLAUDE.md files on its way, and the rules for it; each once."""

import os
from pathlib import Path

import pytest

from agent.memory.claude_md import load_memory
from agent.memory.nested import MAX_CHARS, NestedMemory, load_reason, nested_text
from agent.settings.paths import Places


class Project:
    """A home and a repository."""

    def __init__(self, base: Path) -> None:
        self.home, self.root = base / "home", base / "repo"
        (self.root / ".git").mkdir(parents=True)
        self.home.mkdir()

    def put(self, path: str, text: str = "x") -> Path:
        """A file below the repository, or with ~ below the home."""
        file = self.home / path[2:] if path.startswith("~/") else self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def nested(self, *, cwd: str = ".") -> NestedMemory:
        """Nested memory after the start of a session in `cwd`."""
        places = Places.resolve(self.root / cwd, {"HOME": str(self.home)}, managed_dir=self.root.parent / "managed")
        nested = NestedMemory(places)
        seen: set[str] = set()
        load_memory(places, seen=seen)
        nested.forget(seen)
        return nested


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def texts(nested: NestedMemory, file: Path) -> list[str]:
    return [found.text for found in nested.for_file(file).files]


def test_folders_on_the_way_from_broad_to_specific(project: Project) -> None:
    project.put("CLAUDE.md", "root")
    project.put("pkg/CLAUDE.md", "pkg")
    project.put("pkg/api/.claude/CLAUDE.md", "api")
    project.put("pkg/api/CLAUDE.local.md", "mine")
    project.put("pkg/api/v1/AGENTS.md", "v1")
    project.put("other/CLAUDE.md", "other")
    nested = project.nested()
    file = project.put("pkg/api/v1/a.py")
    assert texts(nested, file) == ["pkg", "api", "mine", "v1"]
    assert texts(nested, file) == []
    assert texts(nested, project.put("README")) == []
    assert texts(nested, project.put("other/b.py")) == ["other"]


def test_what_the_start_has_loaded_is_not_given_again(project: Project) -> None:
    project.put("pkg/CLAUDE.md", "pkg")
    nested = project.nested(cwd=str(project.put("pkg/x").parent))
    assert texts(nested, project.put("pkg/a.py")) == []
    project.put("tools/CLAUDE.md", "tools")
    assert texts(nested, project.put("tools/a.py")) == ["tools"]  # in the project, beside the working folder


def test_nothing_for_files_elsewhere(project: Project, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "CLAUDE.md").write_text("out")
    assert texts(project.nested(), tmp_path / "out" / "a.py") == []
    (project.root / "link.py").symlink_to(tmp_path / "out" / "a.py")
    assert texts(project.nested(), project.root / "link.py") == []


@pytest.mark.parametrize(
    ("paths", "file", "fits"),
    [
        ("src/**/*.ts", "src/a/b.ts", True),
        ("src/**/*.ts", "src/b.ts", True),
        ("src/**/*.{ts,tsx}", "src/b.tsx", True),
        ("src/**/*.ts", "lib/b.ts", False),
        ("**/*.py", "a/b/c.py", True),
        ("*.md", "README.md", True),
        ("*.md", "docs/x.md", False),
        ("docs/", "docs/deep/x.md", True),
        ("./src/*.py", "src/x.py", True),
        ("[a-b]*", "b.txt", True),
    ],
)
def test_rules_for_paths(project: Project, paths: str, file: str, fits: bool) -> None:
    project.put(".claude/rules/r.md", f"---\npaths:\n  - '{paths}'\n---\nthe rule")
    nested = project.nested()
    assert texts(nested, project.put(file)) == (["the rule"] if fits else [])


def test_rules_of_the_person_and_what_they_import(project: Project) -> None:
    project.put("~/.claude/rules/py.md", "---\npaths: '**/*.py'\n---\nuse types @style.md")
    project.put("~/.claude/rules/style.md", "---\npaths: nowhere\n---\nfour blanks")
    found = project.nested().for_file(project.put("a.py")).files
    assert [(file.kind, load_reason(file)) for file in found] == [("User", "path_glob_match"), ("User", "include")]
    assert found[0].globs == ("**/*.py",)


def test_after_a_compaction_it_is_given_again(project: Project) -> None:
    project.put("pkg/CLAUDE.md", "pkg")
    file = project.put("pkg/a.py")
    nested = project.nested()
    assert texts(nested, file) == ["pkg"]
    nested.forget(set())
    assert texts(nested, file) == ["pkg"]


def test_a_changed_rule_is_read_again(project: Project) -> None:
    rule = project.put(".claude/rules/r.md", "---\npaths: a.py\n---\nA")
    nested = project.nested()
    assert texts(nested, project.put("b.py")) == []
    rule.write_text("---\npaths: b.py, c.py\n---\nB")
    assert texts(nested, project.root / "b.py") == ["B"]


def test_a_rule_that_changes_within_one_tick_of_the_clock_is_read_again(project: Project) -> None:
    rule = project.put(".claude/rules/r.md", "---\npaths: a.py\n---\nA")
    nested, file, moment = project.nested(), project.put("b.py"), rule.stat().st_mtime_ns
    assert texts(nested, file) == []
    rule.write_text("---\npaths: b.py\n---\nB")
    os.utime(rule, ns=(moment, moment))
    assert texts(nested, file) == ["B"]


def test_excludes_and_broken_files(project: Project) -> None:
    project.put("pkg/CLAUDE.md", "pkg")
    assert project.nested().for_file(project.put("pkg/a.py"), ["**/pkg/CLAUDE.md"]).files == ()
    project.put("bin/CLAUDE.md", "\0")
    memory = project.nested().for_file(project.put("bin/a.py"))
    assert "not a text" in memory.notices[0]


def test_the_model_reads_what_it_is_for(project: Project) -> None:
    project.put("pkg/CLAUDE.md", "p" * (MAX_CHARS + 5))
    project.put(".claude/rules/r.md", "---\npaths: pkg/**\n---\nthe rule")
    folder, rule = project.nested().for_file(project.put("pkg/a.py")).files
    assert f"it applies to files in {project.root / 'pkg'}" in nested_text(folder)
    assert nested_text(folder).endswith(f"Read {project.root / 'pkg/CLAUDE.md'} for it]")
    assert "it applies to files that match pkg/**):\n\nthe rule" in nested_text(rule)
