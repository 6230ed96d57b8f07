"""Rules for single blocks: their types, their fields, and that text says something."""

from collections.abc import Iterator

import msgspec

from agent.rehearsal.prompt import Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import Json, as_list, as_object, as_text, kind


class Shape(msgspec.Struct, frozen=True):
    """A block type: its required and optional fields, and the roles it may stand in."""

    required: dict[str, type]
    optional: frozenset[str] = frozenset()
    roles: tuple[str, ...] = ("user", "assistant")


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


SHAPES = {
    "text": Shape({"text": str}, _names("cache_control citations"), ("user", "assistant", "system")),
    "image": Shape({"source": dict}, _names("cache_control transformations")),
    "document": Shape({"source": dict}, _names("cache_control citations context title")),
    "search_result": Shape({"content": list, "source": str, "title": str}, _names("cache_control citations")),
    "tool_use": Shape(
        {"id": str, "name": str, "input": object}, _names("cache_control caller toolset_name"), ("assistant",)
    ),
    "tool_result": Shape({"tool_use_id": str}, _names("cache_control content is_error toolset_name"), ("user",)),
    "thinking": Shape({"thinking": str, "signature": str}, _names("cache_control"), ("assistant",)),
    "redacted_thinking": Shape({"data": str}, _names("cache_control"), ("assistant",)),
    "compaction": Shape(
        {"content": object}, _names("cache_control signature encrypted_content tool_changes"), ("assistant",)
    ),
    "tool_addition": Shape({"tool": dict}, _names("cache_control"), ("system",)),
    "tool_removal": Shape({"tool": dict}, _names("cache_control"), ("system",)),
}
RESULT_PARTS = ("text", "image", "document", "search_result", "tool_reference")
MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def shapes(prompt: Prompt) -> None:
    """Every block has a known type in the right role, the fields of that type, and no others."""
    for place, block in enumerate(prompt.system):
        _shape(block, f"system.{place}", ("text",), "system")
    for message in prompt.messages:
        for place, block in enumerate(message.blocks):
            where = f"messages.{message.index}.content.{place}"
            _shape(block, where, tuple(SHAPES), message.role)
            if kind(block) == "tool_result":
                _result(block, where)


def _shape(block: Json, where: str, allowed: tuple[str, ...], role: str) -> None:
    shape = SHAPES.get(kind(block))
    if shape is None or kind(block) not in allowed:
        tags = ", ".join(f"'{name}'" for name in allowed)
        raise Refusal(
            "block.type",
            f"{where}: Input tag '{kind(block)}' found using 'type' does not match any of the expected tags: {tags}",
        )
    if role not in shape.roles:
        raise Refusal("block.type", f"{where}: `{kind(block)}` blocks are not allowed in `{role}` messages")
    for name, wanted in shape.required.items():
        if name not in block:
            raise Refusal("block.field", f"{where}.{kind(block)}.{name}: Field required")
        if not isinstance(block[name], wanted):
            raise Refusal("block.field", f"{where}.{kind(block)}.{name}: Input should be a valid {wanted.__name__}")
    for name in block:
        if name != "type" and name not in shape.required and name not in shape.optional:
            raise Refusal("block.field", f"{where}.{kind(block)}.{name}: Extra inputs are not permitted")


def _result(block: Json, where: str) -> None:
    content = block.get("content", "")
    if not isinstance(content, str | list):
        raise Refusal("block.field", f"{where}.tool_result.content: Input should be a valid list")
    if not isinstance(block.get("is_error", False), bool):
        raise Refusal("block.field", f"{where}.tool_result.is_error: Input should be a valid boolean")
    if block.get("is_error") is True and not content:
        raise Refusal("tool_result.error", f"{where}.tool_result: content cannot be empty if `is_error` is true")
    for place, part in enumerate(as_list(content)):
        if kind(as_object(part)) not in RESULT_PARTS:
            raise Refusal(
                "block.type", f"{where}.tool_result.content.{place}: Input tag '{kind(as_object(part))}' is not allowed"
            )


def text(prompt: Prompt) -> None:
    """No text block is empty or blank, in messages, system or results."""
    for where, block in _texts(prompt):
        content = as_text(block.get("text"))
        if not content:
            raise Refusal("text.blank", f"{where}: text content blocks must be non-empty")
        if not content.strip():
            raise Refusal("text.blank", f"{where}: text content blocks must contain non-whitespace text")


def media(prompt: Prompt) -> None:
    """Not too many images and documents."""
    kinds = [kind(block) for block in _all_blocks(prompt)]
    images, documents = kinds.count("image"), kinds.count("document")
    if images + documents > prompt.model.media:
        raise Refusal(
            "media.count",
            f"Too much media: {documents} document pages + {images} images > {prompt.model.media}",
        )


def images(prompt: Prompt) -> None:
    """Every image has a source that can be read."""
    for block in _all_blocks(prompt):
        if kind(block) == "image":
            _source(as_object(block.get("source")))


def _source(source: Json) -> None:
    match source.get("type"):
        case "base64":
            if source.get("media_type") not in MEDIA_TYPES:
                raise Refusal("image.source", f"image.source.base64.media_type: Input should be one of {MEDIA_TYPES}")
            if not as_text(source.get("data")):
                raise Refusal("image.source", "image.source.base64.data: image cannot be empty")
        case "url" | "file":
            return
        case _:
            raise Refusal("image.source", "image.source: Input tag does not match any of the expected tags")


def _texts(prompt: Prompt) -> Iterator[tuple[str, Json]]:
    for block in prompt.system:
        if kind(block) == "text":
            yield "system", block
    for message in prompt.messages:
        for place, block in enumerate(message.blocks):
            if kind(block) == "text":
                yield f"messages.{message.index}.content.{place}", block
            for part in as_list(block.get("content")) if kind(block) == "tool_result" else []:
                if kind(as_object(part)) == "text":
                    yield f"messages.{message.index}.content.{place}.tool_result", as_object(part)


def _all_blocks(prompt: Prompt) -> Iterator[Json]:
    for message in prompt.messages:
        for block in message.blocks:
            yield block
            for part in as_list(block.get("content")):
                yield as_object(part)
