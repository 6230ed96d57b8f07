"""What goes to the model with a prompt: the files it mentions, and which known files have changed meanwhile."""

from collections.abc import Callable
from pathlib import Path

from agent.attachments.changed_files import ChangedFiles
from agent.attachments.collect import Collected, collect_attachments
from agent.loop.deps import NestedMemory, Workplace
from agent.tools.read_state import FileReadState


class Mentioned:
    """The attachments of one conversation's prompts."""

    def __init__(
        self,
        workplace: Workplace,
        read_state: FileReadState,
        may_read: Callable[[Path], bool],
        nested_memory: NestedMemory,
    ) -> None:
        self._workplace = workplace
        self._read_state = read_state
        self._may_read = may_read
        self._nested_memory = nested_memory
        self._changed = ChangedFiles()

    async def __call__(self, prompt: str) -> Collected:
        """What belongs to `prompt`: one message for the model, or none."""
        return await collect_attachments(
            prompt,
            cwd=self._workplace.cwd,
            roots=self._workplace.roots,
            may_read=self._may_read,
            read_state=self._read_state,
            changed=self._changed,
            nested_memory=self._nested_memory,
        )
