"""A request to the Messages API as text that a person can read and compare: what was sent, in order, with every cache mark."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

_APART = ("system", "tools", "messages", "metadata", "diagnostics")  # shown below, or names of this one run
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ID = re.compile(r"(toolu|msg)_[0-9a-z]+")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


def request_text(body: Mapping[str, Any], places: Mapping[str, str]) -> str:
    """The request without what differs from run to run: ids, dates, and the folders in `places` (path to word)."""
    rest = {name: value for name, value in body.items() if name not in _APART}
    lines = [f"{name}: {_json(rest[name])}" for name in sorted(rest)]
    lines += ["", "== system", *(_block(block) for block in body["system"]), "", "== tools"]
    lines += [f"{tool['name']}: {', '.join(tool['input_schema']['properties'])}{_mark(tool)}" for tool in body["tools"]]
    for message in body["messages"]:
        lines += ["", f"== {message['role']}", *(_block(block) for block in message["content"])]
    text = "\n".join(lines)
    for path, word in places.items():
        text = text.replace(path, word).replace(re.sub(r"[^A-Za-z0-9]", "-", path), word)
    return DATE.sub("DATE", ID.sub(r"\1_ID", UUID.sub("UUID", text)))


def _block(block: Mapping[str, Any]) -> str:
    match block["type"]:
        case "text":
            said = block["text"]
        case "thinking":
            said = block["thinking"]
        case "tool_use":
            said = f"{block['name']} {_json(block['input'])}"
        case "tool_result":
            said = _content(block["content"]) + (" (error)" if block.get("is_error") else "")
        case _:
            said = ""
    return f"[{block['type']}]{_mark(block)} {said}"


def _content(content: str | Sequence[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "\n".join(_block(part) for part in content)


def _mark(block: Mapping[str, Any]) -> str:
    return f" <cache {block['cache_control'].get('ttl', '5m')}>" if "cache_control" in block else ""


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
