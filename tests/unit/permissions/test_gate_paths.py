"""Paths at the gate: denied ones, links, protected files, and what "session" allows."""

from pathlib import Path

import pytest

from agent.permissions.gate import Gate
from agent.permissions.modes import Mode
from agent.permissions.rules import parse_rule
from agent.protocol.model import ToolSpec
from agent.protocol.tools import Access, Subject

from .conftest import Asking


@pytest.mark.parametrize(
    "path", ["secrets/k", "to-secret", "src/../secrets/k", "./secrets//k", "SECRETS/K", "secrets", "src/secrets/k"]
)
@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob", "Edit", "Write"])
def test_a_denied_path_has_no_way_in(project: Asking, path: str, tool: str) -> None:
    gate = project.rules(allow=["Read", "Edit"], deny=["Read(secrets/**)"])
    verdict = gate.write(path, tool=tool) if tool in ("Edit", "Write") else gate.read(path, tool=tool)
    assert verdict == "deny"


def test_a_path_closed_to_one_editing_tool_is_closed_to_all(project: Asking) -> None:
    gate = project.rules(deny=["Write(src/**)"])
    assert [gate.write("src/b.py", tool=tool) for tool in ("Write", "Edit", "MultiEdit")] == ["deny"] * 3
    assert project.rules(deny=["Write"]).write("src/b.py", tool="Edit") == "ask"


def test_tools_can_ask_for_single_results(project: Asking) -> None:
    gate = project.rules(deny=["Read(*.env)"]).gate
    assert gate.denies_read(project.root / "notes.env")
    assert not gate.denies_read(project.root / "a.py")


@pytest.mark.parametrize("path", ["../outside.txt", "to-outside"])
def test_what_leads_outside_is_asked(project: Asking, path: str) -> None:
    assert project.read(path) == "ask"
    assert project.write(path, Mode.ACCEPT_EDITS) == "ask"
    assert (
        project.rules(allow=["Read(to-outside)"]).read("to-outside") == "ask"
    )  # only the link is named, not its target
    assert project.rules(allow=["Read(//**)"]).read(path) == "allow"


def test_links_inside_are_fine(project: Asking) -> None:
    assert project.read("to-source/b.py") == "allow"
    assert project.write("to-source/b.py", Mode.ACCEPT_EDITS) == "allow"


@pytest.mark.parametrize(
    "path",
    [
        ".claude/settings.json",
        ".ccagent/x",
        ".git/hooks/pre-commit",
        ".git/config",
        ".vscode/tasks.json",
        ".mcp.json",
        "sub/.mcp.json",
        ".bashrc",
        ".zshrc",
        ".Claude/x",
        "src/.envrc",
        ".config/fish/config.fish",
        ".GIT/config",
    ],
)
def test_what_steers_later_runs_is_always_asked(project: Asking, path: str) -> None:
    gate = project.rules(allow=["Edit", f"Edit({path})"])
    assert gate.write(path, Mode.ACCEPT_EDITS) == "ask"
    assert gate.write(path, Mode.BYPASS) == "allow"
    assert gate.session_rule("Edit", Subject(Access.WRITE, "", (project.root / path,))) is None


def test_a_link_to_a_protected_file_is_protected(project: Asking) -> None:
    (project.root / "innocent").symlink_to(project.root / ".git" / "config")
    assert project.rules(allow=["Edit"]).write("innocent", Mode.ACCEPT_EDITS) == "ask"


def test_moved_homes_are_protected(project: Asking) -> None:
    moved = project.root / "state"
    gate = Gate(
        [parse_rule("Edit")],
        (),
        (),
        roots=(project.root,),
        project_root=project.root,
        home=project.home,
        protected=(moved,),
    )
    spec = ToolSpec("Write", "", {})
    assert (
        gate.decide(spec, Subject(Access.WRITE, "", (moved / "settings.json",)), Mode.ACCEPT_EDITS).verdict.value
        == "ask"
    )


def test_reading_what_touches_nothing_is_allowed(project: Asking) -> None:
    assert project.decide("TodoRead", Subject(Access.READ, "")).verdict.value == "allow"
    assert project.decide("Odd", Subject(Access.WRITE, ""), Mode.ACCEPT_EDITS).verdict.value == "ask"


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("git commit -m 'a b'", "Bash(git commit:*)"),
        ("npm run test -- x", "Bash(npm run test:*)"),
        ("npm run", "Bash(npm run)"),
        ("ls -la", "Bash(ls -la)"),
        ("git push --force", "Bash(git push --force)"),
        ("git commit -c HEAD", "Bash(git commit -c HEAD)"),
        ("rm -rf build", "Bash(rm -rf build)"),
    ],
)
def test_session_rules_for_commands(project: Asking, command: str, rule: str) -> None:
    found = project.session_rule("Bash", Subject(Access.EXECUTE, "", command=command, cwd=project.root))
    assert found is not None
    assert found.text == rule
    project.gate = project.gate.with_session_rule(found)
    assert project.bash(command) == "allow"
    assert project.bash(f"{command} && touch P") == "ask"


@pytest.mark.parametrize("command", ["a | b", "echo $X", "ls *", "cd x && make"])
def test_no_session_rule_where_none_would_match(project: Asking, command: str) -> None:
    assert project.session_rule("Bash", Subject(Access.EXECUTE, "", command=command, cwd=project.root)) is None


def test_a_session_rule_for_an_edit_covers_the_folder_only(project: Asking) -> None:
    rule = project.session_rule("Write", Subject(Access.WRITE, "", (project.root / "src/b.py",)))
    assert rule is not None
    project.gate = project.gate.with_session_rule(rule)
    assert project.write("a.py", tool="Edit") == "allow"
    assert project.write("../outside.txt") == "ask"
    assert project.write("to-outside") == "ask"
    assert project.write(".git/config") == "ask"


def test_a_session_rule_for_reading_outside_covers_that_folder(project: Asking, tmp_path: Path) -> None:
    other = tmp_path / "lib[1]"
    other.mkdir()
    rule = project.session_rule("Read", Subject(Access.READ, "", (other / "x",)))
    assert rule is not None
    project.gate = project.gate.with_session_rule(rule)
    assert project.read("../lib[1]/y") == "allow"
    assert project.read("../lib1/y") == "ask"
    assert project.read("../outside.txt") == "ask"
    home_file = project.session_rule("Read", Subject(Access.READ, "", (project.home / "notes",)))
    assert home_file is not None
    assert not home_file.text.endswith("**)")
