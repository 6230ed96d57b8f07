"""What a session is at a moment: its parts, its settings, and what it has spent; commands change it, prompts use it."""

import asyncio
from contextlib import suppress

from agent.compact.conversation import Conversation
from agent.compact.standing import shortened
from agent.custom_commands.catalog import Catalog
from agent.loop.deps import Deps, Parts
from agent.permissions.modes import Mode
from agent.protocol.asks import Asker
from agent.protocol.clock import Ids
from agent.protocol.errors import CcagentError, TranscriptError, UsageError
from agent.protocol.events import Emit, Event, HistoryChanged, MeterChanged, ModeChanged, ModelChanged, Notice
from agent.protocol.hooks import HookEvent, HookInput, HookRunner
from agent.session.asker import DenyingAsker
from agent.session.audit.charges import charges
from agent.session.build import Builder
from agent.session.kept_model import record_answered
from agent.session.totals import Totals
from agent.transcript.catalog import describe
from agent.transcript.entries import AI_TITLE, CUSTOM_TITLE


class State:
    """Parts are replaced as a whole: a new conversation or model never shares half of its parts with the old one."""

    def __init__(self, builder: Builder, conversation: Conversation, custom: Catalog, ids: Ids) -> None:
        self.builder = builder
        self.custom = custom
        self.ids = ids
        self.asker: Asker = DenyingAsker()  # who answers the questions of what runs now
        self._retired: list[HookRunner] = []
        self._title = ""
        self.key_source = "none"  # what brings the API's key
        self.parts: Parts = builder.parts(conversation)
        self.totals = self._no_totals()

    @property
    def conversation(self) -> Conversation:
        """What the session remembers."""
        return self.parts.conversation

    def deps(self, emit: Emit) -> Deps:
        """The parts for one run."""
        return Deps(parts=self.parts, emit=emit, asker=self.asker)

    def rebuild(self, conversation: Conversation | None = None) -> None:
        """Builds the parts anew from the builder's settings, keeping mode, session rules and working directory."""
        self._retired.append(self.parts.hooks)
        self.parts = self.builder.parts(conversation or self.conversation, like=self.parts)

    async def close(self) -> None:
        """Ends background hooks, the model and the transcript."""
        for hooks in (*self._retired, self.parts.hooks):
            await hooks.close()
        await self.parts.model.close()
        self.conversation.transcript.close()
        self.builder.close()

    async def start_over(self, emit: Emit) -> None:
        """/clear: a new conversation with a new id; the old one stays on disk."""
        await self._switch(self.builder.new_conversation(), "clear", emit)

    async def take_up_costs(self) -> None:
        """The cost of a conversation that was recorded before goes on."""
        transcript, totals = self.conversation.transcript, self._no_totals()
        if transcript.entries():
            with suppress(TranscriptError):  # a record that cannot be read fails no prompt for its cost
                transcript.mend()
                found, ledger = await asyncio.to_thread(charges, transcript.path), transcript.entries()
                totals.take_up(found, lambda leaf: shortened(ledger, ledger.chain.position(leaf)))
        self.totals = totals

    def see(self, event: Event) -> None:
        """Counts what happens; where the conversation goes on from another place, those compactions save that stand there."""
        self.totals.see(event)
        if isinstance(event, HistoryChanged):
            ledger = self.conversation.transcript.entries()
            with suppress(TranscriptError):  # as above
                self.totals.saving.shorter = shortened(ledger, ledger.chain.leaf)

    async def resume(self, session: str, emit: Emit) -> None:
        """/resume ID: another conversation of this folder; raises SessionNotFound or SessionBusy with nothing changed."""
        if session == self.conversation.transcript.session_id:
            raise UsageError("This is the session you are in.")
        await self._switch(self.builder.open_conversation(session), "resume", emit, take_up=True)

    async def branch(self, name: str, emit: Emit) -> None:
        """/branch: goes on in a copy of this conversation; raises UsageError or TranscriptError with nothing changed."""
        transcript = self.conversation.transcript
        if not transcript.entries():
            raise UsageError("There is nothing to branch from yet.")
        info = describe(transcript.path)
        title = name or (f"{info.title or info.first_prompt} (branch)" if info else "")
        copy = self.builder.branch_conversation(transcript.session_id)
        with suppress(CcagentError):  # a session without a title is one all the same
            copy.transcript.append_meta(CUSTOM_TITLE, {"customTitle": " ".join(title.split())})
        await self._switch(copy, "resume", emit)

    def set_mode(self, mode: str) -> ModeChanged:
        """Changes the permission mode; raises UsageError for an unknown word."""
        try:
            self.parts.authority.mode = Mode(mode)
        except ValueError as error:
            raise UsageError(f"There is no permission mode {mode!r}; the modes are {', '.join(Mode)}.") from error
        return ModeChanged(mode)

    async def moved(self, event: HistoryChanged, emit: Emit) -> None:
        """The conversation goes on from another place: what came with its messages is known as far as they stand there."""
        self.builder.opening.moved(self.conversation)
        await emit(event)
        await self.show_meter(emit)

    async def show_meter(self, emit: Emit) -> None:
        """Tells where the meter stands now, with what the first prompt will bring along as it is now."""
        await self.builder.opening.foresee(self.conversation)
        await emit(MeterChanged(self.conversation.reading(self.parts.frame)))

    async def run_session_hook(self, event: HookEvent, word: str, emit: Emit) -> None:
        """SessionStart (source) or SessionEnd (reason); what SessionStart hooks tell the model waits for the next prompt."""
        key = "source" if event is HookEvent.SESSION_START else "reason"
        fields: dict[str, object] = {key: word}
        if event is HookEvent.SESSION_START:
            fields["model"] = self.parts.frame.model
        outcome = await self.parts.hooks.run(HookInput(event=event, subject=word, fields=fields), emit)
        self.builder.opening.add(outcome.context)
        if outcome.title and word not in ("clear", "compact"):
            self._title = outcome.title

    def describe_session(self) -> None:
        """Records the model in force, and the title that a SessionStart hook has given, once there is a conversation to carry them."""
        with suppress(CcagentError):
            record_answered(self.conversation.transcript, self.builder.model_name)
        if self._title and self.conversation.transcript.entries():
            with suppress(CcagentError):  # as above
                self.conversation.transcript.append_meta(AI_TITLE, {"aiTitle": self._title})
            self._title = ""

    async def _go_on(self, before: str, emit: Emit) -> None:
        """An earlier conversation brings its cost along, and its model."""
        await self.take_up_costs()
        if self.parts.frame.model != before:
            for line in await self.builder.learn_window():
                await emit(Notice(level="warning", text=line))
            self.rebuild()
            await emit(ModelChanged(self.parts.frame.model))

    def _no_totals(self) -> Totals:
        return Totals(self.parts.clock.monotonic(), rehearsing=self.builder.offline)

    async def _switch(self, conversation: Conversation, reason: str, emit: Emit, *, take_up: bool = False) -> None:
        before = self.parts.frame.model
        await self.run_session_hook(HookEvent.SESSION_END, reason, emit)
        self.conversation.transcript.close()
        self.rebuild(conversation)
        if reason == "clear":
            self.totals = self._no_totals()
        await self.run_session_hook(HookEvent.SESSION_START, reason, emit)
        if take_up:
            await self._go_on(before, emit)
        await emit(HistoryChanged("clear" if reason == "clear" else "resume"))
        for text in conversation.transcript.notices:
            await emit(Notice(level="warning", text=text))
        await self.show_meter(emit)
