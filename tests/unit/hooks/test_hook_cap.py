"""Long texts without a place to go."""

from pathlib import Path

import pytest

from agent.hooks.cap import LIMIT, cap_text


def test_short_texts_stay(tmp_path: Path) -> None:
    assert cap_text("x" * LIMIT, tmp_path, "n") == "x" * LIMIT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("place", "words"), [(None, "was dropped"), ("file", "could not be saved")])
def test_long_texts_say_what_became_of_them(tmp_path: Path, place: str | None, words: str) -> None:
    (tmp_path / "file").write_text("a file where a folder should be")
    text = cap_text("x" * (LIMIT + 1), tmp_path / place if place else None, "n")
    assert len(text) < LIMIT
    assert "10,001 characters" in text
    assert words in text
