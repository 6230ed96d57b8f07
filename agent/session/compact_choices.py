"""The messages at which /compact can part the conversation, with what each choice would come to."""

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agent.compact.forecast import Forecast, Forecaster
from agent.compact.keep_tail import is_request
from agent.compact.partial_compact import Direction, Part, cut_points, name_of, opener, split_at
from agent.compact.report import forecast_brief, forecast_line
from agent.protocol.errors import UsageError
from agent.protocol.events import Event
from agent.protocol.markdown import code, table
from agent.session.complete import Completion
from agent.session.state import State
from agent.transcript.entries import MessageEntry

LISTED = 20
_NAME = re.compile(r"\d{1,6}|[0-9a-f]{8}[0-9a-f-]{0,28}")

_MEANING: dict[Direction, str] = {
    "from": "`/compact from M [guidance]` summarises message M and all after it; what is before stays word for word, also in the cache.",
    "up-to": "`/compact up-to M [guidance]` summarises what is before message M; M and all after it stay word for word.",
}


class Choice(Struct, frozen=True):
    """A message one can part at: its number counts the messages in the context from 1, as /context does."""

    number: int
    entry: MessageEntry
    name: str
    forecast: Forecast


def is_message_name(text: str) -> bool:
    """Whether `text` can name a message: its number, its id, or the beginning of its id."""
    return _NAME.fullmatch(text) is not None


def choice_of(state: State, direction: Direction, name: str) -> int:
    """The place of the message that a person named; raises UsageError when there is none, or the conversation cannot be parted there."""
    view = state.conversation.sent()
    if len(name) <= 6:
        places = [int(name) - 1] if 0 < int(name) <= len(view) else []
    else:
        places = [at for at, entry in enumerate(view) if entry.uuid.startswith(name)]
    do = f"/compact {direction} lists the messages."
    if len(places) != 1:
        raise UsageError(f"There is no message {name} in the context.", safe="Nothing was changed.", do=do)
    legal = cut_points(view, direction)
    if places[0] not in legal:
        near = [str(at + 1) for at in sorted(legal, key=lambda at: abs(at - places[0]))[:2]]
        hint = f"Nearest to it: {' and '.join(sorted(near, key=int))}. " if near else ""
        what = f"The conversation cannot be parted before message {places[0] + 1}: a call stays with its result, a prompt with its answer."
        raise UsageError(what, safe="Nothing was changed.", do=hint + do)
    return places[0]


def part_choices(state: State, direction: Direction, number: str = "") -> tuple[Choice, ...]:
    """At most LISTED, the newest last: prompts before steps of a tool loop, which fill up what room is left.

    Only those whose number begins with `number` are looked at: a forecast is too dear to be made at each key for nothing.
    """
    view = state.conversation.sent()
    chosen = [at for at in sorted(_most_telling(view, cut_points(view, direction))) if str(at + 1).startswith(number)]
    if not chosen:
        return ()
    forecaster = Forecaster(state.deps(_silent).compact, state.builder.opening.latest())
    return tuple(
        Choice(
            at + 1,
            view[at],
            name_of(opener(view, at).message),
            forecaster.forecast(split_at(view, Part(direction, at))),
        )
        for at in chosen
    )


def choices_text(state: State, direction: Literal["from", "up-to"]) -> str:
    """The list as Markdown."""
    choices = part_choices(state, direction)
    if not choices:
        return "There is no message yet at which the conversation could be parted."
    rows = [
        (str(choice.number), choice.entry.uuid[:8], code(choice.name), forecast_line(choice.forecast))
        for choice in choices
    ]
    return "\n\n".join([_MEANING[direction], table(("M", "id", "message", direction), rows)])


def part_completions(state: State, direction: Direction, number: str) -> tuple[Completion, ...]:
    """The same for a picker, the newest first: those whose number begins with `number`; a narrow list cuts the message, not the forecast."""
    return tuple(
        Completion(
            f"/compact {direction} {choice.number}",
            f"{forecast_brief(choice.forecast)} · {choice.name}",
        )
        for choice in reversed(part_choices(state, direction, number))
    )


def _most_telling(view: tuple[MessageEntry, ...], legal: tuple[int, ...]) -> list[int]:
    prompts = [at for at in legal if is_request(opener(view, at))]
    steps = [at for at in legal if not is_request(opener(view, at))]
    room = LISTED - len(prompts)
    return prompts[-LISTED:] + list(_spread(steps, room))


def _spread(places: list[int], most: int) -> Iterator[int]:
    """At most `most` of them, evenly."""
    if most <= 0:
        return iter(())
    step = max(1, -(-len(places) // most))
    return iter(places[::-1][::step])


async def _silent(_event: Event) -> None:
    return
