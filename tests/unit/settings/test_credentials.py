"""How the way to the API is found, and that no secret shows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.pretty import pretty_repr

from agent.settings.credentials import PLACEHOLDER_KEY, Credentials, find_credentials, parse_headers
from agent.settings.flags import split_rules
from agent.settings.paths import Places
from agent.settings.settings import Settings


def test_nothing_found(places: Places) -> None:
    assert find_credentials({"ANTHROPIC_API_KEY": "  "}, places) is None


@pytest.mark.parametrize(
    ("env", "source", "key", "token"),
    [
        ({"ANTHROPIC_API_KEY": "k1"}, "ANTHROPIC_API_KEY", "k1", None),
        ({"ANTHROPIC_AUTH_TOKEN": "t1"}, "ANTHROPIC_AUTH_TOKEN", None, "t1"),
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, "ANTHROPIC_BASE_URL", PLACEHOLDER_KEY, None),
    ],
)
def test_keys_tokens_and_a_base_url_alone(
    places: Places, env: dict[str, str], source: str, key: str | None, token: str | None
) -> None:
    found = find_credentials(env, places)
    assert found is not None
    assert (found.source, found.api_key, found.auth_token) == (source, key, token)


def test_the_sdks_own_profiles_are_found(places: Places) -> None:
    folder = places.home / ".config/anthropic"
    (folder / "configs").mkdir(parents=True)
    (folder / "configs/work.json").write_text("{}")
    assert find_credentials({}, places) is None
    (folder / "active_config").write_text("work\n")
    found = find_credentials({}, places)
    assert found is not None
    assert found.profile
    local = find_credentials({"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, places)
    assert local is not None
    assert not local.profile  # what lies on the disk is not sent to a server of another kind
    chosen = find_credentials({"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_PROFILE": "work"}, places)
    assert chosen is not None
    assert chosen.profile
    (folder / "active_config").write_text("../../x")
    assert find_credentials({}, places) is None


def test_no_secret_in_the_repr() -> None:
    found = Credentials(api_key="sk-secret", auth_token="tok-secret", custom_headers=(("X-Auth", "head-secret"),))
    for shown in (repr(found), str(found), f"{found}", pretty_repr(found)):
        assert "secret" not in shown
    assert found.secrets == ("sk-secret", "tok-secret", "head-secret")


def test_headers() -> None:
    assert parse_headers("A: 1\nbroken\n: x\nB:c:d\n") == (("A", "1"), ("B", "c:d"))


def test_rule_lists_split_outside_parentheses() -> None:
    text = "Bash(git diff:*),Edit  Read(a b/**)"
    assert split_rules(text) == ("Bash(git diff:*)", "Edit", "Read(a b/**)")
    assert split_rules("Bash(a") == ("Bash(a",)
    assert split_rules(" , ") == ()


def test_unreadable_profiles_are_none(places: Places, tmp_path: Path) -> None:
    assert find_credentials({"ANTHROPIC_CONFIG_DIR": str(tmp_path / "nowhere")}, places) is None


def test_settings_show_no_environment(load: Callable[..., Settings]) -> None:
    settings = load({"ANTHROPIC_API_KEY": "sk-secret"}, settings='{"env": {"TOKEN": "other-secret"}}')
    assert settings.environment["ANTHROPIC_API_KEY"] == "sk-secret"
    assert "secret" not in repr(settings) + pretty_repr(settings)
