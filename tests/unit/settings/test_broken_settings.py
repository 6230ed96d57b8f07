"""One bad entry, key or file never takes the rest with it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agent.protocol.errors import SettingsError
from agent.settings.json_text import parse_object
from agent.settings.layers import make_layer, read_file
from agent.settings.paths import Places
from agent.settings.schema import FileSettings
from agent.settings.settings import Settings

Put = Callable[[Path, object], Path]
Load = Callable[..., Settings]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "model": "x",\n}', ":3:1"),
        ('{"a": 1 "b": 2}', ":1:9"),
        ('{\n"é": nope}', ":2:10"),
        ('{"a": ', ":1:7"),
        ('{"a": 1} // note', ":1:10"),
        ("[1]", ""),
    ],
)
def test_a_broken_file_is_named_with_line_and_column(text: str, place: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_object(text.encode(), "f.json")
    assert caught.value.what.startswith(f"f.json{place}: ")


def test_bytes_that_are_no_utf8_are_placed() -> None:
    with pytest.raises(SettingsError, match=r"f\.json:2:6"):
        parse_object(b'{\n"a":"\xff"}', "f.json")


@pytest.mark.parametrize(
    "data", [b"[" * 100_000, b'{"a":' * 50_000, b'{"n": ' + b"9" * 10_000 + b"}", b'{"a":"\\ud800"}']
)
def test_hostile_json_is_only_an_error(data: bytes) -> None:
    with pytest.raises(SettingsError):
        parse_object(data, "f.json")


def test_blank_and_marked_files_are_read() -> None:
    assert parse_object(b" \n", "f") == {}
    assert parse_object(b"\xef\xbb\xbf{}", "f") == {}


def test_the_rest_still_loads(places: Places, put: Put, load: Load) -> None:
    bad = put(places.claude_home / "settings.json", '{"model": ')
    put(places.ccagent_home / "settings.json", {"cleanupPeriodDays": 7})
    settings = load()
    assert settings.cleanup_period_days.value == 7
    assert len(settings.notices) == 1
    assert settings.notices[0].startswith(f"{bad}:1:11: ")


def test_single_bad_entries_are_skipped(places: Places, put: Put, load: Load) -> None:
    path = put(
        places.claude_home / "settings.json",
        {
            "model": 7,
            "autoCompactWindow": "big",
            "cleanupPeriodDays": 0,
            "effortLevel": "high",
            "env": {"A": "1", "B": ["x"], "C": True},
            "permissions": {
                "allow": ["Read", 3, None],
                "deny": "Bash",
                "defaultMode": "plan",
                "disableAutoMode": "disable",
            },
            "statusLine": {"type": "command"},
            "frobnicate": 1,
            "wobble": 2,
            "outputStyle": "brought along",
        },
    )
    settings = load()
    assert settings.effort.value == "high"
    assert settings.env == {"A": "1", "C": "true"}
    assert [rule.text for rule in settings.allow] == ["Read"]
    assert settings.permission_mode.value == "plan"
    assert settings.deny == ()
    assert settings.status_line.value is None
    named = "\n".join(settings.notices)
    assert named.count("unknown keys skipped: frobnicate, wobble") == 1
    assert "outputStyle" not in named
    assert "disableAutoMode" not in named
    for part in (
        "model",
        "autoCompactWindow",
        "cleanupPeriodDays",
        "env.B",
        "permissions.allow: 2 of 3",
        "permissions.deny",
        "statusLine",
    ):
        assert f"{path}: {part}" in named


def test_hooks_of_other_kinds_are_accepted_and_named_once(places: Places, put: Put, load: Load) -> None:
    hooks = {
        "PreCompact": [
            {"matcher": "auto", "hooks": [{"type": "command", "command": "one"}, {"type": "prompt", "prompt": "x"}]},
            {"hooks": [{"type": "http", "url": "u"}, {"type": "prompt", "prompt": "y"}]},
            {"type": "command", "command": "placed too high"},
            {"matcher": 3, "hooks": []},
        ],
        "SubagentStop": [{"hooks": [{"type": "command", "command": "x"}]}],
        "preEditHook": {},
        "Stop": [
            {"hooks": [{"type": "command", "command": ""}, {"type": "command", "command": "two", "timeout": 5}, 7]}
        ],
        "SessionEnd": "x",
    }
    put(places.claude_home / "settings.json", {"hooks": hooks, "permissions": {"deny": ["Bash"]}})
    settings = load()
    assert [(entry.event.value, entry.matcher, entry.handler.command) for entry in settings.hooks] == [
        ("PreCompact", "auto", "one"),
        ("Stop", "", "two"),
    ]
    assert settings.deny
    named = "\n".join(settings.notices)
    assert named.count("SubagentStop, preEditHook") == 1
    assert named.count("http, prompt") == 1
    for where in (
        "hooks.PreCompact[2]",
        "hooks.PreCompact[3]",
        "hooks.Stop[0].hooks[0]",
        "hooks.Stop[0].hooks[2]",
        "hooks.SessionEnd",
    ):
        assert where in named


def test_handler_fields(places: Places, put: Put, load: Load) -> None:
    handler = {
        "type": "command",
        "command": "x",
        "args": ["a"],
        "async": True,
        "if": "Bash(git *)",
        "statusMessage": "s",
        "once": True,
    }
    put(places.claude_home / "settings.json", {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}})
    found = load().hooks[0].handler
    assert (found.args, found.async_, found.if_, found.status_message, found.timeout) == (
        ("a",),
        True,
        "Bash(git *)",
        "s",
        None,
    )


def test_what_is_no_file_is_named(places: Places) -> None:
    folder = places.claude_home / "settings.json"
    folder.mkdir(parents=True)
    assert read_file(folder, "user", folder.parent) == (None, [f"{folder} skipped: not a file but a folder"])
    assert read_file(Path("/dev/zero"), "user", folder.parent)[1] == ["/dev/zero skipped: not a file but a device"]


@pytest.mark.parametrize("told", ["{broken", "missing.json", "."])
def test_a_settings_flag_that_cannot_be_used_stops_the_start(load: Load, told: str) -> None:
    with pytest.raises(SettingsError):
        load(settings=told)


LEAVES = st.sampled_from([None, True, 0, -1, 2.5, 10**15, "", "x", "command", "*", [], {}])
HANDLERS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("type", "command", "args", "timeout", "if", "async", "shell"), LEAVES)
)
GROUPS = st.lists(
    st.fixed_dictionaries({}, optional={"matcher": LEAVES, "hooks": LEAVES | st.lists(HANDLERS | LEAVES, max_size=2)})
    | LEAVES,
    max_size=2,
)
PERMISSIONS = st.fixed_dictionaries(
    {}, optional={k: LEAVES | st.lists(LEAVES, max_size=2) for k in ("allow", "deny", "defaultMode", "odd")}
)
FILES = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(FileSettings.__struct_encode_fields__, LEAVES),
        "permissions": PERMISSIONS | LEAVES,
        "env": st.dictionaries(st.sampled_from(["A", "", "B=", "C\0"]), LEAVES, max_size=3) | LEAVES,
        "hooks": st.dictionaries(st.sampled_from(["Stop", "PreCompact", "odd"]), GROUPS | LEAVES, max_size=2) | LEAVES,
        "odd": LEAVES,
    },
)


@given(FILES)
@hypothesis_settings(max_examples=100, deadline=None)
def test_no_settings_object_upsets_the_reader(raw: dict[str, object]) -> None:
    parsed = parse_object(json.dumps(raw).encode(), "f")
    layer, lines = make_layer(parsed, "f", "user", Path("/"))
    assert all("\n" not in line.split(": ", 1)[0] for line in lines)
    assert make_layer(parsed, "f", "user", Path("/"))[0] == layer


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\ue1 \n', max_size=60).map(str.encode))
def test_no_bytes_upset_the_parser(data: bytes) -> None:
    try:
        parse_object(data, "f")
    except SettingsError as error:
        assert error.what.startswith("f")
