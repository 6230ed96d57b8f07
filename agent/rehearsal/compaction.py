"""Compaction on the server: a request that asks for one gets one signed block, alone, which later stands for what was said."""

import re

import msgspec

from agent.rehearsal.answer import Answer
from agent.rehearsal.prompt import chain
from agent.rehearsal.replies import Reply, Text, ToolUse
from agent.rehearsal.seals import seal
from agent.rehearsal.sse import Part
from agent.rehearsal.thinking import Checked
from agent.rehearsal.usage import text_tokens
from agent.rehearsal.walk import SummarySeal
from agent.rehearsal.wire import Json, as_int, as_text

SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)


def compact(reply: Reply, checked: Checked, room: int) -> Answer:
    """The answer to a request with the `compaction` parameter.

    A reply that is no summary (a tool call, a stop reason of its own, no text, more than max_tokens) gives an answer
    without content, which is paid for all the same: the stop reason tells why.
    """
    text = summary_text(reply)
    spent = max(1, text_tokens(text))
    limit = min(as_int(checked.prompt.body.get("max_tokens")) or room, room)
    if any(isinstance(block, ToolUse) for block in reply.blocks):
        return Answer((), "tool_use", None, spent, 0)
    if reply.stop_reason not in (None, "compaction"):
        return Answer((), str(reply.stop_reason), None, spent, 0)
    if spent > limit:
        stop = "model_context_window_exceeded" if limit == room else "max_tokens"
        return Answer((), stop, None, limit, 0)
    if not text:
        return Answer((), "end_turn", None, spent, 0)
    return Answer((Part(signed_block(text, checked)),), "compaction", None, spent, 0)


def summary_text(reply: Reply) -> str:
    """The summary in a reply: what stands in its summary tags, or all its text."""
    text = "\n".join(block.text for block in reply.blocks if isinstance(block, Text))
    found = SUMMARY.search(text)
    return (found.group(1) if found else text).strip()


def signed_block(text: str, checked: Checked) -> Json:
    """A compaction block for everything in a request, signed."""
    walk = checked.walk
    changes: list[object] = []
    role = checked.prompt.messages[-1].role
    made = SummarySeal(walk.root, walk.prefix, role, walk.summary, digest(text), digest(changes))
    return {"type": "compaction", "content": text, "signature": seal(made, "compaction"), "tool_changes": changes}


def plain_block(text: str) -> Json:
    """A compaction block as threshold compaction makes it, unsigned."""
    return {"type": "compaction", "content": text}


def digest(value: object) -> bytes:
    """A digest of a JSON value."""
    return chain(b"", msgspec.json.encode(value, order="sorted"))


def compaction_usage(usage: Json, message: Json | None = None) -> Json:
    """The usage of an answer that compacted: the compaction is in `iterations` only.

    `usage` is what the compaction cost, `message` what was sampled after it, if anything was.
    """
    names = (
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "cache_creation",
        "output_tokens",
    )
    iterations: list[Json] = [{"type": "compaction", **{name: usage[name] for name in names}}]
    if message is None:
        return usage | _nothing() | {"iterations": iterations}
    iterations.append({"type": "message", **{name: message[name] for name in names}})
    return message | {"iterations": iterations}


def _nothing() -> Json:
    return {
        "input_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"thinking_tokens": 0},
    }


def is_signed(block: Json) -> bool:
    """Whether a compaction block comes from a compaction on demand."""
    return bool(as_text(block.get("signature")))
