"""The messages after a boundary, in the notes' fixed order: summary, kept messages, attachments, hook results."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.compact.attempt import Attempt
from agent.compact.check import check
from agent.compact.deps import CompactDeps
from agent.compact.in_use import in_use
from agent.compact.prompt import words
from agent.compact.readable_record import record_folder, write_record
from agent.compact.restore import Restored, restore_files, shown_whole
from agent.compact.room import words_beside
from agent.compact.verify import Verified
from agent.prompts.reminder import CLOSE, reminder_message
from agent.protocol.errors import NothingGained
from agent.protocol.events import CompactProgress
from agent.protocol.hooks import HookEvent, HookInput
from agent.protocol.messages import Message, user_message
from agent.transcript.entries import MessageEntry

FILES_UNDER = 0.8  # of the ceiling: files given back leave the next prompts room, and bring no warning
LEAST_FRAME = 100  # tokens of the shortest summary and what we say around it


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


class Draft(Struct, frozen=True, kw_only=True):
    """A compaction that could be installed; `files` are given back as far as there is room and it still is smaller than `weight` tokens."""

    summary: Message
    kept: tuple[MessageEntry, ...]
    attachments: tuple[Message, ...]
    files: tuple[Restored, ...]
    goes_on: tuple[Message, ...]
    checked: Verified
    weight: int
    may_grow: bool

    def built(self, deps: CompactDeps, files: int, hooks: tuple[Message, ...] = ()) -> Rebuilt:
        """The new history with the first `files` of the files and what hooks add."""
        given = self.files[:files]
        attachments = (*self.attachments, *(item.message for item in given), *self.goes_on)
        post = PostCompact(summary=self.summary, kept=self.kept, attachments=attachments, hook_results=hooks)
        return Rebuilt(post, deps.size(post.messages), given, self.checked)

    def fitting(self, deps: CompactDeps, ceiling: int, hooks: tuple[Message, ...] = ()) -> Rebuilt | None:
        """The new history with as many files as leave it well under `ceiling`, and under `weight`; None when it is not without any."""
        for number in range(len(self.files), -1, -1):
            rebuilt = self.built(deps, number, hooks)
            most = FILES_UNDER * ceiling if number else ceiling
            if rebuilt.tokens < most and (rebuilt.tokens < self.weight or (number == 0 and self.may_grow)):
                return rebuilt
        return None


async def draft(deps: CompactDeps, attempt: Attempt, summary: str) -> Draft:
    """What could stand in place of the history; raises NothingGained when that would not be smaller."""
    conversation, split = deps.conversation, attempt.split
    record = await asyncio.to_thread(write_record, conversation.recorded(), conversation.transcript.path)
    folder = record_folder(conversation.transcript.path)
    said = words_beside(deps, split, attempt.room.ceiling, summary)
    frame = "continuation_part" if split.kept_first else "continuation_small" if attempt.small else "continuation"
    opening = summary_message(summary, said, record, folder, frame=frame)
    context = given_back(await deps.context(), split.kept)
    standing = (opening, *(entry.message for entry in split.kept))
    spare = attempt.weight - deps.size((*standing, *context))
    checked = await check(deps, standing, split.kept, ceiling=attempt.room.ceiling, words=said, spare=spare)
    repairs = (reminder_message(checked.text),) if checked.text else ()
    spare -= deps.conversation.meter.counter.messages(repairs)
    budget = 0 if attempt.small else min(attempt.room.names, spare)
    names = await in_use(deps, (opening.text, checked.text), split.kept, budget)
    drafted = Draft(
        summary=opening,
        kept=split.kept,
        attachments=(*repairs, *names, *context),
        files=await asyncio.to_thread(restored, deps, split.kept, attempt.room.ceiling),
        goes_on=(go_on_message(),) if split.resumes else (),
        checked=checked,
        weight=attempt.weight,
        may_grow=attempt.may_grow,
    )
    _refuse_if_useless(attempt, drafted.built(deps, 0).tokens)
    return drafted


async def rebuild(deps: CompactDeps, attempt: Attempt, drafted: Draft) -> Rebuilt:
    """What will stand in place of the history; SessionStart(compact) hooks run now that it is sure to be of use.

    Restored files are shed, the oldest first, while with them nothing would be gained or the next turn would compact again; then what
    hooks add.
    """
    hooks = await _session_start_hooks(deps)
    rebuilt = drafted.fitting(deps, attempt.room.ceiling, hooks)
    if rebuilt is not None:
        return rebuilt
    note = "what SessionStart hooks added does not fit and is left out"
    await deps.emit(CompactProgress(characters=0, note=note))
    return drafted.built(deps, 0)


def given_back(context: Sequence[Message], kept: Sequence[MessageEntry]) -> tuple[Message, ...]:
    """What providers give back, but for what stands in the kept messages, as it is or (a skill) at the end of the reminder of it."""
    standing = [text for entry in kept if entry.is_meta and (text := entry.message.text.strip())]
    return tuple(
        message
        for message in context
        if not any(message.text == text or message.text.endswith(f"\n\n{text}{CLOSE}") for text in standing)
    )


def restored(deps: CompactDeps, kept: Sequence[MessageEntry], ceiling: int) -> tuple[Restored, ...]:
    """The files to give back, but for those that a kept message shows, and for our own records of what was compacted."""
    records = deps.conversation.transcript.path.with_suffix("")
    shown = shown_whole(kept)
    return restore_files(
        deps.conversation.read_state,
        window=min(deps.reading().windows.compaction, ceiling),
        tokenizer=deps.frame.tokenizer,
        may_read=lambda path: str(path) not in shown and records not in path.parents and deps.may_read(path),
    )


async def refuse_if_hopeless(deps: CompactDeps, attempt: Attempt) -> None:
    """No request is spent by itself on a compaction whose result cannot be small enough; raises NothingGained."""
    if attempt.trigger == "manual" or attempt.may_grow:
        return
    kept = attempt.split.kept
    least = deps.size((*(entry.message for entry in kept), *given_back(await deps.context(), kept)))
    least += deps.metered(LEAST_FRAME)
    if least >= attempt.weight:
        raise _nothing_gained(attempt, least)


def _nothing_gained(attempt: Attempt, after: int) -> NothingGained:
    gain = "too little" if attempt.told(after) < attempt.before else "nothing"
    sizes = f"{attempt.before:,} → {attempt.told(after):,} tokens"
    return NothingGained(f"A compaction would gain {gain} ({sizes}); the conversation is unchanged.")


def _refuse_if_useless(attempt: Attempt, after: int) -> None:
    """Nothing is installed that is not smaller, but a very short conversation by hand: /compact works from the first exchange."""
    if not attempt.may_grow and after >= attempt.weight:
        raise _nothing_gained(attempt, after)


def summary_message(
    summary: str, words_of_user: str, record: Path, folder: Path, *, frame: str = "continuation"
) -> Message:
    """The summary as a user message, marked by the words of `frame` as background and not as an order."""
    said = f"\n{words_of_user}\n" if words_of_user else ""
    name = record.name if record.parent == folder else record
    return user_message(words(frame).format(summary=summary, user_words=said, record=name, folder=folder))


def go_on_message() -> Message:
    """Tells the model that its tool loop goes on."""
    return reminder_message(words("go_on"))


async def _session_start_hooks(deps: CompactDeps) -> tuple[Message, ...]:
    """What SessionStart(compact) hooks want the model to know."""
    hook = HookInput(
        event=HookEvent.SESSION_START, subject="compact", fields={"source": "compact", "model": deps.frame.model}
    )
    texts = (await deps.hooks.run(hook, deps.emit)).context
    return tuple(reminder_message(text) for text in texts if text.strip())
