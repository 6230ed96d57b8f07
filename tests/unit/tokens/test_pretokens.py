"""Taking a text apart: each rule in plain regular expressions beside the bit sets that do it fast."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.tokens.character_sets import in_a_row, mask, mask_table, runs
from agent.tokens.pretokens import Pretokens, pretokens

SIGN = r"[!-/:-@\[-`{-~]"
TEXTS = (
    st.text(alphabet="aabcZY019  \t\n.,_()'st", max_size=120)
    | st.text(alphabet="=-a  \n5", max_size=120)
    | st.text(alphabet=[chr(code) for code in (9, 10, *range(32, 127))])
)


def taken_apart(text: str) -> Pretokens:
    """The rules for ASCII text, one regular expression each."""
    text = text.rstrip("\n")
    touching = re.compile(rf" (?={SIGN})|(?<={SIGN}) (?! )")
    return Pretokens(
        words=[word.encode() for word in re.findall(r"[A-Za-z]+", text)],
        signs=[run.encode() for run in re.findall(rf"(?:s|{SIGN})+", touching.sub("s", re.sub("[A-Za-z]", "1", text)))],
        fixed=sum(
            (
                sum(-(-len(run) // 3) for run in re.findall(r"[0-9]+", text)),
                sum(stretch(len(run)) for run in re.findall(r" {2,}|\t+|\n+", text)),
                len(re.findall(r"(?<! ) (?! )(?:(?<=[0-9\n\t] )|(?=[0-9\n\t]))", text)),
                -len(re.findall(r"(?<=[A-Za-z])'[stdm](?![A-Za-z])", text)),
            )
        ),
        symbols=0,
        symbol_runs=0,
        cjk=0,
        astral=0,
    )


def stretch(length: int) -> int:
    return 1 if length <= 16 else 1 + (length - 16 + 8) // 16


@settings(deadline=None)
@given(TEXTS)
def test_the_bit_sets_do_what_the_rules_say(text: str) -> None:
    assert pretokens(text) == taken_apart(text)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("f(x)", [b"(", b")"]),
        ("a = b", [b"s=s"]),
        ("a, b", [b",s"]),
        ("a,  b", [b","]),
        ("a  = b", [b"s=s"]),
        (") (", [b")s("]),
        ("a ( [b] )", [b"s(s[", b"]s)"]),
        ("sos", []),
    ],
)
def test_a_blank_belongs_to_the_sign_beside_it(text: str, signs: list[bytes]) -> None:
    assert pretokens(text).signs == signs


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("", 0),
        ("one two", 0),
        ("one  two", 1),
        ("one 2 3", 2 + 2),
        ("1234567", 3),
        ("a\n\n\n    b\tc", 3),
        ("a\n\n\n", 0),
        ("it's 'short' and don't", -2),
        (" " * 16 + "a", 1),
        (" " * 64 + "a", 4),
        ("中 文", 1),
    ],
)
def test_numbers_and_blanks_follow_rules(text: str, fixed: int) -> None:
    assert pretokens(text).fixed == fixed


@pytest.mark.parametrize(
    ("text", "words", "others"),
    [
        ("中文ひらがな한국", 0, (0, 0, 8, 0)),
        ("naïve Привет", 2, (0, 0, 0, 0)),
        ("→ ✓", 0, (2, 2, 0, 0)),
        ("“so”———", 1, (5, 2, 0, 0)),
        ("🙂🙃", 0, (0, 0, 0, 2)),
        ("\x1b[0mred\x07", 1, (0, 0, 0, 0)),
        ("\ud800", 0, (0, 0, 0, 0)),
    ],
)
def test_characters_beyond_ascii_have_a_class(text: str, words: int, others: tuple[int, ...]) -> None:
    parts = pretokens(text)
    assert len(parts.words) == words
    assert (parts.symbols, parts.symbol_runs, parts.cjk, parts.astral) == others


@settings(deadline=None)
@given(st.text(alphabet="ab", max_size=60), st.integers(1, 20))
def test_members_in_a_row(text: str, width: int) -> None:
    places = mask(text.encode(), mask_table(b"a"))
    lengths = Counter(len(run) for run in re.findall("a+", text))
    assert runs(places) == lengths.total()
    assert in_a_row(places, width).bit_count() == sum(max(0, n - width + 1) * times for n, times in lengths.items())
