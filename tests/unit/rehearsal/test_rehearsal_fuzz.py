"""Whatever JSON comes in, the answer is a message or a refusal in the API's shape; nothing breaks inside."""

import copy
import json
import tomllib
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.rehearsal.http1 import HttpRequest
from agent.rehearsal.messages_api import MessagesApi, Settings
from agent.rehearsal.recorded_session import toml_value
from agent.rehearsal.script import Script, reply, text, thinking, tool
from agent.rehearsal.sse import pieces
from tests.unit.rehearsal.raw import HEADERS, READ, ask, assistant, result, use, user
from tests.unit.rehearsal.raw import text as block

BETAS = {"anthropic-beta": "compact-2026-09-04,context-management-2025-06-27,compact-2026-01-12"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", " ", "text", "tool_use", "type", "5m", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "id", "content", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
MARK = {"type": "ephemeral", "ttl": "5m"}
LEGAL = ask(
    user(block("hi", cache_control=MARK)),
    assistant(
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "compaction", "content": "c", "signature": "s"},
        use("t1"),
    ),
    user(result("t1", [block("x")]), {"type": "image", "source": {"type": "base64"}}),
    tools=[READ],
    tool_choice={"type": "auto"},
    system=[block("s")],
    thinking={"type": "adaptive", "block_binding": {}},
    output_config={"effort": "low", "format": None},
    metadata={"user_id": "u"},
    diagnostics={"previous_message_id": None},
    stop_sequences=["x"],
    cache_control=MARK,
    compaction={"type": "summarize"},
    context_management={"edits": [{"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 1}}]},
    stream=True,
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401
    """Every place in a JSON value."""
    found = [at] if at else []
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [path for key, part in parts for path in paths(part, (*at, key))]


@given(
    changes=st.lists(st.tuples(st.sampled_from(paths(LEGAL)), JSON | st.just("(removed)")), max_size=6),
    strict=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_mangled_request_is_answered_or_refused(changes: list[tuple[tuple[Any, ...], Any]], strict: bool) -> None:
    body = copy.deepcopy(LEGAL)
    for path, value in changes:
        change(body, path, value)
    script = Script([reply(thinking("a"), text("b"), tool("Read", {"c": 1})).times(0)])
    api = MessagesApi(script, Settings(strict=strict), lambda: 0.0)
    request = HttpRequest("POST", "/v1/messages", "", HEADERS | BETAS, json.dumps(body).encode())
    outcome, record = api.messages(request)
    assert outcome.status in (200, 400, 404)
    assert record.status == outcome.status
    if outcome.status != 200:
        answer = msgspec.json.decode(outcome.events[0].data)
        assert answer["type"] == "error"
        assert answer["error"]["message"] == record.refused
    assert api.count_tokens(request).status in (200, 400, 404)


def change(body: Any, path: tuple[Any, ...], value: object) -> None:  # noqa: ANN401
    """Put a value at a place, if the place is still there."""
    for key in path[:-1]:
        try:
            body = body[key]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(body, dict) and value == "(removed)":
        body.pop(path[-1], None)
    elif isinstance(body, dict) or (isinstance(body, list) and isinstance(path[-1], int) and path[-1] < len(body)):
        body[path[-1]] = value


@given(st.text(), st.integers(1, 50))
def test_pieces_make_up_the_text(content: str, size: int) -> None:
    cut = list(pieces(content, size))
    assert "".join(cut) == content
    assert all(0 < len(part) <= 2 * size for part in cut)


VALUES = st.recursive(
    st.booleans() | st.integers(-(2**62), 2**62) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=3))
def test_values_survive_toml(value: dict[str, Any]) -> None:
    assert tomllib.loads(f"value = {toml_value(value)}")["value"] == value
