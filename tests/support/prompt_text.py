"""A request body as text that a person can review: what the model is sent, its order, and where the cache marks stand."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

Json = Mapping[str, object]

MARK = "◆"  # a cache mark stands on the block
LONG = 700  # characters of a text that are shown in a row
_UNSTEADY = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "<date>"),
    (re.compile(r"/projects/[^/\s]+/"), "/projects/<slug>/"),
    (re.compile(r"Platform: \w+"), "Platform: <platform>"),
    (re.compile(r'"signature":"[^"]*"'), '"signature":"<signature>"'),
    (re.compile(r"(toolu_|msg_)[A-Za-z0-9]+"), r"\1<id>"),
)


def render(body: Json, places: Mapping[Path, str]) -> str:
    """The body in its own order; `places` are folders of this run and the names that stand for them."""
    head = {name: value for name, value in body.items() if name not in ("tools", "system", "messages")}
    parts = [f"{name}: {_json(value)}" for name, value in sorted(head.items())]
    parts += [f"tool {tool['name']}{_mark(tool)}\n{_json(tool)}" for tool in _objects(body.get("tools"))]
    parts += [f"system{_mark(block)}\n{block['text']}" for block in _objects(body.get("system"))]
    for number, message in enumerate(_objects(body["messages"]), start=1):
        parts.append(f"--- {number} {message['role']}")
        parts += [f"[{block['type']}]{_mark(block)}\n{_block(block)}" for block in _objects(message["content"])]
    return _steady("\n\n".join(parts) + "\n", places)


def _block(block: Json) -> str:
    match block["type"]:
        case "text":
            return _short(str(block["text"]))
        case "thinking":
            return _short(str(block["thinking"]))
        case "tool_result":
            content = block["content"]
            if isinstance(content, str):
                return f"for {block['tool_use_id']}\n{_short(content)}"
            return f"for {block['tool_use_id']}\n" + "\n".join(_block(part) for part in _objects(content))
        case _:
            return _json(block)


def _short(text: str) -> str:
    if len(text) <= 2 * LONG or "CRITICAL" in text or "<summary>" in text:
        return text
    return f"{text[:LONG]}\n… (the middle is left out here) …\n{text[-LONG:]}"


def _json(value: object) -> str:
    if isinstance(value, dict):
        value = {name: part for name, part in value.items() if name != "cache_control"}
    return json.dumps(value, ensure_ascii=False)


def _mark(block: Json) -> str:
    return f" {MARK}" if "cache_control" in block else ""


def _objects(value: object) -> Iterator[Json]:
    assert value is None or isinstance(value, Sequence)
    for item in value or ():
        assert isinstance(item, Mapping)
        yield item


def _steady(text: str, places: Mapping[Path, str]) -> str:
    for place, name in sorted(places.items(), key=lambda item: -len(str(item[0]))):
        text = text.replace(str(place), name)
    for pattern, name in _UNSTEADY:
        text = pattern.sub(name, text)
    return text
