"""Reading JSON that came from outside: nothing is assumed about a value's shape until somebody looked."""

from typing import TypeAlias

Json: TypeAlias = dict[str, object]
"""A decoded JSON object; the values are of any JSON type."""


def as_object(value: object) -> Json:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[Json]:
    """The objects of an array; whatever else stands in it reads as an empty object, so that indices stay right."""
    return [as_object(item) for item in as_list(value)]


def as_text(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_int(value: object) -> int | None:
    """The value if it is a whole number (JSON's true and false are not), else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def kind(block: Json) -> str:
    """A block's `type`."""
    return as_text(block.get("type"))


def as_blocks(content: object) -> list[Json]:
    """Message or result content as blocks: a string is shorthand for one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects(content)


def first_line(content: str) -> str:
    """The first line that says something."""
    return next((line.strip() for line in content.splitlines() if line.strip()), "(no output)")


def plain_text(content: object) -> str:
    """The text blocks of some content, joined by line ends."""
    return "\n".join(as_text(block.get("text")) for block in as_blocks(content) if kind(block) == "text")
