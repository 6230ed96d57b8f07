"""The words of /cost: tokens and money by model, how much the cache answered, and what compactions cost and saved."""

from agent.compact.report import dollars
from agent.protocol.markdown import code
from agent.protocol.results import Spent
from agent.protocol.text import counted
from agent.session.totals import Totals


def cost_report(totals: Totals) -> str:
    """Markdown; an unknown price is "?", never nothing."""
    whole = totals.whole
    lines = [
        f"Total cost: {_money(whole.cost, totals.cost)} · {counted(totals.turns, 'turn')} · API time {totals.api_ms / 1000:.1f} s",
        "",
        *(f"- {code(model)}: {_spent(spent)}" for model, spent in totals.by_model.items()),
    ]
    if len(totals.by_model) > 1:
        lines.append(f"- all: {_spent(whole)}")
    return "\n".join([*lines, "", _compactions(totals)])


def _spent(spent: Spent) -> str:
    usage = spent.usage
    share = 100 * usage.cache_read / usage.prompt if usage.prompt else 0.0
    return (
        f"{_money(spent.cost)} · {spent.requests} request{'s' if spent.requests != 1 else ''} · {usage.input:,} input · "
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
