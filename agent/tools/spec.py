"""A tool's description (words/NAME.md) and input schema, as the model sees them."""

from collections.abc import Mapping, Sequence
from importlib.resources import files

from agent.protocol.model import ToolSpec


def tool_spec(
    name: str, properties: Mapping[str, object], required: Sequence[str], *, read_only: bool = False
) -> ToolSpec:
    """The spec of the tool `name`; its description comes with the package."""
    words = files("agent.tools").joinpath("words", f"{name.lower()}.md").read_text("utf-8")
    schema: dict[str, object] = {"type": "object", "properties": dict(properties), "required": list(required)}
    return ToolSpec(name=name, description=words.strip(), input_schema=schema, read_only=read_only)


def text(description: str = "") -> dict[str, object]:
    """A string property."""
    return _property("string", description)


def whole(description: str = "") -> dict[str, object]:
    """A whole-number property."""
    return _property("integer", description)


def switch(description: str = "") -> dict[str, object]:
    """A true-or-false property."""
    return _property("boolean", description)


def one_of(options: Sequence[str]) -> dict[str, object]:
    """A property with few values."""
    return {"type": "string", "enum": list(options)}


def _property(kind: str, description: str) -> dict[str, object]:
    return {"type": kind, "description": description} if description else {"type": kind}
