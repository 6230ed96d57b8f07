"""Where the prompt cache is written: at most four breakpoints, the only thing in a request that ever moves."""

from collections.abc import Iterator, Mapping

from agent.anthropic_api.fields import JsonObject, text_in
from agent.protocol.model import CacheTtl

REACH = 20  # positions that the API looks back from a breakpoint (reference 1.3)

_CACHEABLE = ("text", "image", "document", "tool_use", "tool_result")
_RUNS = ("tool_use", "tool_result")  # neighbours of one of these types count as one position


def caching_enabled(env: Mapping[str, str]) -> bool:
    """Whether the environment leaves prompt caching on (DISABLE_PROMPT_CACHING)."""
    return env.get("DISABLE_PROMPT_CACHING", "").strip().lower() in ("", "0", "false", "no", "off")


def place_breakpoints(body: JsonObject, ttl: CacheTtl) -> JsonObject:
    """`body` with breakpoints at its last tool, last system block, last cacheable block, and one REACH before that.

    The last lets a tool loop whose turns grew by more than REACH positions still find what an earlier request wrote.
    Thinking and blank text never carry one. `body` itself is left as it is.
    """
    mark: JsonObject = {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": ttl}
    marked = dict(body)
    for key in ("tools", "system"):
        items = _objects(body.get(key))
        if items:
            marked[key] = [*items[:-1], {**items[-1], "cache_control": mark}]
    messages = _objects(body["messages"])
    contents = [_objects(message.get("content")) for message in messages]
    for content, index in list(_message_breakpoints(contents)):
        content[index] = {**content[index], "cache_control": mark}
    marked["messages"] = [{**message, "content": content} for message, content in zip(messages, contents, strict=True)]
    return marked


def _message_breakpoints(contents: list[list[JsonObject]]) -> Iterator[tuple[list[JsonObject], int]]:
    position = 0
    last: int | None = None
    previous = ""
    for content in reversed(contents):
        for index in range(len(content) - 1, -1, -1):
            kind = text_in(content[index], "type")
            position += not (kind in _RUNS and kind == previous)
            previous = kind
            if _cacheable(content[index]) and (last is None or position >= last + REACH - 1):
                yield content, index
                if last is not None:
                    return
                last = position


def _cacheable(block: JsonObject) -> bool:
    kind = text_in(block, "type")
    return kind in _CACHEABLE and (kind != "text" or bool(text_in(block, "text").strip()))


def _objects(value: object) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
