"""The table: spelled as texts are taken apart, with counts that a tokenizer could have."""

import msgspec
import pytest

from agent.tokens.pretokens import TOUCHING_BLANK, pretokens
from agent.tokens.vocabulary import vocabulary


@pytest.mark.parametrize("tokenizer", ["v3", "v4.8"])
def test_every_entry_is_spelled_as_texts_are_taken_apart(tokenizer: str) -> None:
    tokens = vocabulary(tokenizer).tokens
    assert len(tokens) > 5_000
    for entry in tokens:
        if entry.isalpha():
            assert pretokens(entry.decode()).words == [entry]
        else:
            between = f"x{entry.replace(TOUCHING_BLANK, b' ').decode()}x"
            assert pretokens(between).signs == [entry]


@pytest.mark.parametrize("tokenizer", ["v3", "v4.8"])
def test_no_entry_takes_more_tokens_than_characters_and_case_marks(tokenizer: str) -> None:
    for entry, count in vocabulary(tokenizer).tokens.items():
        assert 1 <= count <= len(entry) + 2, entry


def test_common_words_and_signs_have_the_counts_of_their_generation() -> None:
    older, newer = vocabulary("v3").tokens, vocabulary("v4.8").tokens
    assert older.keys() == newer.keys()
    for entry, counts in {b"the": (1, 1), b"ValueError": (1, 4), b"s=s": (1, 1), b"._": (1, 1), b"')": (1, 1)}.items():
        assert (older[entry], newer[entry]) == counts
    assert sum(newer.values()) > 1.2 * sum(older.values())


def test_claudes_words_say_nothing_of_other_tokenizers() -> None:
    assert vocabulary("other").tokens == {}


@pytest.mark.parametrize("tokenizer", ["v3", "v4.8", "other"])
def test_more_text_is_never_fewer_tokens(tokenizer: str) -> None:
    weights = msgspec.structs.asdict(vocabulary(tokenizer).weights)
    assert all(weight >= 0 for weight in weights.values())
    assert weights["repeats"] < weights["signs"]


def test_an_unknown_generation_is_an_error() -> None:
    with pytest.raises(KeyError):
        vocabulary("v9")
