"""Keys: which names count, which values are masked, and that no cut between pieces lets one through."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.process.secrets import StreamMask, mask_text, secret_values, without_keys

ENV = {
    "ANTHROPIC_API_KEY": "sk-ant-a1aaaaaa",
    "ANTHROPIC_MODEL": "claude-sonnet-5-5",
    "ANTHROPIC_BASE_URL": "https://me:hunter2hunter2@gateway.example/v1",
    "ANTHROPIC_CUSTOM_HEADERS": "X-One: headervalue1\nX-Two: short",
    "GH_TOKEN": "ghp_bbbbbbbbbb",
    "MY_API_KEY": "short",
    "MAX_THINKING_TOKENS": "100000000",
    "HOME": "/home/someone",
}


def test_our_credentials_leave_the_environment_and_those_of_other_programs_stay() -> None:
    assert set(ENV) - set(without_keys(ENV)) == {name for name in ENV if name.startswith("ANTHROPIC_")}


def test_long_values_of_keys_are_secret_and_models_are_not() -> None:
    assert secret_values(ENV) == ("sk-ant-a1aaaaaa", "ghp_bbbbbbbbbb", "hunter2hunter2", "headervalue1")


def test_a_secret_within_a_secret_leaves_no_rest() -> None:
    assert mask_text("abcdefghij", secret_values({"A_TOKEN": "abcdefgh", "B_TOKEN": "abcdefghij"})) == "[masked]"


@given(st.text("ab", max_size=30), st.lists(st.integers(0, 30), max_size=6))
def test_a_stream_is_masked_however_it_is_cut(text: str, cuts: list[int]) -> None:
    mask = StreamMask(["abba"])
    data = text.encode()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [mask.feed(data[a:b]) for a, b in pairwise(edges)]
    assert b"".join([*pieces, mask.flush()]).decode() == mask_text(text, ["abba"])


@pytest.mark.parametrize("value", ["rehearsal", "lm-studio", "placeholder", "sk-no-key-required", "DUMMY_KEY"])
def test_a_placeholder_is_no_secret(value: str) -> None:
    assert secret_values({"ANTHROPIC_API_KEY": value}) == ()


@pytest.mark.parametrize("value", ["sk-ant-oat01", "AbCdEfGhIj", "averylongkeywithoutdigits", "hunter22"])
def test_a_key_without_much_to_it_is_a_secret(value: str) -> None:
    assert secret_values({"ANTHROPIC_API_KEY": value}) == (value,)


def test_a_bearer_key_in_a_header_is_a_secret_by_itself() -> None:
    assert "tok-12345678" in secret_values({"ANTHROPIC_CUSTOM_HEADERS": "Authorization: Bearer tok-12345678"})
