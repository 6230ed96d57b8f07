"""Attachments as the messages that carry them: in a fixed order, within a budget."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from agent.attachments.at_file import Attachment, expand_mentions
from agent.attachments.changed_files import ChangedFiles
from agent.prompts.reminder import reminder
from agent.protocol.blocks import Block, Text
from agent.protocol.messages import Message
from agent.protocol.tools import ReadState

MAX_CHARS = 400_000  # of all attached text of one prompt


async def collect_attachments(
    prompt: str,
    *,
    cwd: Path,
    roots: Sequence[Path],
    may_read: Callable[[Path], bool],
    read_state: ReadState,
    changed: ChangedFiles,
) -> tuple[Message, ...]:
    """What goes to the model before `prompt`: which known files changed on disk, then what the prompt mentions with @.

    A file that is attached whole counts as read. Reads files in a thread.
    """
    notice = await asyncio.to_thread(changed.notice, read_state)
    mentioned = await asyncio.to_thread(expand_mentions, prompt, cwd=cwd, roots=roots, may_read=may_read)
    carried = within_budget(mentioned)
    for attachment in carried:
        if attachment.stamp is not None:
            read_state.set(attachment.path, attachment.stamp)
    blocks = [*_noticed(notice), *(block for attachment in carried for block in _blocks(attachment))]
    return (Message(role="user", blocks=tuple(blocks)),) if blocks else ()


def within_budget(attachments: Iterable[Attachment], budget: int = MAX_CHARS) -> list[Attachment]:
    """`attachments` in order; one that no longer fits `budget` characters is only named, and does not count as read."""
    kept: list[Attachment] = []
    for attachment in attachments:
        if len(attachment.text) <= budget:
            budget -= len(attachment.text)
            kept.append(attachment)
        else:
            kept.append(
                Attachment(attachment.path, f"{attachment.path} was mentioned; it is too long to attach. Read it.")
            )
    return kept


def _blocks(attachment: Attachment) -> list[Block]:
    text = Text(text=reminder(attachment.text))
    return [text] if attachment.image is None else [text, attachment.image]


def _noticed(notice: str) -> list[Block]:
    return [Text(text=reminder(notice))] if notice else []
