"""A Request as the JSON body of POST /v1/messages: the same request always gives the same bytes."""

from typing import assert_never

from agent.anthropic_api.cache_control import place_breakpoints
from agent.anthropic_api.fields import JsonObject, decode_object
from agent.models.table import lookup
from agent.protocol.blocks import Block, block_to_json
from agent.protocol.errors import InvariantBroken
from agent.protocol.messages import Message
from agent.protocol.model import (
    CacheTtl,
    ClearToolUses,
    Request,
    Thinking,
    ThinkingAdaptive,
    ThinkingBudget,
    ThinkingOff,
    ToolSpec,
)

EDITING_BETA = "context-management-2025-06-27"  # the header without which the API refuses `context_management`
MIN_THINKING = 1024  # the API's smallest thinking budget, in tokens


def request_body(request: Request, *, ttl: CacheTtl | None) -> JsonObject:
    """The body, without `stream`; `ttl` None means no cache breakpoints.

    Content is always a list. Blocks that came from the API are replayed with their own fields, order and values.
    """
    body: JsonObject = {"model": request.model, "max_tokens": request.max_tokens}
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    system = [{"type": "text", "text": text} for text in request.system if text.strip()]
    if system:
        body["system"] = system
    body["messages"] = [_message(message) for message in request.messages]
    thinking = _thinking(request.thinking, request.max_tokens)
    if thinking is not None:
        body["thinking"] = thinking
    if request.effort is not None and _takes_effort(request.model):
        body["output_config"] = {"effort": request.effort}
    if request.clear_tool_uses is not None:
        body["context_management"] = {"edits": [_clearing(request.clear_tool_uses)]}
    if request.diagnose:
        body["diagnostics"] = {"previous_message_id": request.previous_id}
    return body if ttl is None else place_breakpoints(body, ttl)


def _clearing(clear: ClearToolUses) -> JsonObject:
    """Cleared at once and always: when to clear, and how much, has been decided before."""
    edit: JsonObject = {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 1},
        "keep": {"type": "tool_uses", "value": clear.keep},
    }
    return edit | ({"exclude_tools": list(clear.exclude_tools)} if clear.exclude_tools else {})


def _tool(spec: ToolSpec) -> JsonObject:
    return {"name": spec.name, "description": spec.description, "input_schema": spec.input_schema}


def _message(message: Message) -> JsonObject:
    return {"role": message.role, "content": [_content(block) for block in message.blocks]}


def _content(block: Block) -> JsonObject:
    content = decode_object(block_to_json(block))
    if content is None:
        raise InvariantBroken("A message of the history is not JSON.")
    content.pop("cache_control", None)  # a record may hold another program's breakpoint; four are allowed in all
    return content


def _thinking(thinking: Thinking, max_tokens: int) -> JsonObject | None:
    match thinking:
        case ThinkingOff():
            return None
        case ThinkingAdaptive():
            return {"type": "adaptive", "display": "summarized"}  # some models show no thinking unless asked
        case ThinkingBudget(tokens):
            budget = min(tokens, max_tokens - 1)  # the API wants it below max_tokens
            return {"type": "enabled", "budget_tokens": budget} if budget >= MIN_THINKING else None
        case _ as never:
            assert_never(never)


def _takes_effort(model: str) -> bool:
    info = lookup(model)
    return info.effort or not info.known
