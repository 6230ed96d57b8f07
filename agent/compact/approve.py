"""The person's part in a compaction: the forecast before the summary is made, the summary before it is installed."""

import msgspec
from msgspec import Struct

from agent.compact.attempt import Attempt
from agent.compact.deps import CompactDeps
from agent.compact.forecast import Forecast, Forecaster
from agent.compact.in_use import in_use
from agent.compact.rebuild import Draft, draft
from agent.compact.report import forecast_report, reach_line, summary_report
from agent.compact.summarize import Summary, summarize
from agent.compact.tail_forecast import reach
from agent.protocol.asks import Preview
from agent.protocol.errors import ModelError, SummaryRejected
from agent.tokens.features import estimate_text


class Proposal(Struct, frozen=True):
    """A summary, and what the conversation would be with it."""

    summary: Summary
    drafted: Draft


async def foreseen(deps: CompactDeps, attempt: Attempt) -> tuple[Forecast, str]:
    """What `attempt` would come to, and the same as Markdown."""
    counter, view = deps.conversation.meter.counter, deps.conversation.view()
    names = await in_use(deps, (), attempt.split.kept, 0 if attempt.small else attempt.room.names)
    forecast = Forecaster(deps, await deps.context()).forecast(attempt.split, counter.messages(names))
    served = reach_line(reach(view, attempt.split, attempt.room.names, counter.message))
    return forecast, "\n\n".join(part for part in (forecast_report(forecast), served) if part)


async def agreed_instructions(deps: CompactDeps, attempt: Attempt, instructions: str) -> str:
    """The instructions, as the person leaves them, for a summary that they want made; raises CompactDeclined."""
    review = attempt.review
    if review is None:
        return instructions
    forecast, report = await foreseen(deps, attempt)
    answer = await review.ask(
        Preview(
            summary="",
            tokens_before=forecast.before,
            tokens_after=forecast.after,
            report=report,
            instructions=instructions,
            automatic=review.automatic,
        )
    )
    if review.automatic and review.over:
        deps.conversation.ask_no_more = True
    return instructions if answer.edited is None else answer.edited


async def agreed_summary(deps: CompactDeps, attempt: Attempt) -> Proposal:
    """A summary that the person lets pass, perhaps in their own words; nothing is asked when nobody wants to see it.

    Each further instruction makes another one, if one can be had; an edit that cannot be installed is given back with the reason. Raises
    CompactDeclined.
    """
    summary = await summarize(deps, attempt)
    drafted = await draft(deps, attempt, summary.text)
    note = ""
    while attempt.review is not None and not attempt.review.over:
        answer = await attempt.review.ask(_preview(deps, attempt, Proposal(summary, drafted), note))
        if not answer.allowed:
            attempt = msgspec.structs.replace(attempt, instructions=(*attempt.instructions, answer.edited or ""))
            try:
                summary = await summarize(deps, attempt)
            except (ModelError, SummaryRejected) as error:  # the one that is there is still good
                note = f"**No other summary could be had: {error.what}**"
                continue
        else:
            text = summary.text if answer.edited is None else answer.edited
            if text.strip() == summary.text.strip() and not note:
                break
            summary = msgspec.structs.replace(summary, text=text.strip())
        note = _too_much(deps, attempt, summary.text)
        if note:
            continue
        try:
            drafted = await draft(deps, attempt, summary.text)
        except SummaryRejected as error:
            note = f"**{error.what}**"
            continue
        if answer.allowed:
            break
    return Proposal(summary, drafted)


def _preview(deps: CompactDeps, attempt: Attempt, proposal: Proposal, note: str) -> Preview:
    spent = attempt.bill.spent(deps.frame.model).cost
    rebuilt = proposal.drafted.fitting(deps, attempt.room.ceiling) or proposal.drafted.built(deps, 0)
    return Preview(
        summary=proposal.summary.text,
        tokens_before=attempt.before,
        tokens_after=attempt.told(rebuilt.tokens),
        report="\n\n".join(part for part in (note, summary_report(proposal.summary, rebuilt, spent)) if part),
        automatic=attempt.review is not None and attempt.review.automatic,
    )


def _too_much(deps: CompactDeps, attempt: Attempt, text: str) -> str:
    """Why an edited summary cannot be installed; empty when it can."""
    size = estimate_text(text, deps.frame.tokenizer)
    if not text:
        return "**The summary is empty.**"
    if size > (room := deps.plain(attempt.room.for_summary)):
        return f"**Your summary has ~{size:,} tokens; there is room for {room:,}.**"
    return ""
