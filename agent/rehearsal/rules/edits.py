"""Rules for context editing: which edits there are, and what they may say."""

from agent.rehearsal.prompt import Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import Json, as_int, as_list, as_object, as_text

CLEAR_TOOLS, CLEAR_THINKING, COMPACT = "clear_tool_uses_20250919", "clear_thinking_20251015", "compact_20260112"
EDITING_BETA = "context-management-2025-06-27"
COMPACT_BETA = "compact-2026-01-12"
FIELDS = {
    CLEAR_TOOLS: {"type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"},
    CLEAR_THINKING: {"type", "keep"},
    COMPACT: {"type", "trigger", "pause_after_compaction", "instructions"},
}
MIN_TRIGGER = 50_000
"""Tokens below which threshold compaction cannot be set."""


def edits(prompt: Prompt) -> None:
    """`context_management.edits`: known edits, each once, clear_thinking first, under their beta headers."""
    if "context_management" not in prompt.body:
        return
    config = as_object(prompt.body["context_management"])
    if set(config) - {"edits"} or not isinstance(config.get("edits", []), list):
        raise Refusal("edits.config", "context_management: Input should be an object with a list of edits")
    names = [as_text(as_object(edit).get("type")) for edit in as_list(config.get("edits"))]
    for place, edit in enumerate(as_list(config.get("edits"))):
        _edit(prompt, as_object(edit), f"context_management.edits.{place}")
    if len(set(names)) < len(names):
        raise Refusal("edits.config", "context_management.edits: each edit may be given once")
    if CLEAR_THINKING in names[1:]:
        raise Refusal("edits.config", f"context_management.edits: `{CLEAR_THINKING}` must be the first edit")


def _edit(prompt: Prompt, edit: Json, where: str) -> None:
    name = as_text(edit.get("type"))
    needed = COMPACT_BETA if name == COMPACT else EDITING_BETA
    if name not in FIELDS or needed not in prompt.betas:
        raise Refusal("edits.config", f"{where}: Input tag '{name}' does not match any of the expected tags")
    for field in edit:
        if field not in FIELDS[name]:
            raise Refusal("edits.config", f"{where}.{name}.{field}: Extra inputs are not permitted")
    if name == CLEAR_THINKING and not prompt.thinks:
        raise Refusal(
            "edits.config", f"{where}: `{CLEAR_THINKING}` strategy requires `thinking` to be enabled or adaptive"
        )
    if name == COMPACT:
        _trigger(prompt, edit, where)


def _trigger(prompt: Prompt, edit: Json, where: str) -> None:
    if not prompt.model.summarize:
        raise Refusal("edits.config", f"{where}: `{COMPACT}` is not supported for {prompt.model.id}")
    trigger = edit.get("trigger")
    if trigger is not None and (as_int(as_object(trigger).get("value")) or 0) < MIN_TRIGGER:
        raise Refusal("edits.config", f"{where}.{COMPACT}.trigger.value: at least {MIN_TRIGGER} tokens")
