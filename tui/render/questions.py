"""What the engine asks, as a title, a body and the answers one can give."""

from typing import assert_never

from msgspec import Struct

from agent.protocol.asks import Answer, Ask, Permission, Plan, Preview, Rewind, Trust, TrustItem
from agent.protocol.text import counted, head_of
from tui.render.details import details_rows
from tui.render.lines import BLANK, Line, indent, line
from tui.render.markdown import render_markdown
from tui.render.safe import clean, clean_line
from tui.render.theme import Theme
from tui.render.wrap import fold_spans, wrap_text

QUOTED = 12  # lines of a prompt that is quoted
YES, SESSION, NO = Answer("once"), Answer("session"), Answer("deny")


class Reply(Struct, frozen=True):
    """One answer in words, and the letter that also gives it; with `rewrite`, a text that the person makes their own first."""

    words: str
    letter: str
    answer: Answer
    rewrite: str | None = None

    def given(self, text: str) -> Answer:
        """The answer with the person's text."""
        return Answer(self.answer.choice, edited=text)


def question_title(ask: Ask) -> str:
    """One clean line."""
    match ask:
        case Permission():
            return f"Allow? {clean_line(ask.title)}"
        case Trust():
            return f"Trust this folder? {clean_line(ask.folder)}"
        case Plan():
            return "Carry out this plan?"
        case Preview(summary=""):
            return "Compact this conversation?"
        case Preview():
            return f"Install this compaction? {ask.tokens_before:,} → {ask.tokens_after:,} tokens"
        case Rewind():
            return "Rewind to before this prompt?"
        case unreachable:
            assert_never(unreachable)


def question_rows(ask: Ask, width: int, theme: Theme) -> list[Line]:
    """Everything the person needs to decide, never shortened."""
    match ask:
        case Permission():
            return _permission_rows(ask, width, theme)
        case Trust():
            return _trust_rows(ask, width, theme)
        case Plan(text=text):
            return render_markdown(text, width, theme)
        case Preview():
            return render_markdown("\n\n".join(part for part in (ask.report, ask.summary) if part), width, theme)
        case Rewind():
            return _rewind_rows(ask, width, theme)
        case unreachable:
            assert_never(unreachable)


def replies(ask: Ask) -> tuple[Reply, ...]:
    """The possible answers, the refusal last."""
    match ask:
        case Permission(rule=rule):
            session = Reply(f"Yes, and do not ask again in this session: {clean_line(rule)}", "a", SESSION)
            return (Reply("Yes", "y", YES), *([session] if rule else []), Reply("No", "n", NO))
        case Trust():
            return (Reply("Yes, let them run", "y", YES), Reply("No, work without them", "n", NO))
        case Plan():
            return (Reply("Yes, carry it out", "y", YES), Reply("No, keep planning", "n", NO))
        case Preview():
            return _preview_replies(ask)
        case Rewind(files=()):
            return (Reply("Yes, rewind", "y", YES), Reply("No", "n", NO))
        case Rewind(files=files):
            number = counted(len(files), "file")
            return (
                Reply("Yes, the conversation; files stay as they are", "y", YES),
                Reply(f"Yes, and put {number} back as listed", "f", SESSION),
                Reply("No", "n", NO),
            )
        case unreachable:
            assert_never(unreachable)


def _preview_replies(ask: Preview) -> tuple[Reply, ...]:
    keep = Reply("No, keep the conversation as it is", "n", NO)
    if ask.summary:
        return (
            Reply("Yes, install it", "y", YES),
            Reply("Yes, but let me edit it first", "e", YES, rewrite=ask.summary),
            Reply("No, make another one by my instructions", "i", NO, rewrite=""),
            keep,
        )
    again = "and do not ask again in this session" if ask.automatic else "and install it without asking again"
    return (
        Reply("Yes, make the summary and show it", "y", YES),
        Reply(f"Yes, {again}", "a", SESSION),
        Reply("Yes, by my instructions", "i", YES, rewrite=ask.instructions),
        keep,
    )


def _rewind_rows(ask: Rewind, width: int, theme: Theme) -> list[Line]:
    rows = wrap_text(clean(head_of(ask.prompt, QUOTED)), theme.user, width)
    if ask.files:
        rows += [BLANK, *wrap_text("Files that can be put back as they were before it:", theme.note, width)]
        rows += [row for name in ask.files for row in wrap_text(f"  {clean_line(name)}", theme.text, width)]
    if ask.uncovered:
        names = ", ".join(clean_line(name) for name in ask.uncovered)
        rows += wrap_text(f"Not covered, changed by commands: {names}", theme.warn, width)
    return rows


def _permission_rows(ask: Permission, width: int, theme: Theme) -> list[Line]:
    rows = wrap_text(clean(ask.reason), theme.note, width) if ask.reason else []
    command = ask.input.get("command")
    if ask.details is not None:
        rows += details_rows(ask.details, width, theme).rows
    elif isinstance(command, str):
        rows += fold_spans([(clean(command), theme.code_block)], width)
    else:
        rows += [row for key, value in ask.input.items() for row in _argument_rows(key, value, width, theme)]
    return rows


def _argument_rows(key: str, value: object, width: int, theme: Theme) -> list[Line]:
    name = f"{clean_line(key)}: "
    text = clean(value if isinstance(value, str) else repr(value))
    return indent(wrap_text(text, theme.text, width - len(name)), name, " " * len(name), theme.dim, keep_first=True)


def _trust_rows(ask: Trust, width: int, theme: Theme) -> list[Line]:
    """Grouped by the file they stand in."""
    again = " What is different since you trusted it is marked." if ask.news else ""
    rows = wrap_text(f"Its settings would run code or widen rights on your machine:{again}", theme.text, width)
    source = None
    for item, news in zip(ask.items, ask.news or ("",) * len(ask.items), strict=True):
        if item.source != source:
            source = item.source
            rows += [BLANK, line((clean_line(source), theme.dim))]
        rows += _trust_item(item, width, theme)
        rows += wrap_text(f"  ^ {news}", theme.warn, width) if news else []
    return rows


def _trust_item(item: TrustItem, width: int, theme: Theme) -> list[Line]:
    mark = f"  {clean_line(item.kind)}  "
    body = fold_spans([(clean(item.text), theme.code_block)], max(8, width - len(mark)))
    return indent(body, mark, " " * len(mark), theme.accent, keep_first=True)
