"""All tools, in the order in which the model always sees them (the cached prefix begins with their schemas)."""

from collections.abc import Mapping
from typing import TypeVar, cast

from agent.protocol.tools import Tool
from agent.tools.bash import Bash
from agent.tools.edit import Edit
from agent.tools.glob import Glob
from agent.tools.grep import Grep
from agent.tools.limits import Limits, limits_from_env
from agent.tools.read import Read
from agent.tools.write import Write

T = TypeVar("T")


def all_tools(limits: Limits | None, env: Mapping[str, str]) -> tuple[Tool[object], ...]:
    """Read, Edit, Write, Grep, Glob, Bash; without `limits`, those that `env` sets."""
    chosen = limits or limits_from_env(env)
    return (
        _erased(Read(chosen)),
        _erased(Edit()),
        _erased(Write()),
        _erased(Grep(chosen)),
        _erased(Glob(chosen)),
        _erased(Bash(chosen)),
    )


def _erased(tool: Tool[T]) -> Tool[object]:
    """The tool for a caller that hands each `run` only what the same tool's `parse` returned."""
    return cast(Tool[object], tool)
