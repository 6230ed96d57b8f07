"""What counts as a slash command, and what completion offers."""

from pathlib import Path

import pytest

from agent.session.complete import complete
from agent.session.slash import COMMANDS, is_slash


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/help", True),
        ("  /compact keep the API", True),
        ("/", False),
        ("/usr/bin/env is a path", False),
        ("/tmp/x", False),
        ("what is /help", False),
        ("", False),
    ],
)
def test_is_slash(text: str, expected: bool) -> None:
    assert is_slash(text) is expected


def test_command_names_are_unique_and_documented() -> None:
    names = [name for command in COMMANDS for name in (command.name, *command.aliases)]
    assert len(names) == len(set(names))
    assert all(command.usage.startswith(f"/{command.name}") and command.help for command in COMMANDS)


def test_completes_commands_and_files(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").touch()
    (tmp_path / ".hidden").touch()
    words = [completion.text for completion in complete("/co", COMMANDS, tmp_path)]
    assert sorted(words) == ["/compact", "/context", "/cost"]
    assert [c.text for c in complete("look at @s", COMMANDS, tmp_path)] == ["look at @src/"]
    assert [c.text for c in complete("@src/ma", COMMANDS, tmp_path)] == ["@src/main.py"]
    assert [c.text for c in complete("@.h", COMMANDS, tmp_path)] == ["@.hidden"]
    assert complete("me@example", COMMANDS, tmp_path) == ()
    assert complete("@no/such/dir/", COMMANDS, tmp_path) == ()
    for never in ("@~nobody-has-this-name/x", "@" + "a" * 5_000 + "/x", "@a\0b/x"):
        assert complete(never, COMMANDS, tmp_path) == ()
