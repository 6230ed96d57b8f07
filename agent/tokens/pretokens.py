"""A text as a tokenizer first takes it apart: words, runs of signs, numbers, blanks, which no token reaches across."""

from collections import Counter

from msgspec import Struct

from agent.tokens.character_sets import (
    ASTRAL,
    CJK,
    DIGITS,
    LETTERS,
    SIGNS,
    SYMBOLS,
    in_a_row,
    keep_table,
    mask,
    mask_table,
    one_byte_each,
    runs,
)

TOUCHING_BLANK = b"s"  # a letter, so that no sign is mistaken for it

_LONGEST_BLANK = 16  # blanks, tabs or line ends that are one token
_DIGITS_A_TOKEN = 3

_KEEP_LETTERS, _KEEP_DIGITS, _KEEP_SIGNS = keep_table(LETTERS), keep_table(DIGITS), keep_table(SIGNS)
_LETTERS, _DIGITS, _SIGNS, _SYMBOLS = mask_table(LETTERS), mask_table(DIGITS), mask_table(SIGNS), mask_table(SYMBOLS)
_CJK, _ASTRAL = mask_table(CJK), mask_table(ASTRAL)
_BLANKS, _TABS, _NEWLINES, _APOSTROPHES = (mask_table(sign) for sign in (b" ", b"\t", b"\n", b"'"))
_CONTRACTED = mask_table(b"stdm")


class Pretokens(Struct, frozen=True):
    """`words` and `signs` are the runs of letters and of ASCII signs, a character beyond ASCII as the first of its bytes.

    A blank beside a sign belongs to its run and is written TOUCHING_BLANK: ", " and " = " are what tokenizers know. `fixed` are the tokens
    of what follows a rule (numbers, blanks, line ends); the rest are counts of characters.
    """

    words: list[bytes]
    signs: list[bytes]
    fixed: int
    symbols: int
    symbol_runs: int
    cjk: int
    astral: int


def pretokens(text: str) -> Pretokens:
    """Takes `text` apart, in time linear in its length; line ends after the last word are free, as they are in a message."""
    data = one_byte_each(text.rstrip("\n"))
    digits, lines, tabs = mask(data, _DIGITS), mask(data, _NEWLINES), mask(data, _TABS)
    blanks, cjk, astral, symbols = mask(data, _BLANKS), mask(data, _CJK), mask(data, _ASTRAL), mask(data, _SYMBOLS)
    bare = digits | lines | tabs | cjk | astral
    return Pretokens(
        words=data.translate(_KEEP_LETTERS).split(),
        signs=_signs(data, blanks),
        fixed=_numbers(data) + _spaces(blanks, bare) + _stretches(lines) + _stretches(tabs) - _contractions(data),
        symbols=symbols.bit_count(),
        symbol_runs=runs(symbols),
        cjk=cjk.bit_count(),
        astral=astral.bit_count(),
    )


def _signs(data: bytes, blanks: int) -> list[bytes]:
    """A run of two blanks ends what stands before it; its last one still belongs to what follows."""
    signs = mask(data, _SIGNS)
    touching = blanks & ((signs >> 8) | ((signs << 8) & ~(blanks >> 8)))
    written = int.from_bytes(data.translate(_KEEP_SIGNS), "little") ^ (touching * (ord(" ") ^ ord(TOUCHING_BLANK)))
    return written.to_bytes(len(data), "little").split()


def _numbers(data: bytes) -> int:
    lengths = Counter(map(len, data.translate(_KEEP_DIGITS).split()))
    return sum(-(-length // _DIGITS_A_TOKEN) * number for length, number in lengths.items())


def _spaces(blanks: int, bare: int) -> int:
    """A single blank is part of the word or sign it stands between; beside what takes no blank ("5", a line end) it is a token."""
    several = blanks & ((blanks >> 8) | (blanks << 8))
    alone = blanks ^ several
    return _stretches(several) + (alone & ((bare << 8) | (bare >> 8))).bit_count()


def _stretches(places: int) -> int:
    """Tokens of runs of one and the same blank; beyond the first token of a run the last is on average half full."""
    long = in_a_row(places, _LONGEST_BLANK + 1)
    rest = long.bit_count() + runs(long) * _LONGEST_BLANK // 2
    return runs(places) + rest // _LONGEST_BLANK


def _contractions(data: bytes) -> int:
    """The "'s" of "it's" is one token, where a word and a sign would be two."""
    letters = mask(data, _LETTERS)
    after = mask(data, _CONTRACTED) & ~(letters >> 8)
    return ((letters << 8) & mask(data, _APOSTROPHES) & (after >> 8)).bit_count()
