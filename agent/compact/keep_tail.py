"""What is summarised and what stands verbatim after the summary: the request that is still unanswered."""

from collections.abc import Sequence

from msgspec import Struct

from agent.transcript.entries import MessageEntry


class Split(Struct, frozen=True):
    """`history` is what a summary stands for, `kept` what follows it word for word; `resumes` when work on a kept request goes on."""

    history: tuple[MessageEntry, ...]
    kept: tuple[MessageEntry, ...]
    resumes: bool = False


def keep_tail(view: Sequence[MessageEntry], *, mid_turn: bool = False) -> Split:
    """Splits `view`; `mid_turn` says that an answer is being worked on and the loop goes on after the compaction.

    Idle: what the person said and nobody answered is kept; after a finished turn nothing. In the middle of a turn: the request being
    worked on, and what was said after the last answer. The loop's own messages are summarised, because thinking in a kept tail is
    bound to the history that goes away; they all stay in `history`, so that its cached prefix is shared.
    """
    tail = _unanswered(view)
    history = tuple(view[: len(view) - len(tail)])
    asked = any(is_request(entry) for entry in tail)
    if not mid_turn:
        return Split(history, tail) if asked else Split(tuple(view), ())
    return Split(history, tail) if asked else Split(history, (*_last_request(view), *tail), resumes=True)


def is_request(entry: MessageEntry) -> bool:
    """Whether a person typed this message."""
    return (
        entry.message.role == "user"
        and not entry.is_meta
        and not entry.is_compact_summary
        and not entry.is_sidechain
        and not entry.message.tool_results
    )


def _unanswered(view: Sequence[MessageEntry]) -> tuple[MessageEntry, ...]:
    """The user's messages at the end that answer no call."""
    for index in range(len(view) - 1, -1, -1):
        if view[index].message.role == "assistant" or view[index].message.tool_results:
            return tuple(view[index + 1 :])
    return tuple(view)


def _last_request(view: Sequence[MessageEntry]) -> tuple[MessageEntry, ...]:
    for entry in reversed(view):
        if is_request(entry):
            return (entry,)
    return ()
