"""Matchers: all, names, patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.hooks.matcher import matches
from agent.protocol.errors import HookError
from agent.protocol.hooks import HookEvent

TOOL = HookEvent.PRE_TOOL_USE


@pytest.mark.parametrize(
    ("matcher", "subject", "expected"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        ("  ", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("bash", "Bash", False),
        ("Edit|Write", "Write", True),
        ("Edit , Write", "Write", True),
        ("Edit|Write", "MultiEdit", False),
        ("my-tool", "my-tool", True),
        ("my-tool", "my-tool-2", False),
        ("mcp__srv__.*", "mcp__srv__do", True),
        (".*Edit", "MultiEdit", True),
        ("^Edit$", "MultiEdit", False),
        ("Edi.", "MultiEdit", True),
        ("(?<kind>Ba)sh", "Bash", True),
        ("(?<!Multi)Edit", "MultiEdit", False),
        ("(?!Bash).*", "Bash", True),
        ("|", "Bash", False),
    ],
)
def test_matchers(matcher: str, subject: str, expected: bool) -> None:
    assert matches(matcher, TOOL, subject) is expected


@pytest.mark.parametrize("event", [HookEvent.USER_PROMPT_SUBMIT, HookEvent.STOP])
def test_events_without_matchers_ignore_them(event: HookEvent) -> None:
    assert matches("never", event, "")


@pytest.mark.parametrize("event", [HookEvent.PRE_COMPACT, HookEvent.POST_COMPACT, HookEvent.SESSION_START])
def test_other_events_heed_them(event: HookEvent) -> None:
    assert matches("auto", event, "auto")
    assert not matches("manual", event, "auto")


@pytest.mark.parametrize("matcher", ["(", "[z", "a{3,1}", "x" * 3000 + "."])
def test_a_broken_pattern_is_an_error(matcher: str) -> None:
    with pytest.raises(HookError):
        matches(matcher, TOOL, "Bash")


@given(st.text(max_size=20), st.sampled_from(["Bash", "mcp__a__b", ""]))
def test_no_matcher_upsets_us(matcher: str, subject: str) -> None:
    try:
        assert matches(matcher, TOOL, subject) in (True, False)
    except HookError as error:
        assert error.what
