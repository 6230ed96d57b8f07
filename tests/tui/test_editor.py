"""/memory open: which editor, and the terminal given to it and taken back, in the app and in the REPL."""

import os
import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tui.editor import edit_file, editor_command

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"VISUAL": "code --wait", "EDITOR": "vi"}, ["code", "--wait", "f"]),
        ({"EDITOR": "'/my apps/ed' -n"}, ["/my apps/ed", "-n", "f"]),
        ({"VISUAL": "un'closed", "EDITOR": "ed"}, ["ed", "f"]),
        ({"PATH": "/nowhere"}, None),
    ],
)
def test_which_editor(env: dict[str, str], expected: list[str] | None) -> None:
    assert editor_command("f", env) == expected


@pytest.mark.parametrize("editor", ["/no/such/editor", "false"])
def test_an_editor_that_fails_is_named_with_the_file(tmp_path: Path, editor: str) -> None:
    said = edit_file("notes.md", {"EDITOR": editor, "PATH": os.environ["PATH"]})
    assert editor in said
    assert "notes.md" in said


@pytest.mark.parametrize(("face", "ready"), [(("--plain",), "Ctrl+D leaves."), ((), "ask first")])
def test_a_face_gives_the_terminal_and_takes_it_back(tmp_path: Path, face: tuple[str, ...], ready: str) -> None:
    editor = tmp_path / "editor"
    editor.write_text(
        '#!/bin/sh\ntrap "echo HEARD" INT\nprintf "EDITING %s\\n" "$1"\nsleep 0.7\nread -r line\nprintf "%s\\n" "$line" > "$1"\n'
    )
    editor.chmod(0o755)
    argv = [sys.executable, "-m", "tui.cli", "--offline", *face]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EDITOR": str(editor), "PROMPT_TOOLKIT_NO_CPR": "1"}
    terminal = Terminal(argv, cwd=tmp_path, env=env)
    try:
        terminal.wait_for(ready)
        terminal.send("/memory open local\r")
        terminal.wait_for("EDITING")
        terminal.pump(0.2)
        terminal.send("\x03")
        terminal.wait_for("HEARD")
        terminal.send("\x1a")
        terminal.send("typed in the editor\r")
        file = tmp_path / "CLAUDE.local.md"
        terminal.wait(lambda: file.exists() and file.read_text() == "typed in the editor\n", "the edited file")
        terminal.send("/help\r")
        terminal.wait_for("/exit")
        terminal.send("/exit\r")
        assert terminal.wait_exit() == 0
        assert terminal.restored
    finally:
        terminal.close()
