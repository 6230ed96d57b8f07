"""The feature counter: each feature, its definition in plain regular expressions, and how near it comes."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.tokens.features import PRIORS, Features, estimate_text, measure

PUNCTUATION = r"[!-/:-@\[-`{-~]"


def plainly_measured(text: str) -> Features:
    """The definitions for ASCII text, written with regular expressions instead of bit sets."""
    return Features(
        words=len(re.findall(r"[A-Za-z]+", text)),
        long_letters=sum(max(0, len(word) - 6) for word in re.findall(r"[A-Za-z]+", text)),
        upper=len(re.findall(r"[A-Z]", text)),
        digits=len(re.findall(r"[0-9]", text)),
        digit_runs=len(re.findall(r"[0-9]+", text)),
        punctuation=len(re.findall(PUNCTUATION, text)),
        punctuation_runs=len(re.findall(PUNCTUATION + "+", text)),
        repeats=sum(len(run[0]) - 4 for run in re.finditer(f"({PUNCTUATION})\\1{{4,}}", text)),
        gaps=len(re.findall(r"[ \t]{2,}", text)),
        newline_runs=len(re.findall(r"\n+", text)),
        cjk=0,
    )


@settings(deadline=None)
@given(
    st.text(alphabet="aaabcZY019 \t\n.,_()", max_size=200)
    | st.text(alphabet="==-a ", max_size=200)
    | st.text(alphabet=st.characters(max_codepoint=127))
)
def test_the_bit_sets_count_what_the_definitions_say(text: str) -> None:
    assert measure(text) == plainly_measured(text)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("", {}),
        ("中文", {"cjk": 2}),
        ("ひらがな 한국", {"cjk": 6}),
        ("naïve", {"words": 1}),
        ("Привет", {"words": 1}),
        ("→ ✓", {"punctuation": 2, "punctuation_runs": 2}),
        ("🙂", {"punctuation": 1, "punctuation_runs": 1}),
    ],
)
def test_characters_beyond_ascii_have_a_class(text: str, changes: dict[str, int]) -> None:
    nothing = dict.fromkeys(Features.__struct_fields__, 0)
    assert msgspec.structs.asdict(measure(text)) == nothing | changes


@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=100))
def test_any_text_has_a_size_even_with_lone_surrogates(text: str) -> None:
    assert estimate_text(text) >= 0
    assert estimate_text(text + "\ud800") >= 0


@pytest.mark.parametrize(
    ("text", "v48", "v3"),
    [
        ("def compute_tiers(windows, *, auto, pct=None):\n    return threshold(windows, pct)\n", 34, 27),
        ("The quick brown fox jumps over the lazy dog, and nobody was surprised by it at all.", 31, 20),
        ("上下文管理、压缩与检查点：控制消息历史长度。", 23, 24),
        ('{"command": "ls -la", "timeout": 120000, "cwd": "src/app"}', 30, 24),
    ],
)
def test_it_comes_near_what_a_real_tokenizer_counts(text: str, v48: int, v3: int) -> None:
    assert estimate_text(text, "v4.8") == pytest.approx(v48, rel=0.25)
    assert estimate_text(text, "v3") == pytest.approx(v3, rel=0.25)


def test_the_newer_tokenizer_takes_more() -> None:
    prose = "Everything that the person sees comes from one engine.\n" * 50
    assert estimate_text(prose, "v4.8") > 1.1 * estimate_text(prose, "v3")


def test_an_unknown_generation_is_an_error() -> None:
    with pytest.raises(KeyError):
        estimate_text("x", "v9")


def test_more_text_is_never_fewer_tokens() -> None:
    for weights in PRIORS.values():
        named = msgspec.structs.asdict(weights)
        assert named["repeats"] + named["punctuation"] > 0  # what a ruler's sign costs after all
        assert all(weight >= 0 for name, weight in named.items() if name != "repeats")


@pytest.mark.parametrize("sign", ["=", "-", "*", "_", "."])
def test_a_ruler_is_a_few_tokens_however_long(sign: str) -> None:
    assert estimate_text(f"\n{sign * 80}\n") <= 10
    assert estimate_text(f"\n{sign * 4}\n") <= estimate_text(f"\n{sign * 80}\n")


def test_different_signs_in_a_row_are_no_ruler() -> None:
    assert measure("🙂🙃😉😊😇😀").repeats == 0
    assert measure("(){}[]<>").repeats == 0
