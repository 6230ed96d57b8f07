"""The words of /cost: tokens and money by model, how much the cache answered, and what compactions cost and saved."""

from agent.compact.report import dollars
from agent.protocol.markdown import code
from agent.protocol.results import Spent
from agent.protocol.text import counted
from agent.session.totals import Totals

UNPAID = "The rehearsal takes no money: its $ are what the model would have taken."


def cost_report(totals: Totals) -> str:
    """Markdown; an unknown price is "?", never nothing, and what was not paid is not shown as if it were."""
    paid = sum(totals.by_model.values(), Spent())
    lines = [
        f"Total cost: {_money(paid.cost, totals.cost)} · {counted(totals.turns, 'turn')} · {_time(totals)}",
        *(["", UNPAID] if totals.rehearsed else []),
        "",
        *(f"- {code(model)}: {_spent(spent)}" for model, spent in totals.by_model.items()),
        *(f"- {code(model)} (rehearsal, not paid): {_spent(spent)}" for model, spent in totals.rehearsed.items()),
    ]
    if len(totals.by_model) + len(totals.rehearsed) > 1:
        lines.append(f"- all: {_spent(totals.whole)}")
    return "\n".join([*lines, "", _compactions(totals)])


def _time(totals: Totals) -> str:
    since = " since it was opened" if totals.earlier else ""
    return f"API time {totals.api_ms / 1000:.1f} s{since}"


def _spent(spent: Spent) -> str:
    usage = spent.usage
    share = 100 * usage.cache_read / usage.prompt if usage.prompt else 0.0
    return (
        f"{_money(spent.cost)} · {counted(spent.requests, 'request')} · {usage.input:,} input · "
        f"{usage.output:,} output · {usage.cache_read:,} cache read · {usage.cache_creation:,} cache write "
        f"({share:.0f}% of the prompts read from the cache)"
    )


def _compactions(totals: Totals) -> str:
    if not totals.compactions:
        return "Compactions: 0"
    saving = totals.saving
    return (
        f"Compactions: {totals.compactions} · cost {_money(totals.compacting.cost)} (counted above) · "
        f"~{saving.shorter:,} tokens less in each request now, ~{saving.tokens:,} in all so far "
        f"(~{_money(saving.dollars)} at the price of a cache read)"
    )


def _money(amount: float | None, at_least: float = 0.0) -> str:
    if amount is not None:
        return dollars(amount)
    return f"{dollars(at_least)} + ? (a price is unknown)" if at_least else "? (price unknown)"
