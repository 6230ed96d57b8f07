"""A raw client for the rehearsal server, and the parts that legal requests are made of."""

import contextlib
import http.client
import json
from typing import Any

from tests.support.patience import PATIENCE

HEADERS = {"x-api-key": "secret", "anthropic-version": "2026-10-21", "content-type": "application/json"}
READ = {"name": "Read", "description": "Reads.", "input_schema": {"type": "object", "properties": {"file_path": {}}}}


def post(
    url: str, body: object, *, path: str = "/v1/messages", headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """POST a body (bytes as they are) and return the status and the decoded answer."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with contextlib.closing(connection):
        connection.request("POST", path, data, HEADERS if headers is None else headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def ask(*messages: dict[str, Any], **fields: object) -> dict[str, Any]:
    """A request body: these messages (or one that says hi), and whatever fields are given."""
    talk = list(messages) or [{"role": "user", "content": "hi"}]
    return {"model": "claude-sonnet-5-5", "max_tokens": 1000, "messages": talk} | fields


def user(*content: object) -> dict[str, Any]:
    """A user message of blocks, or of one string."""
    return {"role": "user", "content": content[0] if content and isinstance(content[0], str) else list(content)}


def assistant(*content: object) -> dict[str, Any]:
    """An assistant message of blocks, or of one string."""
    return {"role": "assistant", "content": content[0] if content and isinstance(content[0], str) else list(content)}


def use(id: str, **fields: object) -> dict[str, Any]:
    """A tool call."""
    return {"type": "tool_use", "id": id, "name": "Read", "input": {}} | fields


def result(id: str, content: object = "ok", **fields: object) -> dict[str, Any]:
    """A tool result."""
    return {"type": "tool_result", "tool_use_id": id, "content": content} | fields


def text(content: str, **fields: object) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": content} | fields
