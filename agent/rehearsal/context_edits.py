"""Context editing on the server: what the model is not shown, though the client keeps sending it."""

import msgspec

from agent.rehearsal.prompt import Message, Prompt, is_thinking
from agent.rehearsal.rules.compaction import edits_of
from agent.rehearsal.rules.edits import CLEAR_THINKING, CLEAR_TOOLS, COMPACT
from agent.rehearsal.usage import block_tokens
from agent.rehearsal.wire import Json, as_int, as_list, as_object, as_text, kind

PLACEHOLDER = "[Old tool result content cleared by context management]"
CLEAR_TRIGGER = 100_000
COMPACT_TRIGGER = 150_000
KEPT_USES = 3
KEPT_TURNS = 1


class Edited(msgspec.Struct, frozen=True):
    """A request after its edits, and each edit that did something as `applied_edits` reports it."""

    prompt: Prompt
    applied: tuple[Json, ...]


def apply_edits(prompt: Prompt) -> Edited:
    """Apply the clearing edits that a request asks for, in order."""
    applied: list[Json] = []
    for edit in edits_of(prompt):
        match as_text(edit.get("type")):
            case name if name == CLEAR_THINKING:
                prompt, report = _clear_thinking(prompt, edit)
            case name if name == CLEAR_TOOLS:
                prompt, report = _clear_tools(prompt, edit)
            case _:
                continue
        if report is not None:
            applied.append(report)
    return Edited(prompt, tuple(applied))


def compaction_edit(prompt: Prompt) -> Json | None:
    """The threshold compaction of a request, when its prompt has reached the trigger."""
    for edit in edits_of(prompt):
        trigger = as_int(as_object(edit.get("trigger")).get("value")) or COMPACT_TRIGGER
        if edit.get("type") == COMPACT and prompt.tokens >= trigger:
            return edit
    return None


def after_compaction(prompt: Prompt) -> Prompt:
    """The request without what stands before its last compaction block."""
    places = [
        (number, place)
        for number, message in enumerate(prompt.messages)
        for place, block in enumerate(message.blocks)
        if kind(block) == "compaction" and block.get("content")
    ]
    if not places or places[-1] == (0, 0):
        return prompt
    number, place = places[-1]
    cut = prompt.messages[number]
    head = Message(cut.role, cut.blocks[place:], cut.index)
    return prompt.with_messages([head, *prompt.messages[number + 1 :]])


def _clear_thinking(prompt: Prompt, edit: Json) -> tuple[Prompt, Json | None]:
    keep = edit.get("keep")
    if keep == "all" or as_object(keep).get("type") == "all":
        return prompt, None
    turns = as_int(as_object(keep).get("value")) or KEPT_TURNS
    thinking = [m.index for m in prompt.messages if m.role == "assistant" and any(is_thinking(b) for b in m.blocks)]
    old = set(thinking[:-turns])
    kept = [
        Message(m.role, tuple(b for b in m.blocks if m.index not in old or not is_thinking(b)), m.index)
        for m in prompt.messages
    ]
    cleared = prompt.with_messages([message for message in kept if message.blocks])
    if not old:
        return prompt, None
    tokens = prompt.tokens - cleared.tokens
    return cleared, {"type": CLEAR_THINKING, "cleared_thinking_turns": len(old), "cleared_input_tokens": tokens}


def _clear_tools(prompt: Prompt, edit: Json) -> tuple[Prompt, Json | None]:
    uses = [block for message in prompt.messages for block in message.blocks if kind(block) == "tool_use"]
    trigger = as_object(edit.get("trigger"))
    limit = as_int(trigger.get("value")) or CLEAR_TRIGGER
    if (len(uses) if trigger.get("type") == "tool_uses" else prompt.tokens) < limit:
        return prompt, None
    keep = as_int(as_object(edit.get("keep")).get("value"))
    kept = KEPT_USES if keep is None else keep
    spared = [as_text(name) for name in as_list(edit.get("exclude_tools"))]
    old = {as_text(use.get("id")) for use in uses[: len(uses) - kept] if as_text(use.get("name")) not in spared}
    cleared = _cleared(prompt, old, inputs=edit.get("clear_tool_inputs") is True)
    tokens = prompt.tokens - cleared.tokens
    if not old or tokens < (as_int(as_object(edit.get("clear_at_least")).get("value")) or 1):
        return prompt, None
    return cleared, {"type": CLEAR_TOOLS, "cleared_tool_uses": len(old), "cleared_input_tokens": tokens}


def _cleared(prompt: Prompt, old: set[str], *, inputs: bool) -> Prompt:
    def clear(block: Json) -> Json:
        if kind(block) == "tool_result" and as_text(block.get("tool_use_id")) in old:
            shorter = block | {"content": PLACEHOLDER}
            return shorter if block_tokens(shorter) < block_tokens(block) else block
        if inputs and kind(block) == "tool_use" and as_text(block.get("id")) in old:
            return block | {"input": {}}
        return block

    return prompt.with_messages([Message(m.role, tuple(clear(b) for b in m.blocks), m.index) for m in prompt.messages])
