"""Questions as numbered choices: what is asked, what may be answered, and how an answer is read."""

from typing import NamedTuple, assert_never

from agent.protocol.asks import Answer, Ask, Permission, Plan, Preview, Rewind, Trust
from tui.render.safe import clean_line
from tui.repl.words import details_text


class Question(NamedTuple):
    """The lines that ask, and the choices, numbered from 1; the last one is always no."""

    text: str
    choices: tuple[tuple[str, Answer], ...]

    @property
    def menu(self) -> str:
        """The choices in one line."""
        return "   ".join(f"{number} {label}" for number, (label, _answer) in enumerate(self.choices, 1))

    def read(self, typed: str) -> Answer | None:
        """The answer in `typed`: a number, or y or n; words after a no go to the model. None when it is neither."""
        word, _, comment = typed.strip().partition(" ")
        number = {"y": "1", "yes": "1", "n": str(len(self.choices)), "no": str(len(self.choices))}.get(
            word.lower(), word
        )
        if number not in {str(at) for at in range(1, len(self.choices) + 1)}:
            return None
        _label, answer = self.choices[int(number) - 1]
        return answer if answer.allowed else Answer("deny", comment.strip())


_YES_NO = (("yes", Answer("once")), ("no", Answer("deny")))


def question_of(ask: Ask) -> Question:
    """`ask` in words."""
    match ask:
        case Permission():
            preview = "" if ask.details is None else details_text(ask.details)
            reason = f"({clean_line(ask.reason)})" if ask.reason else ""
            text = "\n".join(part for part in (f"Allow {ask.tool}? {clean_line(ask.title)}", reason, preview) if part)
            session = (("yes, and for this session: " + clean_line(ask.rule), Answer("session")),) if ask.rule else ()
            return Question(text, (_YES_NO[0], *session, _YES_NO[1]))
        case Trust():
            rows = "\n".join(f"  {item.kind}: {clean_line(item.text)}  ({item.source})" for item in ask.items)
            return Question(f"The settings in {ask.folder} bring this. May it run and count?\n{rows}", _YES_NO)
        case Plan():
            return Question(f"Approve this plan?\n{ask.text}", _YES_NO)
        case Preview():
            sizes = f"{ask.tokens_before:,} → {ask.tokens_after:,} tokens"
            return Question(f"{ask.summary}\nInstall this compaction ({sizes})?", _YES_NO)
        case Rewind():
            return Question(f"Rewind to: {clean_line(ask.prompt)}?", _YES_NO)
        case _:
            assert_never(ask)
