"""A project with secrets and links, and short words to ask the gate."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.permissions.gate import Decision, Gate
from agent.permissions.modes import Mode
from agent.permissions.rules import Rule, parse_rule
from agent.protocol.model import ToolSpec
from agent.protocol.tools import Access, Subject


class Asking:
    """A gate over `root` that is asked by tool and path or command."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.gate = Gate((), (), (), roots=(root,), project_root=root, home=home)

    def rules(self, allow: Sequence[str] = (), deny: Sequence[str] = (), ask: Sequence[str] = ()) -> "Asking":
        """The same project under these rules."""
        other = Asking(self.root, self.home)
        parsed = [[parse_rule(text, base=self.root) for text in texts] for texts in (allow, deny, ask)]
        other.gate = Gate(*parsed, roots=(self.root,), project_root=self.root, home=self.home)
        return other

    def bash(self, command: str, mode: Mode = Mode.DEFAULT) -> str:
        """The verdict on a command."""
        return self.decide("Bash", Subject(Access.EXECUTE, command, command=command, cwd=self.root), mode).verdict.value

    def read(self, path: str, mode: Mode = Mode.DEFAULT, tool: str = "Read") -> str:
        """The verdict on reading `path`."""
        return self.decide(tool, Subject(Access.READ, path, (self.root / path,)), mode).verdict.value

    def write(self, path: str, mode: Mode = Mode.DEFAULT, tool: str = "Edit") -> str:
        """The verdict on changing `path`."""
        return self.decide(tool, Subject(Access.WRITE, path, (self.root / path,)), mode).verdict.value

    def decide(self, tool: str, subject: Subject, mode: Mode = Mode.DEFAULT) -> Decision:
        """The whole decision."""
        return self.gate.decide(ToolSpec(tool, "", {}), subject, mode)

    def session_rule(self, tool: str, subject: Subject) -> Rule | None:
        """What "session" would allow."""
        return self.gate.session_rule_for(ToolSpec(tool, "", {}), subject)


@pytest.fixture
def project(tmp_path: Path) -> Asking:
    """A git checkout with sources, secrets, links in and out, and a file outside."""
    root, home = tmp_path / "project", tmp_path / "home"
    for folder in (root / ".git", root / "src" / "deep", root / "secrets", home):
        folder.mkdir(parents=True)
    for name in ("a.py", "src/b.py", "src/deep/c.py", "secrets/k", "notes.env"):
        (root / name).write_text("x")
    (tmp_path / "outside.txt").write_text("x")
    (root / "to-secret").symlink_to(root / "secrets" / "k")
    (root / "to-outside").symlink_to(tmp_path / "outside.txt")
    (root / "to-source").symlink_to(root / "src")
    return Asking(root, home)
