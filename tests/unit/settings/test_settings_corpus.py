"""Settings files of the shapes that people have: what is taken over, what is skipped, and what is said of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.hooks.matcher import matches
from agent.permissions.rules import parse_rules
from agent.protocol.errors import HookError
from agent.protocol.hooks import HookEvent
from agent.settings.flags import Flags
from agent.settings.load import load_settings
from agent.settings.paths import Places
from agent.settings.settings import Settings

Load = Callable[..., Settings]

EVERY_EVENT = {
    "hooks": {
        event.value: [
            {
                "matcher": "",
                "hooks": [{"type": "command", "command": f"uv run $CLAUDE_PROJECT_DIR/.claude/hooks/{event}.py"}],
            }
        ]
        for event in HookEvent
    },
    "statusLine": {"type": "command", "command": "uv run $CLAUDE_PROJECT_DIR/.claude/status.py", "padding": 0},
}
GUARDS = """{
    "$schema": "https://json.schemastore.org/claude-code-settings.json",
    "permissions": {
        "allow": ["Bash(npm run lint)", "Bash(npm run test:*)", "Bash(git * main)", "Read(~/.zshrc)", "WebFetch(domain:docs.example.org)",
                  "mcp__github__*", "Skill(pdf)"],
        "ask": ["Bash(git push:*)"],
        "deny": ["Read(./.env)", "Read(./secrets/**)", "Bash(curl:*)", "Bash(rm -rf *)"],
        "additionalDirectories": ["../docs/"],
        "defaultMode": "acceptEdits"
    },
    "env": {"CI": true, "WORKERS": 4, "RATE": 0.5, "NAME": "x"},
    "cleanupPeriodDays": 20,
    "includeCoAuthoredBy": false,
    "enabledPlugins": {"formatter@tools": true},
    "hooks": {
        "PreToolUse": [
            {"matcher": "Edit|Write|MultiEdit", "hooks": [
                {"type": "command", "command": "./.claude/hooks/protect.sh", "timeout": 5000},
                {"type": "command", "command": "npx prettier --check \\"$CLAUDE_PROJECT_DIR\\"", "statusMessage": "Checking style"}]},
            {"matcher": "mcp__.*__write.*", "hooks": [{"type": "command", "command": "true", "async": true, "once": true}]},
            {"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(git commit:*)", "command": "make check"}]}
        ],
        "PreCompact": [{"matcher": "auto", "hooks": [{"type": "command", "command": "cp \\"$T\\" ~/backups", "timeout": 10}]}]
    }
}"""
MALFORMED = {
    "permissions": {"deny": ["Read(secret)"]},
    "hooks": {
        "PreToolUse": [{"type": "command", "command": "make", "toolNames": ["Edit"]}],
        "PostToolUse": [{"matcher": ["Edit"], "hooks": [{"type": "command", "command": "x"}]}],
        "Stop": {"command": "say done"},
        "PreCompact": [
            {
                "hooks": [
                    {"type": "prompt", "prompt": "Is it time?"},
                    {"type": "command"},
                    {"type": "command", "command": ""},
                    {"type": "command", "command": "ok", "timeout": "10s"},
                    {"type": "command", "command": "kept", "timeout": 10},
                    "echo",
                    None,
                ]
            }
        ],
        "preEditHook": {"command": "lint"},
        "SubagentStop": [{"hooks": [{"type": "command", "command": "x"}]}],
    },
}
CASES = {
    "every event": (
        json.dumps(EVERY_EVENT),
        {"hooks": len(HookEvent), "notices": []},
    ),
    "guards, rules and a plugin": (
        GUARDS,
        {"hooks": 5, "allow": 7, "deny": 4, "mode": "acceptEdits", "notices": []},
    ),
    "the same with a mark and Windows lines": (
        "\ufeff" + GUARDS.replace("\n", "\r\n"),
        {"hooks": 5, "allow": 7, "deny": 4, "mode": "acceptEdits", "notices": []},
    ),
    "handlers in the wrong places": (
        json.dumps(MALFORMED),
        {
            "hooks": 1,
            "deny": 1,
            "notices": [
                "hooks.PreToolUse[0] skipped: not an object with a list of hooks",
                "hooks.PostToolUse[0] skipped: matcher is not a text",
                "hooks.Stop skipped: not a list",
                "hooks.PreCompact[0].hooks[1] skipped",
                "hooks.PreCompact[0].hooks[2] skipped",
                "hooks.PreCompact[0].hooks[3] skipped",
                'hooks.PreCompact[0].hooks[5] skipped: type is not "command"',
                'hooks.PreCompact[0].hooks[6] skipped: type is not "command"',
                "hooks for events that never happen here skipped: preEditHook, SubagentStop",
                "hooks of a type other than command skipped: prompt",
            ],
        },
    ),
    "comments": ('{\n  // mine\n  "model": "opus"\n}', {"notices": ["settings.json:2:3: "]}),
    "a comma too many": ('{\n  "model": "opus",\n}', {"notices": ["settings.json:3:1: "]}),
    "single quotes": ("{'model': 'opus'}", {"notices": ["settings.json:1:2: "]}),
    "an unfinished file": ('{"permissions": {"deny": [', {"notices": ["the text ends too soon"]}),
    "a list": ("[]", {"notices": ["settings.json: not a JSON object"]}),
    "nothing": ("", {"notices": []}),
    "nulls": ('{"model": null, "hooks": null, "permissions": null, "env": null}', {"notices": []}),
    "wrong types": (
        '{"hooks": [], "permissions": [], "env": "x", "autoCompactEnabled": "yes", "autoCompactWindow": 1.5, "model": 3}',
        {
            "notices": [
                "hooks skipped",
                "permissions skipped",
                "env skipped",
                "autoCompactEnabled skipped",
                "autoCompactWindow skipped",
                "model skipped",
            ]
        },
    ),
    "keys nobody knows": (
        '{"modle": "opus", "permissions": {"alow": [], "deny": ["Bash"]}, "x": {"y": 1}}',
        {"deny": 1, "notices": ["unknown keys skipped: modle, x", "unknown key skipped: permissions.alow"]},
    ),
    "rules that are none": (
        '{"permissions": {"allow": [1, null, "", "Read", {"tool": "x"}], "deny": "Bash"}}',
        {"allow": 1, "notices": ["permissions.allow: 4 of 5 entries skipped: not a text", "permissions.deny skipped"]},
    ),
    "a key twice": ('{"model": "opus", "model": "haiku"}', {"notices": ["model more than once"]}),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_what_people_have(places: Places, load: Load, text: str, expected: dict[str, object]) -> None:
    file = places.claude_home / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode())
    found = load()
    notices = expected.get("notices", [])
    assert isinstance(notices, list)
    missing = [notice for notice in notices if not any(notice in line for line in found.notices)]
    assert missing == []
    assert len(found.notices) == len(notices), found.notices
    assert len(found.hooks) == expected.get("hooks", 0)
    assert len(found.allow) == expected.get("allow", 0)
    assert len(found.deny) == expected.get("deny", 0)
    assert found.permission_mode.value == expected.get("mode", "default")


def test_values_of_env_become_texts(places: Places, load: Load) -> None:
    file = places.claude_home / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(GUARDS)
    assert load().env == {"CI": "true", "WORKERS": "4", "RATE": "0.5", "NAME": "x"}


def test_a_file_in_another_encoding_is_named(places: Places, load: Load) -> None:
    file = places.claude_home / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_bytes('{"model": "opus"}'.encode("utf-16"))
    found = load()
    assert len(found.notices) == 1
    assert str(file) in found.notices[0]


# ---- no settings file, however odd, stops a session

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
WORDS = st.sampled_from(["Bash", "Edit|Write", "*", "", "mcp__.*", "(", "[", "(?<n>a)", "a" * 3000, "\\", "^Notebook"])
HANDLER = st.fixed_dictionaries(
    {"type": st.sampled_from(["command", "http", "prompt", "x"]) | JSON},
    optional={
        "command": st.text(max_size=30) | JSON,
        "timeout": JSON,
        "if": st.sampled_from(["Bash(git:*)", "Bash(", "", "Read(!x)"]) | JSON,
        "args": JSON,
        "async": JSON,
        "shell": JSON,
        "statusMessage": JSON,
    },
)
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(HANDLER | JSON, max_size=3) | JSON}, optional={"matcher": WORDS | JSON}
)
EVENTS = st.sampled_from([event.value for event in HookEvent]) | st.text(max_size=10)
SHAPED = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(EVENTS, st.lists(GROUP | JSON, max_size=3) | JSON, max_size=4) | JSON,
        "permissions": st.dictionaries(
            st.sampled_from(["allow", "ask", "deny", "additionalDirectories", "defaultMode", "x"]),
            st.lists(st.text(max_size=20) | st.sampled_from(["Bash(rm:*)", "Read(", "/"]), max_size=3) | JSON,
        )
        | JSON,
        "env": st.dictionaries(st.text(max_size=8), JSON, max_size=3) | JSON,
        "statusLine": JSON,
        "autoCompactWindows": st.dictionaries(st.text(max_size=8), JSON, max_size=3) | JSON,
        "claudeMdExcludes": JSON,
        "experiments": JSON,
        "model": JSON,
    },
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(SHAPED | JSON)
def test_no_settings_file_stops_a_session(tmp_path: Path, content: object) -> None:
    (tmp_path / ".git").mkdir(exist_ok=True)
    (tmp_path / ".claude").mkdir(exist_ok=True)
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(content), encoding="utf-8")
    places = Places.resolve(tmp_path, {"HOME": str(tmp_path / "home")}, managed_dir=tmp_path / "none")
    for trusted in (False, True):
        found = load_settings(places, {}, Flags(), trusted=lambda _items, said=trusted: said)
        parse_rules((*found.allow, *found.deny, *found.ask), places)
        for entry in found.hooks:
            try:
                matches(entry.matcher, entry.event, "Bash")
            except HookError as error:
                assert error.what
