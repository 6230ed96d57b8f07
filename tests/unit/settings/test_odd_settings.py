"""Settings files that are legal JSON and still not what they seem: repeated keys, NULs, floods; and other encodings."""

import json
from pathlib import Path

import msgspec
import pytest

from agent.settings.flags import Flags
from agent.settings.layers import read_file
from agent.settings.load import load_settings
from agent.settings.paths import Places


def read(tmp_path: Path, data: bytes) -> tuple[object, list[str]]:
    file = tmp_path / "settings.json"
    file.write_bytes(data)
    return read_file(file, "user", tmp_path)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"permissions": {"deny": ["Bash(rm:*)"]}, "permissions": {"allow": ["Read"]}}', "permissions"),
        ('{"permissions": {"deny": ["Bash(rm:*)"], "deny": []}}', "deny"),
        ('{"hooks": {"Stop": [], "Stop": []}, "env": {"A": "1", "A": "2"}}', "Stop, A"),
    ],
)
def test_a_key_that_hides_another_is_told(tmp_path: Path, text: str, keys: str) -> None:
    layer, lines = read(tmp_path, text.encode())
    assert layer is not None
    assert lines == [f"{tmp_path}/settings.json: {keys} more than once in one object; only the last counts"]


def test_the_same_of_settings_on_the_command_line(tmp_path: Path) -> None:
    places = Places.resolve(tmp_path, {"HOME": str(tmp_path)})
    flags = Flags(settings='{"model": "a", "model": "b"}')
    settings = load_settings(places, {}, flags, trusted=lambda _items: True)
    assert settings.notices == ("--settings: model more than once in one object; only the last counts",)


def test_a_nul_is_left_out_wherever_it_stands(tmp_path: Path) -> None:
    handler = {"type": "command", "command": "a\0b"}
    direct = {"type": "command", "command": "a", "args": ["x", "\0"]}
    said = {
        "model": "a\0b",
        "env": {"A\0B": "x", "C": "a\0b", "D": "kept"},
        "permissions": {"deny": ["Read(a\0b)", "Bash(rm:*)"], "additionalDirectories": ["a\0b"]},
        "statusLine": {"type": "command", "command": "a\0b"},
        "apiKeyHelper": "a\0b",
        "hooks": {"Stop": [{"matcher": "", "hooks": [handler, direct]}]},
    }
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(said))
    places = Places.resolve(tmp_path, {"HOME": str(tmp_path)})
    settings = load_settings(places, {"HOME": str(tmp_path)}, Flags(), trusted=lambda _items: True)
    assert len(settings.notices) == 9
    assert "\\x00" not in repr(msgspec.structs.replace(settings, notices=()))
    assert [rule.text for rule in settings.deny] == ["Bash(rm:*)"]
    assert settings.environment["D"] == "kept"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_another_encoding_is_named(tmp_path: Path, encoding: str) -> None:
    layer, lines = read(tmp_path, '{"model": "x"}'.encode(encoding))
    assert layer is None
    assert lines == [f"{tmp_path}/settings.json: not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8; it was not read."]


def test_a_flood_of_faults_is_told_in_a_few_lines(tmp_path: Path) -> None:
    wrong = {f"key{number}": number for number in range(10_000)}
    hooks = {f"Event{number}" * 50: [] for number in range(1_000)} | {"Stop": [{"hooks": [1] * 1_000}]}
    _layer, lines = read(tmp_path, json.dumps(wrong | {"hooks": hooks}).encode())
    assert len(lines) == 51
    assert max(map(len, lines)) < 1_000
    assert "and 9990 more" in lines[0]
    assert lines[-1].endswith(" more like these")
