"""/cost: tokens and money by model, what the cache answered, what compactions cost and saved."""

import pytest

from agent.protocol.events import AssistantDone, CompactFinished, PromptFinished
from agent.protocol.messages import Message, Usage
from agent.protocol.results import Receipt, RunResult, Spent, Subtype
from agent.session.cost_report import cost_report
from agent.session.totals import Totals

OPUS, LOCAL = "claude-opus-5-5", "qwen3-coder"


def ran(**by_model: Spent) -> PromptFinished:
    return PromptFinished(RunResult(subtype=Subtype.SUCCESS, num_turns=2, by_model=by_model))


def answered(model: str = OPUS) -> AssistantDone:
    return AssistantDone(
        uuid="u", message=Message("assistant", ()), message_id="m", model=model, stop_reason="end_turn", usage=Usage()
    )


def compacted(before: int, after: int) -> CompactFinished:
    return CompactFinished(
        Receipt(trigger="auto", boundary="b", pre_tokens=before, post_tokens=after, summary="", cost=0.05)
    )


def test_models_stand_apart_and_are_added_up() -> None:
    totals = Totals(0.0)
    totals.see(ran(**{OPUS: Spent(2, Usage(input=100, output=50, cache_read=900), 0.5)}))
    totals.see(
        ran(**{OPUS: Spent(1, Usage(cache_read=1_000), 0.25), "claude-haiku-5-5": Spent(1, Usage(input=10), 0.01)})
    )
    text = cost_report(totals)
    assert text.startswith("Total cost: $0.76 · 4 turns")
    assert (
        "- `claude-opus-5-5`: $0.75 · 3 requests · 100 input · 50 output · 1,900 cache read · 0 cache write (95% of"
        in text
    )
    assert "- `claude-haiku-5-5`: $0.01 · 1 request · 10 input" in text
    assert "- all: $0.76 · 4 requests" in text


def test_an_unknown_price_is_said_and_never_counted_as_nothing() -> None:
    totals = Totals(0.0)
    totals.see(ran(**{LOCAL: Spent(1, Usage(input=10), None)}))
    assert cost_report(totals).startswith("Total cost: ? (price unknown)")
    totals.see(ran(**{OPUS: Spent(1, Usage(input=10), 0.5)}))
    assert cost_report(totals).startswith("Total cost: $0.50 + ? (a price is unknown)")


def test_every_request_after_a_compaction_is_shorter_by_what_it_took_out() -> None:
    totals = Totals(0.0)
    totals.see(answered())
    totals.see(compacted(100_000, 20_000))
    for _ in range(3):
        totals.see(answered())
    totals.see(compacted(90_000, 30_000))
    totals.see(answered())
    assert (totals.saving.shorter, totals.saving.tokens) == (140_000, 3 * 80_000 + 140_000)
    assert totals.saving.dollars == pytest.approx(380_000 * 0.20 / 1e6)
    assert "Compactions: 2 · cost $0.10 (counted above) · ~140,000 tokens less in each request now" in cost_report(
        totals
    )


def test_what_is_saved_with_an_unknown_price_is_unknown() -> None:
    totals = Totals(0.0)
    totals.see(compacted(100_000, 20_000))
    totals.see(answered(LOCAL))
    assert totals.saving.tokens == 80_000
    assert totals.saving.dollars is None
