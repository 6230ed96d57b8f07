"""The sanitiser lets through nothing that steers a terminal or deceives the eye."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.render.safe import BAD, clean, clean_line, clean_output, clip

NASTY = st.sampled_from(
    list("\x00\x07\x08\x0b\x1b\x7f\x85\x9b\x9d[]0;31mKHhttp\\P\t\r\n \u202e\u2066\ufe0f\ud800\U000e0041é漢👩")
)


def harmful(char: str) -> bool:
    if char == "\n":
        return False
    return unicodedata.category(char) in ("Cc", "Cs") or unicodedata.bidirectional(char) in (
        "LRE",
        "RLE",
        "PDF",
        "LRO",
        "RLO",
        "LRI",
        "RLI",
        "FSI",
        "PDI",
    )


@given(st.text(NASTY, max_size=60) | st.text(max_size=60))
def test_nothing_harmful_survives_and_twice_is_once(text: str) -> None:
    cleaned = clean(text)
    assert not [char for char in cleaned if harmful(char)]
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=60))
def test_ordinary_text_is_untouched(text: str) -> None:
    steady = "".join(char for char in text if char not in "\ufe0f\u20e3")
    assert clean(steady) == steady


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b[2J\x1b[H\x1b(Bgone", "gone"),
        ("\x9b31mred", "red"),
        ("a\x08b", f"a{BAD}b"),
        ("safe\u202etxt.exe", f"safe{BAD}txt.exe"),
        ("\ud83d", BAD),
        ("a\tb", "a   b"),
        ("❤\ufe0f", "❤"),
        ("one\r\ntwo", "one\ntwo"),
    ],
)
def test_what_becomes_of(raw: str, shown: str) -> None:
    assert clean(raw) == shown


def test_an_unfinished_sequence_leaves_no_escape() -> None:
    assert "\x1b" not in clean("text \x1b[3")
    assert "\x1b" not in clean("\x1b\x1b[31m[31m")


def test_a_progress_bar_shows_its_last_state() -> None:
    assert clean_output("10%\r50%\r100%\ndone\r\n") == "100%\ndone\n"


def test_one_line_and_clipped() -> None:
    assert clean_line("  a\n\tb\x1b[0m ") == "a b"
    assert clip("abcdef", 4) == "abc…"
    assert clip("abcd", 4) == "abcd"
