"""Numbers with their nouns, and the head of a long text."""

import pytest

from agent.protocol.text import counted, head_of


@pytest.mark.parametrize(("number", "said"), [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (21_000, "21,000 lines")])
def test_one_is_one(number: int, said: str) -> None:
    assert counted(number, "line") == said


def test_the_head_of_many_lines_and_of_one_without_end() -> None:
    assert head_of("a\nb\nc", 3) == "a\nb\nc"
    assert head_of("a\nb\nc", 2) == "a\nb\n… 1 more line"
    assert head_of("x" * 1_000, 2) == f"{'x' * 200}…\n… 800 more characters"
