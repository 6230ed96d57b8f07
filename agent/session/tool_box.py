"""The tools of a session, by name, in their fixed order."""

from collections.abc import Mapping

from agent.loop.deps import AnyTool
from agent.permissions.gate import Gate
from agent.protocol.model import ToolSpec
from agent.tools.limits import limits_from_env
from agent.tools.registry import all_tools


def tool_box(env: Mapping[str, str]) -> dict[str, AnyTool]:
    """Every tool; the order is part of the cached prefix and never changes."""
    return {tool.spec.name: tool for tool in all_tools(limits_from_env(env))}


def specs_of(tools: Mapping[str, AnyTool], gate: Gate) -> tuple[ToolSpec, ...]:
    """What the model is told of them; a tool that a rule forbids altogether is not shown (reference 2.3)."""
    return tuple(tool.spec for tool in tools.values() if not gate.forbids(tool.spec.name))
