"""The counter of Claude's tokens: known words and signs by a table, the others by their shape, all of it at the speed of C."""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from agent.tokens.character_sets import (
    ACCENTED,
    LETTERS,
    SIGNS,
    UPPER,
    in_a_row,
    like_the_next,
    mask,
    mask_table,
)
from agent.tokens.pretokens import pretokens
from agent.tokens.vocabulary import Weights, vocabulary

_LETTERS, _UPPER, _ACCENTED, _SIGNS = (mask_table(members) for members in (LETTERS, UPPER, ACCENTED, SIGNS))
_SHORT_WORD = 6
_SHORT_RULER = 4


class Features(Struct, frozen=True):
    """`known` are tokens that need no estimate; `words` to `accented` count over the words that the table lacks, `sign_runs` to `repeats` over such signs.

    `long_letters` are the letters beyond six of each word, `repeats` the signs beyond four of each run of one and the same sign
    ("======"), which cost little, and `signs` all others. The rest counts characters beyond ASCII in the whole text.
    """

    known: int
    words: int
    letters: int
    long_letters: int
    upper: int
    accented: int
    sign_runs: int
    signs: int
    repeats: int
    symbols: int
    symbol_runs: int
    cjk: int
    astral: int


def estimate_text(text: str, tokenizer: str = "v4.8") -> int:
    """Tokens of `text`, to the nearest; `tokenizer` is "v3", "v4.8" or "other" (KeyError else)."""
    known = vocabulary(tokenizer)
    return max(0, round(weigh(measure(text, known.tokens), known.weights)))


def measure(text: str, tokens: Mapping[bytes, int]) -> Features:
    """The features of `text` beside the table `tokens`, in time linear in its length (about 30 ms for a megabyte)."""
    parts = pretokens(text)
    known_words, words = _beside_table(parts.words, tokens)
    known_signs, signs = _beside_table(parts.signs, tokens)
    letters, marks = mask(words, _LETTERS), mask(signs, _SIGNS)
    repeats = in_a_row(marks & like_the_next(signs), _SHORT_RULER)
    return Features(
        known=known_words + known_signs + parts.fixed,
        words=words.count(b" "),
        letters=letters.bit_count(),
        long_letters=in_a_row(letters, _SHORT_WORD + 1).bit_count(),
        upper=mask(words, _UPPER).bit_count(),
        accented=mask(words, _ACCENTED).bit_count(),
        sign_runs=signs.count(b" "),
        signs=marks.bit_count() - repeats.bit_count(),
        repeats=repeats.bit_count(),
        symbols=parts.symbols,
        symbol_runs=parts.symbol_runs,
        cjk=parts.cjk,
        astral=parts.astral,
    )


def weigh(features: Features, weights: Weights) -> float:
    """Tokens that the features stand for."""
    counts: tuple[int, ...] = msgspec.structs.astuple(features)
    each: tuple[float, ...] = msgspec.structs.astuple(weights)
    return counts[0] + sum(weight * count for weight, count in zip(each, counts[1:], strict=True))


def _beside_table(parts: Iterable[bytes], tokens: Mapping[bytes, int]) -> tuple[int, bytes]:
    """The tokens of those parts that the table has, and the others one after the other, each with a blank behind it."""
    known, others = 0, []
    for part, times in Counter(parts).items():
        count = tokens.get(part)
        if count is None:
            others.append((part + b" ") * times)
        else:
            known += count * times
    return known, b"".join(others)
