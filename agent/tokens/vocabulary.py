"""What is known of Claude's two tokenizers: the tokens of the commonest words and signs, and weights for what is not among them."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """Tokens per feature: of words and signs that are not in the table, and of characters that no table has."""

    words: float
    letters: float
    long_letters: float
    upper: float
    accented: float
    sign_runs: float
    signs: float
    repeats: float
    symbols: float
    symbol_runs: float
    cjk: float
    astral: float


class Vocabulary(Struct, frozen=True):
    """`tokens` are the counts of words and of runs of signs, spelled as `pretokens` spells them."""

    tokens: Mapping[bytes, int]
    weights: Weights


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """`counts` has lines of words and signs under "1 2": their tokens in _GENERATIONS. tests/bench/fit_vocabulary.py writes it."""

    weights: Mapping[str, Weights]
    counts: Mapping[str, list[str]]


_GENERATIONS = ("v3", "v4.8")


@cache
def vocabulary(tokenizer: str) -> Vocabulary:
    """Of "v3", "v4.8" or "other" (KeyError else); read when it is first asked for, in a few milliseconds.

    "other" has no table: Claude's words say nothing of another vendor's tokenizer, the shape of a text does.
    """
    content = files("agent.tokens").joinpath("vocabulary.json").read_bytes()
    file = msgspec.json.decode(content, type=_File)
    weights = file.weights[tokenizer]
    tokens: dict[bytes, int] = {}
    if tokenizer in _GENERATIONS:
        place = _GENERATIONS.index(tokenizer)
        for pair, lines in file.counts.items():
            tokens.update(dict.fromkeys(" ".join(lines).encode().split(), int(pair.split()[place])))
    return Vocabulary(tokens=tokens, weights=weights)
