"""The JSON objects of headless output, field by field (reference section 4; cli.md names them)."""

from collections.abc import Sequence
from uuid import uuid4

import msgspec
from msgspec import Raw

from agent.api import Status, reading_record
from agent.protocol.blocks import Block, block_to_json
from agent.protocol.events import AssistantDone, HookFinished, RetryScheduled, ToolResultsRecorded
from agent.protocol.meter import Reading
from agent.protocol.results import CompactionRecord, Receipt, RunResult, Spent

Record = dict[str, object]


def context_record(reading: Reading | None) -> Record:
    """How full the context is; without a session every figure is null and the level unknown."""
    if reading is None:
        return {"used": None, "window": None, "source": None, "level": "unknown", "percent": None}
    return reading_record(reading)


def result_record(result: RunResult, text: str, *, session_id: str, reading: Reading | None) -> Record:
    """The last object of a prompt: `result` is what text mode prints, also before a failure, whose reason `errors` tells."""
    errors: Record = {"errors": [result.error or result.subtype.value]} if result.is_error else {}
    return {
        "type": "result",
        "subtype": result.subtype.value,
        "is_error": result.is_error,
        "result": text,
        **errors,
        "session_id": session_id,
        "num_turns": result.num_turns,
        "duration_ms": result.duration_ms,
        "duration_api_ms": result.duration_api_ms,
        "stop_reason": result.stop_reason or None,
        "terminal_reason": result.terminal_reason,
        "total_cost_usd": result.cost,
        "usage": result.usage.record(),
        "modelUsage": {model: model_record(spent) for model, spent in result.by_model.items()},
        "context": context_record(reading),
        "permission_denials": [msgspec.to_builtins(denial) for denial in result.permission_denials],
        "compactions": [compaction_record(compaction) for compaction in result.compactions],
        "uuid": str(uuid4()),
    }


def model_record(spent: Spent) -> Record:
    """What one model took, in the words of the reference's `modelUsage`; `costUSD` is null when a price is unknown."""
    usage = spent.usage
    return {
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "cacheReadInputTokens": usage.cache_read,
        "cacheCreationInputTokens": usage.cache_creation,
        "costUSD": spent.cost,
    }


def compaction_record(compaction: CompactionRecord) -> Record:
    """One compaction of this prompt."""
    return {
        "trigger": compaction.trigger,
        "pre_tokens": compaction.pre_tokens,
        "post_tokens": compaction.post_tokens,
        "id": compaction.id,
    }


def init_record(status: Status, version: str) -> Record:
    """The first line of stream-json: what this session has; readers of Claude Code's lines look for our version under its name."""
    return {
        "type": "system",
        "subtype": "init",
        "cwd": status.cwd,
        "session_id": status.session_id,
        "tools": list(status.tools),
        "mcp_servers": [],
        "model": status.model,
        "permissionMode": status.mode,
        "slash_commands": list(status.slash_commands),
        "apiKeySource": status.key_source,
        "claude_code_version": version,
        "ccagent_version": version,
        "output_style": "default",
        "agents": [],
        "skills": list(status.skills),
        "plugins": [],
        "uuid": str(uuid4()),
    }


def assistant_record(event: AssistantDone, session_id: str) -> Record:
    """One whole answer, in the API's shape."""
    message: Record = {
        "id": event.message_id,
        "type": "message",
        "role": "assistant",
        "model": event.model,
        "content": _content(event.message.blocks),
        "stop_reason": event.stop_reason or None,
        "stop_sequence": None,
        "usage": None if event.usage is None else event.usage.record(),
    }
    return _line("assistant", message, event.uuid, session_id)


def user_record(event: ToolResultsRecorded, session_id: str) -> Record:
    """The results that answer a turn's calls."""
    return _line("user", {"role": "user", "content": _content(event.message.blocks)}, event.uuid, session_id)


def status_record(status: str | None, session_id: str, **more: object) -> Record:
    """`compacting`, or null when that is over."""
    return {"type": "system", "subtype": "status", "status": status, **more, **_ids(session_id)}


def boundary_record(receipt: Receipt, session_id: str) -> Record:
    """A compaction that was installed."""
    metadata: Record = {
        "trigger": receipt.trigger,
        "pre_tokens": receipt.pre_tokens,
        "post_tokens": receipt.post_tokens,
        "duration_ms": receipt.duration_ms,
        "messages_summarized": receipt.messages_summarized,
    }
    boundary: Record = {"type": "system", "subtype": "compact_boundary", "compact_metadata": metadata}
    return {**boundary, "session_id": session_id, "uuid": receipt.boundary}


def hook_record(event: HookFinished, session_id: str) -> Record:
    """How a hook ended."""
    return {
        "type": "system",
        "subtype": "hook_response",
        "hook_id": event.id,
        "hook_name": event.command,
        "hook_event": event.event,
        "outcome": event.outcome,
        "exit_code": event.exit_code,
        "duration_ms": event.duration_ms,
        "output": event.text,
        **_ids(session_id),
    }


def retry_record(event: RetryScheduled, session_id: str) -> Record:
    """The API failed and is asked again."""
    return {
        "type": "system",
        "subtype": "api_retry",
        "attempt": event.attempt,
        "max_retries": event.max_attempts,
        "retry_delay_ms": round(event.delay * 1000),
        "error": event.reason,
        **_ids(session_id),
    }


def stream_record(event: Record, session_id: str) -> Record:
    """A piece of an answer, as the API's own streaming event."""
    return {"type": "stream_event", "event": event, "parent_tool_use_id": None, **_ids(session_id)}


def _line(kind: str, message: Record, uuid: str, session_id: str) -> Record:
    return {"type": kind, "message": message, "parent_tool_use_id": None, "session_id": session_id, "uuid": uuid}


def _ids(session_id: str) -> Record:
    return {"session_id": session_id, "uuid": str(uuid4())}


def _content(blocks: Sequence[Block]) -> list[Raw]:
    return [Raw(block_to_json(block)) for block in blocks]
