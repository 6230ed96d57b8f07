"""A record read for its facts: what the person said, what the model said, and each call with what came of it."""

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from agent.attachments.at_file import attached_path
from agent.compact.keep_tail import is_request
from agent.protocol.blocks import Text, ToolUse
from agent.protocol.details import Details
from agent.transcript.entries import AttachmentEntry, Entry, MessageEntry

_NOT_TYPED = re.compile(r"<(system-reminder|local-command-stdout|local-command-stderr)>.*?</\1>", re.DOTALL)


class Said(Struct, frozen=True):
    """Words and the record they stand in."""

    uuid: str
    text: str


class Done(Struct, frozen=True, kw_only=True):
    """A call that was answered: what came back, and the details the tool gave for the eye."""

    uuid: str
    call: ToolUse
    result: str
    is_error: bool
    details: Details | None

    def argument(self, name: str) -> str:
        """A text argument, empty when there is none."""
        value = self.call.input.get(name)
        return value if isinstance(value, str) else ""


def requests(entries: Sequence[Entry], kept: Collection[str] = ()) -> list[Said]:
    """What the person typed, oldest first, without the `kept` messages; nothing that tools, hooks or summaries said."""
    said = [
        Said(entry.uuid, _NOT_TYPED.sub("", entry.message.text).strip())
        for entry in entries
        if isinstance(entry, MessageEntry) and is_request(entry) and entry.uuid not in kept
    ]
    return [one for one in said if one.text]


def answers(entries: Sequence[Entry]) -> list[Said]:
    """What the model said, oldest first; no thinking, no calls."""
    return [
        Said(entry.uuid, entry.message.text)
        for entry in entries
        if isinstance(entry, MessageEntry) and entry.message.role == "assistant" and entry.message.text.strip()
    ]


def calls_done(entries: Sequence[Entry]) -> list[Done]:
    """Every answered call of the main thread, oldest first; a file that came with a prompt (@path) counts as one that was read."""
    open_calls: dict[str, ToolUse] = {}
    done: list[Done] = []
    for entry in entries:
        if isinstance(entry, AttachmentEntry):
            done.extend(_attached(entry))
        if not isinstance(entry, MessageEntry) or entry.is_sidechain:
            continue
        open_calls |= {call.id: call for call in entry.message.tool_uses}
        details = dict(entry.tool_details)
        for result in entry.message.tool_results:
            call = open_calls.pop(result.tool_use_id, None)
            if call is not None:
                done.append(
                    Done(
                        uuid=entry.uuid,
                        call=call,
                        result=result.text,
                        is_error=result.is_error,
                        details=details.get(call.id),
                    )
                )
    return done


def _attached(entry: AttachmentEntry) -> Iterator[Done]:
    """The files that a prompt brought along."""
    for block in entry.message.blocks if entry.message is not None else ():
        path = attached_path(block.text) if isinstance(block, Text) else None
        if path is not None:
            read = ToolUse(id=entry.uuid, name="Read", input={"file_path": path})
            yield Done(uuid=entry.uuid, call=read, result="", is_error=False, details=None)
