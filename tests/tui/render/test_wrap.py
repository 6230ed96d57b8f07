"""Wrapping loses nothing, exceeds nothing and remembers its joints."""

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes
from rich.style import Style

from tui.render.lines import Line, copied_text
from tui.render.wrap import Cut, fold_cuts, fold_spans, word_cuts, wrap_spans

ALPHABET = st.sampled_from(["a", "b", "x", " ", " ", "é", "漢", "字", "👩\u200d👩\u200d👧", "🙂", "e\u0301", "ก็"])
TEXTS = st.lists(ALPHABET, max_size=50).map("".join)
WIDTHS = st.integers(2, 20)


def rejoined(text: str, cuts: list[Cut]) -> str:
    return "".join((cut.joint or "") + text[cut.start : cut.end] for cut in cuts)


@example("   é", 2)
@given(TEXTS | st.text("ab  ", max_size=60), WIDTHS)
def test_words_fit_and_nothing_but_trailing_space_is_lost(text: str, width: int) -> None:
    cuts = word_cuts(text, width)
    assert all(cell_len(text[cut.start : cut.end]) <= width for cut in cuts)
    assert rejoined(text, cuts).rstrip(" ") == text.rstrip(" ")
    assert cuts[0].joint is None
    assert all(cut.joint is not None for cut in cuts[1:])


@given(TEXTS, WIDTHS)
def test_no_cut_is_inside_a_grapheme(text: str, width: int) -> None:
    edges = {0, len(text)} | {start for start, _, _ in split_graphemes(text)[0]}
    for cut in (*word_cuts(text, width), *fold_cuts(text, width)):
        assert {cut.start, cut.end} <= edges


@given(st.text("ab  ", max_size=60), WIDTHS)
def test_both_paths_break_ascii_alike(text: str, width: int) -> None:
    """One accented character at the end sends the same words down the other path."""
    text = text.lstrip()
    plain = [text[cut.start : cut.end] for cut in word_cuts(text, width)]
    other = word_cuts(text + " é", width)
    assert [text[cut.start : cut.end] for cut in other][: len(plain) - 1] == plain[:-1]


@given(TEXTS, WIDTHS)
def test_folds_are_exact(text: str, width: int) -> None:
    cuts = fold_cuts(text, width)
    assert all(cell_len(text[cut.start : cut.end]) <= width for cut in cuts)
    assert rejoined(text, cuts) == text


def test_a_copy_of_wrapped_rows_is_the_source() -> None:
    source = "the quick brown fox\njumps over"
    rows = wrap_spans([(source[:9], Style(bold=True)), (source[9:], Style())], 8)
    assert [row.text for row in rows] == ["the", "quick", "brown", "fox", "jumps", "over"]
    assert copied_text((row, 0, -1) for row in rows) == source


def test_a_copy_leaves_out_the_gutter() -> None:
    rows = [Line(row.segments, row.joint, 0) for row in fold_spans([("abcdef", Style())], 3)]
    assert copied_text((row, 0, -1) for row in rows) == "abcdef"
    assert copied_text([(Line(rows[0].segments, None, 2), 0, -1)]) == "c"


def test_spans_keep_their_style() -> None:
    bold = Style(bold=True)
    rows = wrap_spans([("one ", Style()), ("two three", bold)], 7)
    assert [[(s.text, s.style == bold) for s in row.segments] for row in rows] == [
        [("one ", False), ("two", True)],
        [("three", True)],
    ]
