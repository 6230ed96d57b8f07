"""The messages after a boundary, in the notes' fixed order: summary, kept messages, attachments, hook results."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.compact.deps import CompactDeps
from agent.compact.ledger import BUDGET, user_words
from agent.compact.prompt import words
from agent.compact.restore import Restored, restore_files
from agent.compact.validate import SMALL_HISTORY
from agent.prompts.reminder import reminder_message
from agent.protocol.errors import SummaryRejected
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.messages import Message, user_message
from agent.protocol.results import Trigger
from agent.transcript.entries import MessageEntry
from agent.transcript.view import screen_view


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
    """The new history, its size in tokens (system and tools included), and the files it gives back."""

    messages: PostCompact
    tokens: int
    files: tuple[Path, ...]


async def rebuild(
    deps: CompactDeps,
    view: Sequence[MessageEntry],
    kept: tuple[MessageEntry, ...],
    summary: str,
    *,
    before: int,
    trigger: Trigger,
) -> Rebuilt:
    """What will stand in place of `view`, which has `before` tokens.

    Restored files are shed when with them the next turn would compact again. Raises SummaryRejected when the result would not be
    smaller, or (for an automatic compaction) when the next turn would compact again even without files.
    """
    context = [message for provider in deps.providers for message in await provider()]
    restored = restore_files(
        deps.conversation.read_state,
        window=deps.reading().windows.compaction,
        tokenizer=deps.frame.tokenizer,
        may_read=deps.may_read,
    )
    hooks = await _session_start_hooks(deps)
    opening = summary_message(summary, _user_words(deps, kept), deps.conversation.transcript.path)
    loop_goes_on = (go_on_message(),) if view[-1].message.tool_results else ()

    def build(files: tuple[Restored, ...]) -> Rebuilt:
        attachments = (*context, *(item.message for item in files), *loop_goes_on)
        post = PostCompact(summary=opening, kept=kept, attachments=attachments, hook_results=hooks)
        return Rebuilt(post, deps.size(post.messages), tuple(item.path for item in files))

    threshold = deps.reading().tiers.threshold
    whole = build(restored)
    rebuilt = whole if whole.tokens < threshold else build(())
    _refuse_if_useless(rebuilt.tokens, before, threshold if trigger == "auto" else None, deps.frame.overhead)
    return rebuilt


def _refuse_if_useless(after: int, before: int, threshold: int | None, overhead: int) -> None:
    if before > SMALL_HISTORY + overhead and after >= before:
        sizes = f"{before:,} → {after:,} tokens"
        raise SummaryRejected(f"The compacted conversation would not be smaller ({sizes}); it is unchanged.")
    if threshold is not None and after >= threshold:
        raise SummaryRejected(
            f"Even compacted, the conversation stays over the threshold ({after:,} of {threshold:,} tokens)."
        )


def _user_words(deps: CompactDeps, kept: Sequence[MessageEntry]) -> str:
    transcript = deps.conversation.transcript
    return user_words(
        screen_view(transcript.entries(), transcript.leaf),
        {entry.uuid for entry in kept},
        budget=min(BUDGET, deps.reading().tiers.threshold // 8),
        tokenizer=deps.frame.tokenizer,
    )


def summary_message(summary: str, words_of_user: str, transcript: Path) -> Message:
    """The summary as the user message that opens the compacted history, marked as background and not as an order."""
    said = f"\n{words_of_user}\n" if words_of_user else ""
    return user_message(words("continuation").format(summary=summary, user_words=said, transcript=transcript))


def go_on_message() -> Message:
    """Tells the model that its tool loop goes on."""
    return reminder_message(words("go_on"))


async def _session_start_hooks(deps: CompactDeps) -> tuple[Message, ...]:
    """What SessionStart(compact) hooks want the model to know."""
    hook = HookInput(event=HookEvent.SESSION_START, subject="compact", fields={"source": "compact"})
    texts = (await deps.hooks.run(hook, deps.emit)).context
    return tuple(reminder_message(text) for text in texts if text.strip())
