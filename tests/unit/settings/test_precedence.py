"""Which place wins, and that each value says where it came from."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.protocol.errors import SettingsError, UsageError
from agent.settings.flags import Flags
from agent.settings.load import load_settings
from agent.settings.paths import Places
from agent.settings.settings import Settings

Put = Callable[[Path, object], Path]
Load = Callable[..., Settings]


def _files(places: Places) -> list[Path]:
    """Lowest to highest, as cli.md orders them."""
    root = places.project_root
    return [
        places.claude_home / "settings.json",
        places.ccagent_home / "settings.json",
        root / ".claude/settings.json",
        root / ".ccagent/settings.json",
        root / ".claude/settings.local.json",
        root / ".ccagent/settings.local.json",
    ]


@pytest.mark.parametrize("highest", range(6))
def test_the_highest_file_wins(places: Places, put: Put, load: Load, highest: int) -> None:
    for at, path in enumerate(_files(places)[: highest + 1]):
        put(path, {"model": f"m{at}"})
    settings = load()
    assert settings.model.value == f"m{highest}"
    assert settings.model.source == str(_files(places)[highest])


def test_environment_then_settings_flag_then_flags_then_managed(places: Places, put: Put, load: Load) -> None:
    put(_files(places)[5], {"model": "local"})
    env = {"ANTHROPIC_MODEL": "env"}
    assert load().model.value == "local"
    assert (load(env).model.value, load(env).model.source) == ("env", "environment")
    asked = load(env, settings='{"model": "asked"}')
    assert (asked.model.value, asked.model.source) == ("asked", "--settings")
    assert load(env, settings='{"model": "asked"}', model="flag").model.value == "flag"
    managed = put(places.managed_dir / "managed-settings.json", {"model": "managed"})
    above = load(env, settings='{"model": "asked"}', model="flag")
    assert (above.model.value, above.model.source) == ("managed", str(managed))


def test_defaults(load: Load) -> None:
    settings = load()
    assert (settings.model.value, settings.model.source) == ("claude-sonnet-5-5", "default")
    assert settings.auto_compact_enabled.value
    assert settings.auto_compact_window.value is None
    assert settings.permission_mode.value == "default"
    assert settings.cleanup_period_days.value == 30
    assert settings.reactive_compact.value
    assert not settings.precompute_compaction.value
    assert not settings.notices
    assert not settings.held_back


def test_lists_merge_and_keep_their_files(places: Places, put: Put, load: Load) -> None:
    user = put(_files(places)[0], {"permissions": {"allow": ["Read", "Bash(ls:*)"], "deny": ["Bash(rm:*)"]}})
    project = put(_files(places)[2], {"permissions": {"allow": ["Edit"], "ask": ["Write"]}})
    settings = load(allowed_tools=("Bash(git add:*), Grep",), disallowed_tools=("WebFetch",))
    allowed = [(rule.text, rule.source) for rule in settings.allow]
    assert allowed == [
        ("Read", str(user)),
        ("Bash(ls:*)", str(user)),
        ("Edit", str(project)),
        ("Bash(git add:*)", "flag"),
        ("Grep", "flag"),
    ]
    assert [rule.text for rule in settings.deny] == ["Bash(rm:*)", "WebFetch"]
    assert settings.ask[0].base == places.project_root


def test_directories_start_from_their_place(places: Places, put: Put, load: Load) -> None:
    put(_files(places)[2], {"permissions": {"additionalDirectories": ["../lib", "~/notes"]}})
    found = [item.value for item in load(add_dirs=("../x",)).additional_directories]
    parent = places.project_root.parent
    assert found == [parent / "lib", places.home / "notes", places.project_root / "x"]


def test_a_file_with_two_names_is_read_once(tmp_path: Path, put: Put) -> None:
    home = Places.resolve(tmp_path, {"HOME": str(tmp_path)}, managed_dir=tmp_path / "none")
    put(tmp_path / ".claude/settings.json", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    settings = load_settings(home, {}, Flags(), trusted=lambda items: False)
    assert [entry.scope for entry in settings.hooks] == ["user"]
    assert not settings.held_back


@pytest.mark.parametrize(
    ("env", "flag", "file", "value", "source"),
    [
        ({}, None, {}, None, "default"),
        ({}, None, {"experiments": {"autoCompactWindow": 90000}}, 90000, "experiment"),
        ({}, None, {"autoCompactWindow": 80000, "experiments": {"autoCompactWindow": 90000}}, 80000, "FILE"),
        ({}, "500k", {"autoCompactWindow": 80000}, 500_000, "flag"),
        ({}, "auto", {"autoCompactWindow": 80000}, None, "flag"),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "70000"}, "500k", {"autoCompactWindow": 80000}, 70000, "environment"),
    ],
)
def test_the_window_is_the_knob_where_the_environment_beats_flags(
    places: Places,
    put: Put,
    load: Load,
    env: dict[str, str],
    flag: str | None,
    file: object,
    value: int | None,
    source: str,
) -> None:
    path = put(_files(places)[1], file)
    window = load(env, autocompact=flag).auto_compact_window
    assert (window.value, window.source) == (value, str(path) if source == "FILE" else source)


def test_a_window_that_is_no_number_is_named_and_ignored(load: Load) -> None:
    settings = load({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "500k"}, autocompact="1M")
    assert settings.auto_compact_window.value == 1_000_000
    assert settings.notices == ("CLAUDE_CODE_AUTO_COMPACT_WINDOW=500k ignored: not a plain number of tokens",)


@pytest.mark.parametrize(
    ("env", "flag", "enabled", "source"),
    [
        ({}, "off", False, "flag"),
        ({}, "200", True, "flag"),
        ({"DISABLE_AUTO_COMPACT": "1"}, "auto", False, "environment"),
        ({"DISABLE_COMPACT": "true"}, None, False, "environment"),
        ({"DISABLE_AUTO_COMPACT": "0"}, None, False, "FILE"),
    ],
)
def test_auto_compact_is_turned_off_by_whoever_says_so(
    places: Places, put: Put, load: Load, env: dict[str, str], flag: str | None, enabled: bool, source: str
) -> None:
    path = put(_files(places)[0], {"autoCompactEnabled": False})
    found = load(env, autocompact=flag).auto_compact_enabled
    assert (found.value, found.source) == (enabled, str(path) if source == "FILE" else source)


def test_settings_env_is_applied_first(places: Places, put: Put, load: Load) -> None:
    put(_files(places)[0], {"env": {"ANTHROPIC_MODEL": "from-env-setting", "MAX_THINKING_TOKENS": 2048, "GONE": ""}})
    settings = load({"ANTHROPIC_MODEL": "shell", "GONE": "x", "KEPT": "y"})
    assert settings.model.value == "from-env-setting"
    assert settings.max_thinking_tokens.value == 2048
    assert settings.environment["KEPT"] == "y"
    assert "GONE" not in settings.environment


@pytest.mark.parametrize("text", ["0", "101", "x", "50%"])
def test_a_percentage_outside_1_to_100_is_named(load: Load, text: str) -> None:
    settings = load({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": text})
    assert settings.pct_override.value is None
    assert len(settings.notices) == 1
    assert "from 1 to 100" in settings.notices[0]


def test_a_settings_flag_may_be_a_file(places: Places, put: Put, load: Load) -> None:
    put(places.cwd / "extra.json", {"model": "from-file", "permissions": {"additionalDirectories": ["x"]}})
    settings = load(settings="extra.json")
    assert (settings.model.value, settings.model.source) == ("from-file", "--settings")
    assert [item.value for item in settings.additional_directories] == [places.cwd / "x"]


def test_a_huge_settings_flag_is_refused(places: Places, put: Put, load: Load) -> None:
    put(places.cwd / "big.json", " " * (2 * 1024 * 1024 + 1))
    with pytest.raises(SettingsError, match="2 MiB"):
        load(settings="big.json")
    put(places.claude_home / "settings.json", " " * (2 * 1024 * 1024 + 1))
    assert "larger than 2 MiB" in load().notices[0]


def test_manual_is_the_default_mode(places: Places, put: Put, load: Load) -> None:
    path = put(_files(places)[0], {"permissions": {"defaultMode": "manual"}})
    assert (load().permission_mode.value, load().permission_mode.source) == ("default", str(path))


def test_bypassing_can_be_switched_off(places: Places, put: Put, load: Load) -> None:
    assert load(skip_permissions=True).permission_mode.value == "bypassPermissions"
    put(places.managed_dir / "managed-settings.d/10.json", {"permissions": {"disableBypassPermissionsMode": "disable"}})
    barred = load(skip_permissions=True)
    assert barred.permission_mode.value == "default"
    assert "10.json" in barred.notices[0]


@pytest.mark.parametrize("flags", [{"permission_mode": "yolo"}, {"autocompact": "lots"}, {"autocompact": "0"}])
def test_flags_that_mean_nothing_are_refused(load: Load, flags: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        load(**flags)


def test_what_has_no_effect_yet_is_told_where_it_is_asked_for(places: Places, put: Put, load: Load) -> None:
    asked = {
        "autoCompactPolicy": "price",
        "precomputeCompactionEnabled": True,
        "experiments": {"sessionMemory": True},
    }
    path = put(places.ccagent_home / "settings.json", asked)
    told = load().notices
    for key in ("autoCompactPolicy", "precomputeCompactionEnabled", "experiments.sessionMemory"):
        assert [line for line in told if line.startswith(f"{key} ({path}) has no effect yet: ")]
    put(
        places.project_root / ".ccagent/settings.local.json",
        {"autoCompactPolicy": "window", "precomputeCompactionEnabled": False, "experiments": {"sessionMemory": False}},
    )
    assert load().notices == ()
