"""Attachments as the messages that carry them: in a fixed order, within a budget."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from agent.attachments.at_file import Attachment, expand_mentions
from agent.attachments.changed_files import ChangedFiles
from agent.files.seen_from import seen_from
from agent.prompts.reminder import reminder
from agent.protocol.blocks import Block, Text
from agent.protocol.events import Notice
from agent.protocol.messages import Message
from agent.protocol.tools import FileStamp, ReadState

NestedMemory: TypeAlias = Callable[[Path], Awaitable[tuple[str, ...]]]

MAX_CHARS = 400_000  # of all attached text of one prompt


class Collected(Struct, frozen=True):
    """`messages` for the model; `attached` names for the person what the prompt mentions, with how much of it goes along.

    `read` are the files that are shown whole: once the messages are on record they count as read.
    """

    messages: tuple[Message, ...] = ()
    attached: tuple[str, ...] = ()
    read: tuple[tuple[Path, FileStamp], ...] = ()


def attached_notice(attached: Sequence[str]) -> Notice:
    """Tells the person what a prompt's mentions brought along."""
    return Notice(level="info", text=f"Attached: {', '.join(attached)}")


async def collect_attachments(
    prompt: str,
    *,
    cwd: Path,
    roots: Sequence[Path],
    may_read: Callable[[Path], bool],
    read_state: ReadState,
    changed: ChangedFiles,
    nested_memory: NestedMemory | None = None,
) -> Collected:
    """What goes to the model before `prompt`: which known files changed on disk, what the prompt mentions with @, and the memory for it.

    Reads files in a thread.
    """
    notice = await asyncio.to_thread(changed.notice, read_state)
    mentioned = await asyncio.to_thread(expand_mentions, prompt, cwd=cwd, roots=roots, may_read=may_read)
    carried = within_budget(mentioned)
    memory = [text for attachment in carried if nested_memory for text in await nested_memory(attachment.path)]
    attached = [block for attachment in carried for block in _blocks(attachment)]
    blocks = [*_noticed(notice), *attached, *(block for text in memory for block in _noticed(text))]
    messages = (Message(role="user", blocks=tuple(blocks)),) if blocks else ()
    return Collected(
        messages=messages,
        attached=tuple(f"{seen_from(one.path, cwd)} ({one.amount})" for one in carried),
        read=tuple((one.path, one.stamp) for one in carried if one.stamp is not None),
    )


def within_budget(attachments: Iterable[Attachment], budget: int = MAX_CHARS) -> list[Attachment]:
    """`attachments` in order; one that no longer fits `budget` characters is only named, and does not count as read."""
    kept: list[Attachment] = []
    for attachment in attachments:
        if len(attachment.text) <= budget:
            budget -= len(attachment.text)
            kept.append(attachment)
        else:
            kept.append(
                Attachment(
                    attachment.path,
                    f"{attachment.path} was mentioned; it is too long to attach. Read it.",
                    "too long, left out",
                )
            )
    return kept


def _blocks(attachment: Attachment) -> list[Block]:
    text = Text(text=reminder(attachment.text))
    return [text] if attachment.image is None else [text, attachment.image]


def _noticed(notice: str) -> list[Block]:
    return [Text(text=reminder(notice))] if notice else []
