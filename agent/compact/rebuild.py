"""The messages after a boundary, in the notes' fixed order: summary, kept messages, attachments, hook results."""

import asyncio
from pathlib import Path

from msgspec import Struct

from agent.compact.attempt import Attempt
from agent.compact.check import check
from agent.compact.deps import CompactDeps
from agent.compact.prompt import words
from agent.compact.readable_record import record_folder, write_record
from agent.compact.restore import Restored, restore_files
from agent.compact.validate import SMALL_HISTORY
from agent.compact.verify import Verified
from agent.prompts.reminder import reminder_message
from agent.protocol.errors import SummaryRejected
from agent.protocol.events import CompactProgress
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.messages import Message, user_message
from agent.transcript.entries import MessageEntry


class PostCompact(Struct, frozen=True, kw_only=True):
    """What follows the boundary."""

    summary: Message
    kept: tuple[MessageEntry, ...]
    attachments: tuple[Message, ...]
    hook_results: tuple[Message, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """buildPostCompactMessages of design note 000 section 3, without the boundary itself."""
        return (self.summary, *(entry.message for entry in self.kept), *self.attachments, *self.hook_results)


class Rebuilt(Struct, frozen=True):
    """The new history, its size in tokens (system and tools included), the files it gives back, and how it stood the check."""

    messages: PostCompact
    tokens: int
    files: tuple[Restored, ...]
    checked: Verified


async def rebuild(deps: CompactDeps, attempt: Attempt, summary: str) -> Rebuilt:
    """What will stand in place of the history; SessionStart(compact) hooks run once it is sure to be of use.

    Restored files are shed, the oldest first, then what hooks add, while with them the next turn would compact again. Raises
    SummaryRejected when the result would not be smaller.
    """
    conversation, kept = deps.conversation, attempt.split.kept
    record = await asyncio.to_thread(write_record, conversation.recorded(), conversation.transcript.path)
    opening = summary_message(summary, attempt.room.words, record, record_folder(conversation.transcript.path))
    standing = (opening, *(entry.message for entry in kept))
    checked = await check(deps, standing, kept, ceiling=attempt.room.ceiling, words=attempt.room.words)
    repairs = (reminder_message(checked.text),) if checked.text else ()
    context = await deps.context()
    goes_on = (go_on_message(),) if attempt.split.resumes else ()

    def build(files: tuple[Restored, ...], hooks: tuple[Message, ...]) -> Rebuilt:
        attachments = (*repairs, *context, *(item.message for item in files), *goes_on)
        post = PostCompact(summary=opening, kept=kept, attachments=attachments, hook_results=hooks)
        return Rebuilt(post, deps.size(post.messages), files, checked)

    least = build((), ())
    _refuse_if_useless(least.tokens, attempt.before, deps.frame.overhead)
    hooks = await _session_start_hooks(deps)
    files = _restored(deps, attempt)
    for number in range(len(files), -1, -1):
        rebuilt = build(files[:number], hooks)
        if rebuilt.tokens < attempt.room.ceiling:
            return rebuilt
    note = "what SessionStart hooks added does not fit and is left out"
    await deps.emit(CompactProgress(characters=0, note=note))
    return least


def _restored(deps: CompactDeps, attempt: Attempt) -> tuple[Restored, ...]:
    return restore_files(
        deps.conversation.read_state,
        window=min(deps.reading().windows.compaction, attempt.room.ceiling),
        tokenizer=deps.frame.tokenizer,
        may_read=deps.may_read,
    )


def _refuse_if_useless(after: int, before: int, overhead: int) -> None:
    if before > SMALL_HISTORY + overhead and after >= before:
        sizes = f"{before:,} → {after:,} tokens"
        raise SummaryRejected(f"The compacted conversation would not be smaller ({sizes}); it is unchanged.")


def summary_message(summary: str, words_of_user: str, record: Path, folder: Path) -> Message:
    """The summary as the user message that opens the compacted history, marked as background and not as an order."""
    said = f"\n{words_of_user}\n" if words_of_user else ""
    return user_message(words("continuation").format(summary=summary, user_words=said, record=record, folder=folder))


def go_on_message() -> Message:
    """Tells the model that its tool loop goes on."""
    return reminder_message(words("go_on"))


async def _session_start_hooks(deps: CompactDeps) -> tuple[Message, ...]:
    """What SessionStart(compact) hooks want the model to know."""
    hook = HookInput(event=HookEvent.SESSION_START, subject="compact", fields={"source": "compact"})
    texts = (await deps.hooks.run(hook, deps.emit)).context
    return tuple(reminder_message(text) for text in texts if text.strip())
