"""Which messages stand verbatim after the summary: the request that is still unanswered."""

from collections.abc import Sequence

from agent.transcript.entries import MessageEntry


def keep_tail(view: Sequence[MessageEntry]) -> tuple[MessageEntry, ...]:
    """The entries to keep, in order.

    Before a turn: everything the person said since the last answer. In a tool loop: the request being worked on; the loop's own
    messages are summarised, because thinking in a kept tail is bound to the history that goes away. After a finished turn: nothing.
    """
    since = _after_last_answer(view)
    if any(entry.message.tool_results for entry in since):
        return _last_request(view)
    return tuple(since)


def is_request(entry: MessageEntry) -> bool:
    """Whether a person typed this message."""
    return (
        entry.message.role == "user"
        and not entry.is_meta
        and not entry.is_compact_summary
        and not entry.is_sidechain
        and not entry.message.tool_results
    )


def _after_last_answer(view: Sequence[MessageEntry]) -> list[MessageEntry]:
    for index in range(len(view) - 1, -1, -1):
        if view[index].message.role == "assistant":
            return list(view[index + 1 :])
    return []


def _last_request(view: Sequence[MessageEntry]) -> tuple[MessageEntry, ...]:
    for entry in reversed(view):
        if is_request(entry):
            return (entry,)
    return ()
