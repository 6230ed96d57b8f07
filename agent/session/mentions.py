"""The @paths of a prompt as messages before it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agent.attachments.at_file import Attachment, expand_mentions
from agent.loop.deps import Workplace
from agent.protocol.blocks import Block, Text
from agent.protocol.messages import Message
from agent.tools.read_state import FileReadState, stamp_of


class Mentioned:
    """Reads what a prompt mentions; a file shown whole counts as read, so that it can be edited at once."""

    def __init__(self, workplace: Workplace, read_state: FileReadState, may_read: Callable[[Path], bool]) -> None:
        self._workplace = workplace
        self._read_state = read_state
        self._may_read = may_read

    async def __call__(self, prompt: str) -> tuple[Message, ...]:
        """One message for everything that `prompt` mentions, or none."""
        place = self._workplace
        attachments = await asyncio.to_thread(expand_mentions, prompt, place.cwd, place.roots, self._may_read)
        if not attachments:
            return ()
        for attachment in attachments:
            if attachment.whole:
                self._seen(attachment.path)
        blocks = tuple(block for attachment in attachments for block in _blocks(attachment))
        return (Message(role="user", blocks=blocks),)

    def _seen(self, path: Path) -> None:
        with suppress(OSError):  # gone since it was read: then it counts as unread
            self._read_state.set(path, stamp_of(path.read_bytes(), path.stat()))


def _blocks(attachment: Attachment) -> tuple[Block, ...]:
    text = Text(text=f"<system-reminder>\n{attachment.text}\n</system-reminder>")
    return (text,) if attachment.image is None else (text, attachment.image)
