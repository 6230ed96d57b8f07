"""Which files of a project are bound to the trust in a command."""

from pathlib import Path

import pytest

from agent.settings.scripts import named_scripts, scripts_digest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "my proj"
    (root / ".claude" / "hooks").mkdir(parents=True)
    for name in ("guard.sh", "guard.py", "plain", "runs", "log.jsonl", "shebang", "data.json"):
        (root / ".claude" / "hooks" / name).write_text("#!/bin/x" if name == "shebang" else "words")
    (root / ".claude" / "hooks" / "runs").chmod(0o755)
    (tmp_path / "outside.sh").write_text("x")
    (root / "link.sh").symlink_to(tmp_path / "outside.sh")
    return root


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (".claude/hooks/guard.sh", ["guard.sh"]),
        ('"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh --log .claude/hooks/log.jsonl', ["guard.sh"]),
        ("uv run ${CLAUDE_PROJECT_DIR}/.claude/hooks/guard.py", ["guard.py"]),
        ("sh .claude/hooks/plain", ["plain"]),
        ("python3 -u .claude/hooks/plain", ["plain"]),
        ("cd x && .claude/hooks/runs", ["runs"]),
        (".claude/hooks/shebang", ["shebang"]),
        ("cat >> .claude/hooks/log.jsonl", []),
        ("jq .x > .claude/hooks/guard.sh", []),
        ('cat >".claude/hooks/runs"', []),
        ("touch .claude/hooks/plain", []),
        ("jq -f .claude/hooks/data.json", ["data.json"]),
        ("sh link.sh", []),
        ("sh ../outside.sh", []),
        ("sh missing.sh", []),
        ("echo 'unclosed .claude/hooks/guard.sh", ["guard.sh"]),
    ],
)
def test_scripts_of_a_command(root: Path, command: str, names: list[str]) -> None:
    assert [path.name for path in named_scripts([command], root)] == names
    assert bool(scripts_digest(command, root)) is bool(names)


def test_a_changed_script_changes_the_digest_and_a_log_does_not(root: Path) -> None:
    command = "sh .claude/hooks/plain >> .claude/hooks/log.jsonl"
    before = scripts_digest(command, root)
    (root / ".claude" / "hooks" / "log.jsonl").write_text("more")
    assert scripts_digest(command, root) == before
    (root / ".claude" / "hooks" / "plain").write_text("other words")
    assert scripts_digest(command, root) != before
