"""A session of the installed command as a person has it: trust, an edit, a compaction with hooks, a huge paste, a crash, and the way back."""

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.app_terminal import answer
from tests.support.terminal import Terminal

COMMAND = Path(sys.executable).parent / "ccagent"
PASTE = "\x1b[200~{}\x1b[201~"
HOOKS = ("SessionStart", "PreToolUse", "PreCompact", "PostCompact")
Start = Callable[..., Terminal]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A project whose hook scripts leave a trace each, with what they got on stdin."""
    folder = tmp_path / "repo"
    hooks = folder / ".claude" / "hooks"
    hooks.mkdir(parents=True)
    (folder / "a.py").write_text("def f():\n    return 1\n")
    settings: dict[str, list[object]] = {}
    for event in HOOKS:
        script = hooks / f"{event}.sh"
        script.write_text(
            f'#!/bin/sh\ncat > "$CLAUDE_PROJECT_DIR/{event}.json"\n[ {event} != PreCompact ] || echo "Keep KEY-42."\n'
        )
        script.chmod(0o755)
        settings[event] = [
            {"hooks": [{"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{event}.sh'}]}
        ]
    (folder / ".claude" / "settings.json").write_text(json.dumps({"hooks": settings}))
    return folder


@pytest.fixture
def start(repo: Path) -> Iterator[Start]:
    opened: list[Terminal] = []

    def run(*arguments: str) -> Terminal:
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
        argv = [str(COMMAND), "--offline", "--context-window", "40000", *arguments]
        opened.append(Terminal(argv, cwd=repo, env=env, columns=110, rows=40))
        return opened[-1]

    yield run
    for terminal in opened:
        terminal.close()


def used(terminal: Terminal) -> int:
    """The meter's number."""
    found = re.search(r"~?([\d,]+) / 40,000", terminal.text)
    return int(found[1].replace(",", "")) if found else 0


def say(terminal: Terminal, text: str, then: str) -> None:
    terminal.send(f"{text}\r")
    terminal.wait_for(then)


def told(repo: Path, event: str) -> dict[str, object]:
    got: dict[str, object] = json.loads((repo / f"{event}.json").read_text())
    return got


def trust_and_edit(terminal: Terminal, repo: Path) -> None:
    answer(terminal, "y", "Trust this folder?")
    terminal.wait_for("SessionStart hook ok")
    terminal.send("replace `return 1` by `return 2` in a.py\r")
    answer(terminal, "1", "Allow? Edit a.py")
    terminal.wait_for("● Edit a.py  +1 −1")
    assert (repo / "a.py").read_text() == "def f():\n    return 2\n"
    terminal.wait_for("Replaced 'return 1' by 'return 2'")
    assert told(repo, "PreToolUse")["tool_name"] in ("Read", "Edit")


def compact(terminal: Terminal, repo: Path) -> None:
    say(terminal, "!seq 1 4000", "● ! seq 1 4000")
    say(terminal, "list files", "a.py")
    terminal.wait(lambda: used(terminal) > 8_000, "a meter that has risen")
    before = used(terminal)
    terminal.send("/compact keep the names\r")
    terminal.wait_for("Conversation compacted ·")
    terminal.wait(lambda: used(terminal) < before // 2, "a meter that has fallen")
    assert "PreCompact hook ok" in terminal.text
    assert "Keep KEY-42." in terminal.text
    assert "PostCompact hook ok" in terminal.text
    assert told(repo, "PreCompact")["custom_instructions"] == "keep the names"
    assert told(repo, "PostCompact")["hook_event_name"] == "PostCompact"


def test_a_session_from_trust_to_a_crash_and_back(start: Start, repo: Path) -> None:
    terminal = start()
    trust_and_edit(terminal, repo)
    compact(terminal, repo)
    terminal.send(PASTE.format("0123456789abcde\n" * 65_536))
    terminal.wait_for("[Pasted #1 - 65536 lines]")
    terminal.resize(80, 24)
    terminal.wait_for("[Pasted #1 - 65536 lines]")
    terminal.signal(signal.SIGKILL)
    assert terminal.wait_exit() == 128 + signal.SIGKILL
    again = start("--continue")
    again.wait_for("Conversation compacted ·")
    again.send("\x1b[1;5H")  # Ctrl+Home
    again.wait_for("❯ replace `return 1` by `return 2` in a.py")
    again.wait(lambda: 0 < used(again) < 8_000, "the compacted meter")
    say(again, "read a.py", "return 2")
    again.send("/exit\r")
    assert again.wait_exit() == 0
    assert again.restored
