"""What the environment's words mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.settings.env import child_env, effective_env, flag, number, plain_digits


@pytest.mark.parametrize(
    ("text", "value"),
    [("64000", 64000), ("64_000", 64000), ("2e3", 2000), (" 7 ", 7), ("1.5e3", 1500), ("0", 0), ("-5", -5)],
)
def test_numbers_as_the_reference_writes_them(text: str, value: int) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "500k", "1.5", "0x10", "nan", "inf", "1e400", "__1", "1__0", "9" * 50, "٣"])
def test_what_is_no_number(text: str) -> None:
    if text == "٣":  # digits of other scripts are not ours to guess at
        assert plain_digits(text) is None
        return
    assert number(text) is None


def test_the_window_takes_plain_digits_only() -> None:
    assert plain_digits(" 120000 ") == 120000
    assert [plain_digits(text) for text in ("500k", "64_000", "2e3", "-1", "")] == [None] * 5


@given(st.text())
def test_no_text_upsets_the_parsers(text: str) -> None:
    assert isinstance(number(text), int | None)
    assert isinstance(plain_digits(text), int | None)
    assert flag({"X": text}, "X") in (True, False, None)


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("TRUE", True), ("0", False), ("False", False), ("maybe", None), ("", None)]
)
def test_flags(text: str, value: bool | None) -> None:
    assert flag({"DISABLE_COMPACT": text}, "DISABLE_COMPACT") is value


def test_settings_env_beats_the_shell_and_an_empty_value_unsets() -> None:
    assert effective_env({"A": "1", "B": "2", "E": ""}, {"A": "9", "B": ""}) == {"A": "9", "E": ""}


def test_children_get_no_keys_and_no_profile_noise() -> None:
    env = {"PATH": "/bin", "ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t", "BASH_ENV": "x", "OTEL_EXPORTER": "y"}
    assert child_env(env) == {"PATH": "/bin"}
