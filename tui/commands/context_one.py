"""The report on one transcript, as rows for a terminal."""

from collections.abc import Iterator

from agent.compact.report import dollars
from agent.protocol.text import counted
from agent.session.audit.audit import Audit
from agent.session.audit.compactions import Loss
from agent.session.audit.said import Sentence
from tui.commands.report_rows import (
    NAME,
    THEME,
    bill_rows,
    day,
    fit,
    heading,
    joined,
    money,
    padded,
    plain,
    share,
    source_table,
)
from tui.render.lines import BLANK, Line, line

MOST_GONE = 8  # sentences shown of each compaction
MOST_FILES = 5
MARKS = {"correction": "corrected", "rule": "rule", "words": "said"}


def one_report(audit: Audit, width: int) -> Iterator[Line]:
    """All there is to say, in rows of at most about `width` cells."""
    yield from _head(audit, width)
    yield from _cost(audit)
    yield from _sources(audit)
    yield from _compactions(audit, width)


def _head(audit: Audit, width: int) -> Iterator[Line]:
    yield plain(fit(audit.title or "(no prompt)", width), THEME.strong)
    yield plain(joined([fit(audit.session, 60), fit(audit.cwd, 80)]), THEME.dim)
    span = f"{day(audit.first)} to {day(audit.last)}" if audit.first else ""
    yield plain(joined([span, fit(", ".join(audit.bill.models), 80)]), THEME.dim)
    undone = f"{audit.undone} more undone or on other branches" if audit.undone > 0 else ""
    figures = (
        counted(audit.prompts, "prompt"),
        counted(audit.answers, "answer"),
        counted(len(audit.compactions), "compaction"),
        undone,
    )
    yield plain(joined(figures))


def _cost(audit: Audit) -> Iterator[Line]:
    bill = audit.bill
    if not bill.requests:
        yield from heading("Price", "the transcript names no usage")
        return
    beside = f"of it {money(audit.subagents)} by subagents" if audit.subagents.requests else ""
    yield from heading(f"Price {money(bill)}", joined([counted(bill.requests, "request"), beside]))
    yield from bill_rows(bill)
    known = any(loss.cost is not None for loss in audit.compactions)
    if bill.summaries:
        yield plain(f"  {padded('of it, for summaries', NAME)}{dollars(bill.summaries):>15}")
    elif audit.compactions and not known and not audit.subagents.requests:
        yield plain("  what it cost to write the summaries is not on record", THEME.dim)


def _sources(audit: Audit) -> Iterator[Line]:
    note = "The API has not counted yet what the model sees now."
    if audit.reported is not None:
        note = f"The API reported last: {audit.reported:,} tokens with system prompt and tools."
    if audit.compactions:
        sizes = f"estimated; {audit.ever.total:,} tokens, of which the model sees {audit.now.total:,} (right column)"
        yield from heading("Where the tokens went", sizes)
        yield from source_table(
            audit.ever.tokens | {k: 0 for k in audit.now.tokens if k not in audit.ever.tokens}, audit.now.tokens
        )
    else:
        yield from heading("Where the tokens went", f"estimated; {audit.ever.total:,} tokens, all before the model")
        yield from source_table(audit.ever.tokens)
    yield plain(f"  {note}", THEME.dim)


def _compactions(audit: Audit, width: int) -> Iterator[Line]:
    if not audit.compactions:
        return
    yield from heading("Compactions", "what you said that each lost, and what was read again after it")
    for number, loss in enumerate(audit.compactions, start=1):
        yield BLANK
        yield from compaction_rows(number, loss, width)


def compaction_rows(number: int, loss: Loss, width: int) -> Iterator[Line]:
    """One compaction: its size, what of the person's words is gone, and what was read again."""
    after = f"{loss.post_tokens or loss.summary:,}{'' if loss.post_tokens else ' (summary)'}"
    price = dollars(loss.cost) if loss.cost is not None else ""
    seconds = f"{loss.duration_ms / 1000:.{0 if loss.duration_ms >= 10_000 else 1}f} s" if loss.duration_ms else ""
    figures = joined(
        [loss.trigger, f"{loss.pre_tokens:,} → {after} tokens", counted(loss.messages, "message"), seconds, price]
    )
    yield line((f"  {number}  {day(loss.timestamp)}  ", THEME.strong), (figures, THEME.text))
    yield _verdict(loss)
    for one in loss.gone[:MOST_GONE]:
        yield sentence_row(one, width)
    if len(loss.gone) > MOST_GONE:
        yield plain(f"       and {len(loss.gone) - MOST_GONE} more (--json has them all)", THEME.dim)
    yield from _read_again(loss, width)


def _verdict(loss: Loss) -> Line:
    if not loss.said:
        return plain("     you had said nothing that could be lost", THEME.dim)
    told = f"     of {counted(loss.said, 'thing')} you had said: {loss.verbatim} word for word, {loss.paraphrased} in other words, "
    gone = f"{len(loss.gone)} gone ({share(len(loss.gone), loss.said)})"
    return line((told, THEME.text), (gone, THEME.bad if loss.gone else THEME.good))


def sentence_row(one: Sentence, width: int) -> Line:
    """What was said, and of what kind it was."""
    style = THEME.text if one.weight == "words" else THEME.warn
    return line((f"       {MARKS[one.weight]:<9} ", THEME.dim), (fit(one.text, max(40, width - 18)), style))


def _read_again(loss: Loss, width: int) -> Iterator[Line]:
    if not loss.reread:
        yield plain("     nothing was read again", THEME.dim)
        return
    cost = f"about {loss.reread_tokens:,} tokens"
    yield plain(f"     read again: {counted(len(loss.reread), 'file')}, {cost}")
    for one in loss.reread[:MOST_FILES]:
        times = f"{one.times} times" if one.times > 1 else "once"
        yield plain(f"       {one.tokens:>9,}  {times:<9} {fit(one.path, max(40, width - 30))}", THEME.dim)
    if len(loss.reread) > MOST_FILES:
        yield plain(f"       and {counted(len(loss.reread) - MOST_FILES, 'more file')}", THEME.dim)
