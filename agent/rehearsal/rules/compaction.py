"""Rules for compaction: the parameter that asks for one, and the block that is sent back."""

from agent.rehearsal.compaction import digest, is_signed
from agent.rehearsal.prompt import Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.walk import read_seal
from agent.rehearsal.wire import Json, as_object, as_text, kind

ON_DEMAND = "compact-2026-09-04"
THRESHOLD = "compact-2026-01-12"
MAX_INSTRUCTIONS = 16_384


def parameter(prompt: Prompt) -> None:
    """`compaction`: well formed, known to the model, without what only shapes a reply."""
    if "compaction" not in prompt.body:
        return
    config = as_object(prompt.body["compaction"])
    if config.get("type") != "summarize" or set(config) - {"type", "instructions"}:
        raise Refusal(
            "compaction.config", "compaction: Input should be of type 'summarize', with optional instructions"
        )
    if not isinstance(config.get("instructions", ""), str | None):
        raise Refusal("compaction.config", "compaction.summarize.instructions: Input should be a valid string")
    if len(as_text(config.get("instructions"))) > MAX_INSTRUCTIONS:
        raise Refusal(
            "compaction.config", f"compaction.summarize.instructions: at most {MAX_INSTRUCTIONS} characters are allowed"
        )
    if not prompt.model.summarize:
        raise Refusal("compaction.config", f"compaction: not supported for {prompt.model.id}")
    for field in _reply_only(prompt):
        raise Refusal("compaction.config", f"{field}: cannot be combined with `compaction`")


def _reply_only(prompt: Prompt) -> list[str]:
    body = prompt.body
    found = [name for name in ("context_management", "stop_sequences") if body.get(name)]
    if as_object(body.get("tool_choice")).get("type") in ("any", "tool"):
        found.append("tool_choice")
    if as_object(body.get("output_config")).get("format") is not None:
        found.append("output_config.format")
    return found


def finished(prompt: Prompt) -> None:
    """A compaction request holds something, and no tool call of it is open."""
    if "compaction" not in prompt.body:
        return
    if not any(kind(block) != "compaction" for message in prompt.messages for block in message.blocks):
        raise Refusal(
            "compaction.nothing",
            "messages: there is no `user` or `assistant` content to summarize",
            code="compaction_nothing_to_summarize",
        )
    last = prompt.messages[-1]
    if last.role == "assistant" and any(kind(block) == "tool_use" for block in last.blocks):
        raise Refusal(
            "compaction.open",
            f"messages.{last.index}: the compaction request ends on an `assistant` turn that is not finished",
            code="compaction_incomplete_turn",
        )


def block(prompt: Prompt) -> None:
    """A signed compaction block: one, first, as it was returned, and followed by what followed its messages."""
    places = [
        (message.index, place, found)
        for message in prompt.messages
        for place, found in enumerate(message.blocks)
        if kind(found) == "compaction"
    ]
    if not places:
        return
    if not prompt.betas & {ON_DEMAND, THRESHOLD}:
        raise Refusal("compaction.beta", f"messages.{places[0][0]}: Input tag 'compaction' needs a beta header")
    signed = [entry for entry in places if is_signed(entry[2])]
    if not signed:
        return
    index, place, found = signed[0]
    where = f"messages.{index}.content.{place}"
    if ON_DEMAND not in prompt.betas:
        raise Refusal("compaction.beta", f"{where}.compaction.signature: Extra inputs are not permitted")
    if len([entry for entry in places if entry[2].get("content")]) > 1:
        raise Refusal(
            "compaction.several",
            "messages: more than one `compaction` block with content",
            code="compaction_block_ambiguous",
        )
    if (index, place) != (prompt.messages[0].index, 0):
        raise Refusal(
            "compaction.place",
            f"{where}: the `compaction` block must be the first block of the conversation",
            code="compaction_block_misplaced",
        )
    _genuine(found, where)
    _followed(prompt, found)
    if any(as_text(edit.get("type")) == "compact_20260112" for edit in edits_of(prompt)):
        raise Refusal("compaction.config", "context_management: no compaction edit beside a signed `compaction` block")


def edits_of(prompt: Prompt) -> list[Json]:
    """The edits that a request asks for."""
    edits = as_object(prompt.body.get("context_management")).get("edits")
    return [as_object(edit) for edit in edits] if isinstance(edits, list) else []


def _genuine(found: Json, where: str) -> None:
    for name, value in found.items():
        if value is None:
            raise Refusal("compaction.altered", f"{where}.compaction.{name}: Input should not be null")
    made = read_seal(found)
    if made is None:
        raise Refusal(
            "compaction.altered",
            f"{where}: the `signature` of the `compaction` block does not verify",
            code="compaction_signature_invalid",
        )
    if digest(found.get("content")) != made.content:
        raise Refusal(
            "compaction.altered",
            f"{where}: the `content` of the `compaction` block differs from what its `signature` recorded",
            code="compaction_content_mismatch",
        )
    if digest(found.get("tool_changes")) != made.changes:
        raise Refusal(
            "compaction.altered",
            f"{where}: the `tool_changes` of the `compaction` block differ from what was returned with it",
            code="compaction_tool_changes_mismatch",
        )


def _followed(prompt: Prompt, found: Json) -> None:
    """The first message that was kept answers the last one that was summarised."""
    made = read_seal(found)
    first = prompt.messages[0]
    kept = first.role if len(first.blocks) > 1 else next((message.role for message in prompt.messages[1:]), None)
    if made is not None and kept == made.role:
        raise Refusal(
            "compaction.kept",
            "messages: the first message after the `compaction` block must differ in role from the last one it summarises",
        )
    if kept == "system":
        raise Refusal("compaction.kept", "messages: a `system` message cannot follow the `compaction` block")
