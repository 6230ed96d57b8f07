"""Takes a prompt in: hooks may block it, the room is made, then its words go on record."""

from collections.abc import Sequence

from msgspec import Struct

from agent.attachments.collect import attached_notice
from agent.compact.pin_notes import due_pin_notes
from agent.loop.deps import Deps
from agent.loop.hold import hold_too_long
from agent.loop.large_prompt import tell_if_large
from agent.loop.make_room import make_room
from agent.loop.tally import Coming, Tally
from agent.prompts.reminder import reminder_message
from agent.protocol.errors import PromptBlocked, UsageError
from agent.protocol.events import PromptAccepted
from agent.protocol.hooks import HookEvent, HookInput, HookOutcome
from agent.protocol.messages import Message, user_message
from agent.tokens.messages import estimate_message
from agent.transcript.entries import AI_TITLE, INVOKED_SKILL, PROMPT_CONTEXT


class Body(Struct, frozen=True):
    """What a custom command stands for: its `text`, and the part of it whose @paths are attached (no command's output)."""

    text: str
    mentioning: str


async def accept(deps: Deps, tally: Tally, prompt: str, body: Body | None = None) -> None:
    """Records `prompt` after what belongs before it: opening, @attachments, hook context; then `body`, if it is a custom command.

    Raises UsageError for a blank prompt, PromptBlocked or ContextLimitReached; nothing is recorded then.
    """
    if not prompt.strip():
        raise UsageError("The prompt is empty.", safe="Nothing was sent.")
    hold_too_long(deps, prompt, *([body.text] if body else []))
    outcome = await _prompt_hooks(deps, prompt)
    if outcome.blocked or outcome.stop:
        reason = outcome.reason or outcome.stop_reason or "A UserPromptSubmit hook blocked the prompt."
        raise PromptBlocked(reason, safe="Nothing was sent.")
    try:
        await _record(deps, tally, prompt, body, outcome)
    finally:
        if tally.accepted is None:
            deps.parts.opening_held()


async def _record(deps: Deps, tally: Tally, prompt: str, body: Body | None, outcome: HookOutcome) -> None:
    opening = await deps.parts.opening()
    mentioned = await deps.parts.mentions(body.mentioning if body else prompt)
    said = _reminders(outcome.context)
    after = (user_message(body.text),) if body else ()
    message = user_message(prompt)
    tokens = _size(deps, (*_pin_notes(deps), *opening, *mentioned.messages, *said, message, *after))
    await make_room(deps, tally, tokens - _size(deps, deps.conversation.expected))  # the meter counts that already
    await tell_if_large(deps, (*mentioned.messages, message, *after))
    transcript = deps.conversation.transcript
    known = deps.conversation.read_state.snapshot()
    coming = Coming(text=prompt, tokens=tokens, leaf=transcript.leaf, known=known)
    late = _reminders(deps.parts.hooks.late())  # said once: only a prompt that is not held any more may take it
    for part in (
        *_pin_notes(deps),
        *opening,
        *mentioned.messages,
        *late,
        *said,
    ):  # a compaction has told of the pins itself
        transcript.append_attachment(PROMPT_CONTEXT, part, mentioned.attached if part in mentioned.messages else ())
    entry = transcript.append_message(message)
    tally.accepted = coming
    for path, stamp in mentioned.read:
        deps.conversation.read_state.set(path, stamp)
    for part in after:
        transcript.append_attachment(INVOKED_SKILL, part)
    if outcome.title:
        transcript.append_meta(AI_TITLE, {"aiTitle": outcome.title})
    await deps.emit(PromptAccepted(uuid=entry.uuid, text=prompt))
    if mentioned.attached:
        await deps.emit(attached_notice(mentioned.attached))


def _reminders(texts: Sequence[str]) -> tuple[Message, ...]:
    return tuple(reminder_message(text) for text in texts)


def _pin_notes(deps: Deps) -> tuple[Message, ...]:
    """What the model must still be told of pins: a rewind or an undo may have brought back what is not in force any more."""
    return due_pin_notes(deps.conversation.recorded(), deps.conversation.edits.pins)


async def _prompt_hooks(deps: Deps, prompt: str) -> HookOutcome:
    fields: dict[str, object] = {"prompt": prompt, "permission_mode": deps.parts.authority.mode.value}
    return await deps.parts.hooks.run(
        HookInput(event=HookEvent.USER_PROMPT_SUBMIT, subject="", fields=fields), deps.emit
    )


def _size(deps: Deps, messages: tuple[Message, ...]) -> int:
    return sum(estimate_message(message, deps.parts.frame.tokenizer) for message in messages)
