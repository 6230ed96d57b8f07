"""Design note 001, token estimate: characters / 4, times 4/3, "rather too high than too low"; where that fails."""

import math

import pytest

from agent.tokens.features import estimate_text
from agent.tokens.padded import padded_estimate


@pytest.mark.parametrize(
    ("chars", "tokens"), [(0, 0), (1, 1), (3, 1), (4, 2), (12, 4), (1_000, 334), (1_000_000, 333_334)]
)
def test_the_note_s_arithmetic(chars: int, tokens: int) -> None:
    assert padded_estimate(chars) == tokens == math.ceil(chars / 4 * (4 / 3))


# Texts and what a reconstruction of the newer tokenizer counts for them.
CHINESE = "上下文管理、压缩与检查点：控制消息历史长度。" * 100
CHINESE_TRUE = 2_306
LISTING = "-rw-r--r-- 1 root root 35061 Nov 30 13:14 api_and_context.md\n" * 100
LISTING_TRUE = 3_605
CODE = (
    "    def _blocking(windows, threshold, override):\n        return compute(windows) if override is None else override\n"
    * 50
)
CODE_TRUE = 1_605


def test_on_words_and_code_the_padding_keeps_its_promise() -> None:
    assert padded_estimate(len(CODE)) > CODE_TRUE


@pytest.mark.parametrize(("text", "true_tokens", "share"), [(CHINESE, CHINESE_TRUE, 0.6), (LISTING, LISTING_TRUE, 0.4)])
def test_on_dense_text_it_undercounts_by_half(text: str, true_tokens: int, share: float) -> None:
    assert padded_estimate(len(text)) < (1 - share) * true_tokens


@pytest.mark.parametrize(("text", "true_tokens"), [(CHINESE, CHINESE_TRUE), (LISTING, LISTING_TRUE), (CODE, CODE_TRUE)])
def test_the_feature_counter_never_falls_that_low_and_is_nearer(text: str, true_tokens: int) -> None:
    assert estimate_text(text) > 0.95 * true_tokens
    assert abs(estimate_text(text) - true_tokens) < abs(padded_estimate(len(text)) - true_tokens)
