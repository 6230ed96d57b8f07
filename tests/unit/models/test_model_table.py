"""The built-in table: sizes, prices, the cliff, names."""

import subprocess
import sys

import pytest

from agent.models.aliases import DEFAULT_MODEL, declared_window, display_name, resolve_alias
from agent.models.prices import cost
from agent.models.table import lookup
from agent.protocol.messages import Usage
from agent.rehearsal.models import table as rehearsal_table

MILLION = Usage(input=1_000_000)


@pytest.mark.parametrize(
    ("model", "window", "output", "prices"),
    [
        ("claude-fable-5-1", 1_000_000, 128_000, (10, 50, 12.5, 20, 0.25)),
        ("claude-fable-5", 1_000_000, 128_000, (10, 50, 12.5, 20, 1.0)),
        ("claude-opus-5-5", 1_000_000, 128_000, (4, 20, 5, 8, 0.20)),
        ("claude-opus-5", 1_000_000, 128_000, (5, 25, 6.25, 10, 0.50)),
        ("claude-opus-4-8", 1_000_000, 128_000, (5, 25, 6.25, 10, 0.50)),
        ("claude-opus-4-7", 1_000_000, 128_000, (5, 25, 6.25, 10, 0.50)),
        ("claude-opus-4-6", 1_000_000, 128_000, (5, 25, 6.25, 10, 0.50)),
        ("claude-opus-4-5-20251101", 200_000, 64_000, (5, 25, 6.25, 10, 0.50)),
        ("claude-opus-4-1", 200_000, 32_000, (15, 75, 18.75, 30, 1.50)),
        ("claude-sonnet-4-6", 1_000_000, 128_000, (3, 15, 3.75, 6, 0.30)),
        ("claude-sonnet-5-5", 1_000_000, 128_000, (2, 10, 2.5, 4, 0.10)),
        ("claude-sonnet-5", 1_000_000, 128_000, (2, 10, 2.5, 4, 0.20)),
        ("claude-haiku-5-5", 1_000_000, 128_000, (0.10, 0.50, 0.125, 0.20, 0.01)),
        ("claude-haiku-4-5", 200_000, 64_000, (1, 5, 1.25, 2, 0.10)),
        ("claude-sonnet-4-5", 200_000, 64_000, (3, 15, 3.75, 6, 0.30)),
    ],
)
def test_a_row_has_the_published_sizes_and_prices(
    model: str, window: int, output: int, prices: tuple[float, ...]
) -> None:
    info = lookup(model)
    assert (info.window, info.max_output, info.known) == (window, output, True)
    price = info.price
    assert price is not None
    assert (price.input, price.output, price.write_5m, price.write_1h, price.read) == pytest.approx(prices)


def test_cost_adds_the_four_kinds_of_tokens() -> None:
    usage = Usage(input=1_000_000, output=1_000_000, cache_read=1_000_000, cache_creation=1_000_000)
    assert cost("claude-opus-5-5", usage) == pytest.approx(4 + 20 + 0.20 + 5)
    assert cost("claude-opus-5-5", usage, ttl="1h") == pytest.approx(4 + 20 + 0.20 + 8)


def test_models_that_are_gone_still_have_their_price() -> None:
    assert cost("claude-sonnet-4-20250514", MILLION) == cost("claude-3-7-sonnet-20250219", MILLION) == pytest.approx(3)
    assert cost("claude-opus-4-20250514", Usage(output=1_000_000)) == pytest.approx(75)
    assert cost("claude-2.1", MILLION) is None


@pytest.mark.parametrize(
    ("usage", "dollars"),
    [
        (Usage(input=100_000, output=1_000), (100_000 * 0.10 + 1_000 * 0.50) / 1e6),
        (Usage(input=100_001, output=1_000), (100_001 * 0.50 + 1_000 * 2.50) / 1e6),
        (Usage(input=1, cache_read=60_000, cache_creation=40_000), (0.50 + 60_000 * 0.05 + 40_000 * 0.625) / 1e6),
        (Usage(input=1, output=200_000), (0.10 + 200_000 * 0.50) / 1e6),
    ],
)
def test_haiku_costs_five_times_as_much_beyond_its_cliff(usage: Usage, dollars: float) -> None:
    assert cost("claude-haiku-5-5", usage) == pytest.approx(dollars)


@pytest.mark.parametrize("model", ["claude-fable-5-2", "claude-mythos-5-1", "llama-4-70b", ""])
def test_an_unknown_price_is_none_and_never_free(model: str) -> None:
    assert cost(model, MILLION) is None


def test_an_unknown_model_is_guessed_with_caution_and_marked() -> None:
    info = lookup("qwen3-coder")
    assert (info.known, info.window, info.max_output, info.thinking, info.effort) == (
        False,
        200_000,
        32_000,
        "none",
        False,
    )


@pytest.mark.parametrize(
    ("typed", "id"),
    [
        ("opus", "claude-opus-5-5"),
        ("Sonnet", DEFAULT_MODEL),
        (" haiku ", "claude-haiku-5-5"),
        ("fable", "claude-fable-5-1"),
        ("opus[1m]", "claude-opus-5-5"),
        ("claude-x[1M]", "claude-x"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
        ("my-model", "my-model"),
    ],
)
def test_a_typed_name_becomes_the_id_to_send(typed: str, id: str) -> None:
    assert resolve_alias(typed) == id


@pytest.mark.parametrize(
    ("typed", "window"),
    [("claude-x[1m]", 1_000_000), ("claude-x[1M]", 1_000_000), ("claude-x", None), ("[1m]x", None)],
)
def test_the_suffix_declares_a_window(typed: str, window: int | None) -> None:
    assert declared_window(typed) == window


@pytest.mark.parametrize(
    "spelling",
    [
        "claude-haiku-4-5",
        "claude-haiku-4-5-20251001",
        "claude-haiku-4-5@20251001",
        "anthropic.claude-haiku-4-5-20251001-v1:0",
        "us.anthropic.claude-haiku-4-5-v1:0",
        "anthropic/claude-haiku-4-5",
    ],
)
def test_platform_spellings_find_their_row_and_keep_their_id(spelling: str) -> None:
    info = lookup(spelling)
    assert info.known
    assert info.window == 200_000
    assert info.id == spelling


def test_a_model_that_only_looks_alike_is_not_known() -> None:
    assert not lookup("claude-haiku-4-5-turbo").known
    assert not lookup("my.claude-haiku-4-5").known


@pytest.mark.parametrize(
    ("model", "bound", "thinking", "effort", "tokenizer", "min_cache"),
    [
        ("claude-opus-5-5", True, "adaptive", True, "v4.8", 512),
        ("claude-sonnet-5", False, "adaptive", True, "v4.8", 1_024),
        ("claude-opus-4-7", False, "adaptive", True, "v4.8", 2_048),
        ("claude-opus-4-6", False, "adaptive", True, "v3", 4_096),
        ("claude-haiku-4-5", False, "budget", False, "v3", 4_096),
        ("claude-opus-4-5", False, "budget", True, "v3", 4_096),
        ("claude-sonnet-4-6", False, "adaptive", True, "v3", 1_024),
        ("claude-fable-5", False, "adaptive", True, "v4.8", 512),
        ("claude-fable-5-1", True, "adaptive", True, "v4.8", 512),
        ("claude-mythos-5", False, "adaptive", True, "v4.8", 512),
        ("claude-mythos-5-1", True, "adaptive", True, "v4.8", 512),
        ("claude-mythos-preview", False, "adaptive", True, "v4.8", 2_048),
    ],
)
def test_capabilities(model: str, bound: bool, thinking: str, effort: bool, tokenizer: str, min_cache: int) -> None:
    info = lookup(model)
    assert (info.bound_thinking, info.thinking, info.effort, info.tokenizer, info.min_cache) == (
        bound,
        thinking,
        effort,
        tokenizer,
        min_cache,
    )


def test_the_table_is_cheap_to_import() -> None:
    code = "import sys, agent.models.table; print(sorted({m.split('.')[0] for m in sys.modules} & {'anthropic', 'tiktoken'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_rehearsal_server_and_the_table_agree() -> None:
    for id, spec in rehearsal_table().items():
        info = lookup(id)
        assert (info.known, info.window, info.max_output) == (True, spec.window, spec.max_output), id
        assert (info.bound_thinking, info.min_cache, info.effort) == (spec.bound, spec.min_cache, bool(spec.efforts)), (
            id
        )
        assert info.price is not None or spec.id == "claude-fable-5-2"
        if info.price is not None:
            assert (info.price.input, info.price.output, info.price.read) == pytest.approx(
                (spec.price.input, spec.price.output, spec.price.read)
            ), id


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("claude-sonnet-5-5", "Sonnet 5.5"),
        ("claude-opus-4-5-20251101", "Opus 4.5"),
        ("claude-opus-5", "Opus 5"),
        ("claude-mythos-preview", "claude-mythos-preview"),
        ("qwen3-coder", "qwen3-coder"),
    ],
)
def test_what_a_person_calls_it(id: str, name: str) -> None:
    assert display_name(id) == name
