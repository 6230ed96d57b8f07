"""The summary is taken out of the answer, whatever dress it wears."""

import pytest

from agent.compact.format_summary import format_summary


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        ("<analysis>notes</analysis>\n<summary>\n1. A\n\n\n2. B\n</summary>", "1. A\n\n2. B"),
        ("<ANALYSIS>x</ANALYSIS><Summary>kept</Summary>", "kept"),
        ("<analysis>first</analysis> and <analysis>second</analysis><summary>kept</summary> trailing", "kept"),
        ("<analysis>never closed <summary>kept</summary>", "kept"),
        ("<summary>cut in the midd", "cut in the midd"),
        ("no tags at all", "no tags at all"),
        ("<analysis>only thoughts</analysis>", ""),
        ("<analysis>only thoughts, cut", ""),
        ("  \n ", ""),
    ],
)
def test_takes_the_summary(answer: str, summary: str) -> None:
    assert format_summary(answer) == summary
