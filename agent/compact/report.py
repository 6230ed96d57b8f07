"""What is said of a compaction before and after it, in the words of the screen; Markdown where there is more than a line."""

from agent.compact.forecast import Forecast
from agent.compact.rebuild import Rebuilt
from agent.compact.room import OUR_WORDS
from agent.compact.summarize import Summary
from agent.compact.tail_forecast import ANSWERS, Reach
from agent.protocol.markdown import table
from agent.protocol.results import Receipt
from agent.protocol.text import counted

NOTHING_IS_LOST = "Estimates carry a ~. Whatever goes out of sight can still be searched and read, and `/compact undo` takes it all back."


def receipt_line(receipt: Receipt) -> str:
    """`Conversation compacted · A → B tokens (manual|auto) · rules n/n · files n/n · k repaired · $x · /compact undo`."""
    parts = [
        "Conversation compacted",
        f"{receipt.pre_tokens:,} → {receipt.post_tokens:,} tokens ({receipt.trigger})",
    ]
    if receipt.rules is not None and receipt.files is not None:
        parts.append(f"rules {receipt.rules.kept}/{receipt.rules.total}")
        parts.append(f"files {receipt.files.kept}/{receipt.files.total}")
        parts.append(f"{receipt.repaired} repaired")
    if receipt.extractive:
        parts.append("extracted without a model")
    if receipt.cost is not None:
        parts.append(dollars(receipt.cost))
    return " · ".join([*parts, "/compact undo"])


def forecast_brief(forecast: Forecast) -> str:
    """`~A → ~B tokens · ~$x · ~n s`: what a list has room for."""
    parts = [f"~{forecast.before:,} → ~{forecast.after:,} tokens"]
    if forecast.cost is not None:
        parts.append(f"~{dollars(forecast.cost)}")
    return " · ".join([*parts, f"~{forecast.seconds} s"])


def forecast_line(forecast: Forecast) -> str:
    """The same, `· then ~$y to write the cache anew` (a part's kept beginning is still in the cache)."""
    written = f"then ~{forecast.after - forecast.survives:,} tokens to the cache"
    if forecast.next_cost is not None:
        written += f" (~{dollars(forecast.next_cost)})"
    return f"{forecast_brief(forecast)} · {written}"


def forecast_report(forecast: Forecast) -> str:
    """The forecast as Markdown: a line, a table of what would stand where, the files, and what becomes of the cache."""
    where = " before the summary" if forecast.kept_first else ""
    rows = [
        (f"kept word for word{where}: {counted(forecast.kept.messages, 'message')}", forecast.kept.tokens),
        (
            f"summary of {counted(forecast.summarised.messages, 'message')} ({forecast.summarised.tokens:,} tokens)",
            forecast.summary,
        ),
        ("what is said around it", OUR_WORDS),
        ("your own words", forecast.words),
        ("names in use", forecast.names),
        ("instructions, environment and pins, as they are now", forecast.context),
        *((f"file {path}", tokens) for path, tokens in forecast.files),
        ("system prompt and tools", forecast.overhead),
    ]
    sizes = table(("After it", "Tokens"), ((name, f"~{tokens:,}") for name, tokens in rows if tokens), numbers=[1])
    parts = [forecast_line(forecast), _gain(forecast), sizes, _cache(forecast), NOTHING_IS_LOST]
    return "\n\n".join(part for part in parts if part)


def reach_line(reach: Reach | None) -> str:
    """How well a compaction before the latest answers would have served them; empty when nothing can be told."""
    if reach is None:
        return ""
    return f"Of {reach.used} earlier names that the last {ANSWERS} answers used again, {reach.standing} would have stood after it."


def summary_report(summary: Summary, rebuilt: Rebuilt, spent: float | None) -> str:
    """What the check of the summary came to, on one line, and the dollars `spent` so far (None when a price is unknown)."""
    checked = rebuilt.checked
    parts = [
        f"rules {checked.rules.kept}/{checked.rules.total}",
        f"files {checked.files.kept}/{checked.files.total}",
        f"{checked.repaired} repaired",
        f"{counted(len(rebuilt.files), 'file')} given back",
    ]
    if summary.extractive:
        parts.append("extracted without a model")
    if spent is not None:
        parts.append(f"{dollars(spent)} spent")
    return " · ".join(parts)


def dollars(amount: float) -> str:
    """An amount as the screen says it: cents, and below a cent four digits."""
    return f"${amount:.4f}" if amount < 0.01 else f"${amount:.2f}"


def _gain(forecast: Forecast) -> str:
    """A warning where there is nothing to gain, as far as that can be told beforehand."""
    if forecast.after < forecast.before:
        return ""
    return "**Nothing would be gained:** what would stand after it is no smaller than what stands now."


def _cache(forecast: Forecast) -> str:
    if not forecast.cached:
        return "The cache is cold: the summary's request is charged in full, and the next turn writes everything anew."
    what = "system prompt, tools and the kept beginning" if forecast.kept_first else "system prompt and tools"
    return (
        f"Of the cached conversation {what} stay valid (~{forecast.survives:,} tokens); the next turn writes the rest."
    )
