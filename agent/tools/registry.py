"""All tools, in the order in which the model always sees them (the cached prefix begins with their schemas)."""

from typing import TypeVar, cast

from agent.protocol.tools import Tool
from agent.tools.bash import Bash
from agent.tools.edit import Edit
from agent.tools.glob import Glob
from agent.tools.grep import Grep
from agent.tools.limits import Limits
from agent.tools.read import Read
from agent.tools.write import Write

T = TypeVar("T")


def all_tools(limits: Limits) -> tuple[Tool[object], ...]:
    """Read, Edit, Write, Grep, Glob, Bash."""
    return (
        _erased(Read(limits)),
        _erased(Edit()),
        _erased(Write()),
        _erased(Grep(limits)),
        _erased(Glob(limits)),
        _erased(Bash(limits)),
    )


def _erased(tool: Tool[T]) -> Tool[object]:
    """The tool for a caller that hands each `run` only what the same tool's `parse` returned."""
    return cast(Tool[object], tool)
