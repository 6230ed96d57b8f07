"""The report on every transcript that was found, as rows for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from agent.protocol.text import counted
from agent.session.audit.audit import Audit
from agent.session.audit.compactions import Loss
from agent.session.audit.spending import Spent
from tui.commands.context_one import sentence_row
from tui.commands.report_rows import (
    THEME,
    bill_rows,
    day,
    fit,
    heading,
    joined,
    median,
    money,
    padded,
    plain,
    share,
    source_table,
)
from tui.render.lines import BLANK, Line

MOST_SESSIONS = 10
WORST = 5
GONE_EACH = 3
ID = 8  # characters of a session's id
NAME = 28  # cells


def all_report(audits: Sequence[Audit], width: int) -> Iterator[Line]:
    """Sums, the costliest sessions, and the compactions that lost most.

    What a copy of a session brings along counts once; files of subagents (Claude Code's old ones stand beside sessions) only have a price.
    """
    compactions = list({loss.uuid: (audit, loss) for audit in reversed(audits) for loss in audit.compactions}.values())
    bill = sum((audit.bill for audit in audits), Spent())
    audits = [audit for audit in audits if audit.ever.messages]
    yield from _head(audits, [audit for audit, _loss in compactions], bill)
    yield from heading(f"Price {money(bill)}", counted(bill.requests, "request"))
    yield from bill_rows(bill)
    ever = sum((Counter(audit.ever.tokens) for audit in audits), Counter[str]())
    yield from heading("Where the tokens went", f"estimated; {ever.total():,} tokens")
    yield from source_table(ever)
    yield from _compactions([loss for _audit, loss in compactions])
    yield from _worst(compactions, width)
    yield from _costliest(audits, width)
    yield BLANK
    yield plain("ccagent context ID shows one session; --json has every figure.", THEME.dim)


def _head(audits: Sequence[Audit], compacted: Sequence[Audit], bill: Spent) -> Iterator[Line]:
    moments = [moment for audit in audits for moment in (audit.first, audit.last) if moment]
    span = f"{day(min(moments))} to {day(max(moments))}" if moments else ""
    inside = len({audit.path for audit in compacted})
    yield plain(joined([counted(len(audits), "session"), span, money(bill)]), THEME.strong)
    prompts = counted(sum(audit.prompts for audit in audits), "prompt")
    yield plain(
        joined([prompts, f"{counted(len(compacted), 'compaction')} in {counted(inside, 'session')}"]), THEME.dim
    )


def _compactions(all_: Sequence[Loss]) -> Iterator[Line]:
    if not all_:
        yield from heading("Compactions", "none yet")
        return
    said, gone = sum(loss.said for loss in all_), sum(len(loss.gone) for loss in all_)
    binding = sum(one.weight != "words" for loss in all_ for one in loss.gone)
    before, after = (
        median([loss.pre_tokens for loss in all_]),
        median([loss.post_tokens or loss.summary for loss in all_]),
    )
    by_itself = sum(loss.trigger == "auto" for loss in all_)
    yield from heading(
        "Compactions", f"{len(all_)}, {by_itself} of them automatic; median {before:,} → {after:,} tokens"
    )
    yield plain(f"  {padded('what you had said', NAME)}{said:>12,}  sentences stood before a compaction")
    yield plain(f"  {padded('gone after it', NAME)}{gone:>12,}  {share(gone, said)}", THEME.bad if gone else THEME.good)
    yield plain(f"  {padded('of these rules, corrections', NAME)}{binding:>12,}", THEME.warn if binding else THEME.text)
    files, tokens = sum(len(loss.reread) for loss in all_), sum(loss.reread_tokens for loss in all_)
    yield plain(f"  {padded('read again afterwards', NAME)}{files:>12,}  files, about {tokens:,} tokens")


def _worst(compactions: Sequence[tuple[Audit, Loss]], width: int) -> Iterator[Line]:
    """The compactions that lost most of what binds, then most of all."""
    losing = [(audit, loss) for audit, loss in compactions if loss.gone]
    losing.sort(key=lambda pair: (-sum(one.weight != "words" for one in pair[1].gone), -len(pair[1].gone)))
    if not losing:
        return
    yield from heading("What was lost most")
    for audit, loss in losing[:WORST]:
        lost = f"{len(loss.gone)} of {loss.said} gone"
        title = fit(audit.title, max(20, width - 60))
        yield plain(f"  {fit(audit.session, ID + 1):<{ID}}  {day(loss.timestamp)}  {lost:<18}  {title}")
        for one in loss.gone[:GONE_EACH]:
            yield sentence_row(one, width)


def _costliest(audits: Sequence[Audit], width: int) -> Iterator[Line]:
    ranked = sorted(audits, key=lambda audit: (-(audit.bill.dollars or 0.0), -audit.ever.total))[:MOST_SESSIONS]
    yield from heading("The largest sessions")
    for audit in ranked:
        figures = f"{money(audit.bill):>14}  {audit.ever.total:>11,} tokens  {len(audit.compactions):>3} compactions"
        yield plain(
            f"  {audit.session[:ID]:<{ID}}  {day(audit.last):<16}  {figures}  {fit(audit.title, max(20, width - 78))}"
        )
