"""The one line that an error is to a person."""

import pytest

from agent.protocol.errors import CcagentError


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (CcagentError("No conversation found with session ID: X"), "No conversation found with session ID: X"),
        (CcagentError("not today", safe="Nothing was sent."), "not today. Nothing was sent."),
        (CcagentError("It failed.", do="Try /help"), "It failed. Try /help"),
        (CcagentError("Why?", safe="All is there.", do="Ask"), "Why? All is there. Ask"),
        (CcagentError(""), ""),
    ],
)
def test_parts_are_sentences(error: CcagentError, line: str) -> None:
    assert error.line == line
