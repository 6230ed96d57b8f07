"""Our own policy: the engine's real compaction, over a real transcript in a folder of its own."""

from pathlib import Path

from agent.compact.compact import compact
from agent.compact.conversation import Conversation
from agent.compact.deps import CompactDeps
from agent.compact.readable_record import record_folder
from agent.compact.tail_policy import TAIL, TailPolicy
from agent.context.frame import Frame
from agent.context.meter import Meter
from agent.file_history.snapshots import FileHistory
from agent.models.table import lookup
from agent.protocol.clock import RandomIds, SystemClock
from agent.protocol.events import Event
from agent.protocol.hooks import HookInput, HookOutcome
from agent.protocol.messages import Message
from agent.protocol.meter import Tiers, Windows, WindowSource
from agent.protocol.model import Model
from agent.telemetry.log import Log
from agent.tools.read_state import FileReadState
from agent.transcript.transcript import Transcript
from tests.bench.compaction.policies import PROMPT, Tools
from tests.bench.compaction.prices import MODEL, OVERHEAD


class NoHooks:
    """Nobody has set up hooks."""

    async def run(self, hook: HookInput, emit: object) -> HookOutcome:
        """Nothing to say."""
        return HookOutcome()

    def tell(self, hook: HookInput, emit: object) -> None:
        """Nothing to start."""

    def late(self) -> tuple[str, ...]:
        """Nothing said later."""
        return ()

    async def close(self) -> None:
        """Nothing to end."""


class Engine:
    """See Policy; the threshold is a compaction window with auto-compact at `threshold`."""

    def __init__(
        self,
        tools: Tools,
        folder: Path,
        threshold: int,
        *,
        tail: TailPolicy = TAIL,
        model: Model | None = None,
        name: str = MODEL,
    ) -> None:
        self.tools = tools
        clock, info = SystemClock(), lookup(name)
        transcript = Transcript.create(
            folder / "session.jsonl", session_id="session", cwd=folder, version="0", clock=clock, ids=RandomIds()
        )
        history = FileHistory(folder / "file-history", clock)
        self.conversation = Conversation(transcript, Meter(info.tokenizer), FileReadState(), history)
        windows = Windows(info.window, threshold, info.max_output, WindowSource.TABLE)
        tiers = Tiers(
            warning=threshold * 80 // 100,
            error=threshold * 92 // 100,
            auto_compact=threshold,
            blocking=info.window - 23_000,
        )
        self.conversation.meter.configure(windows, tiers, True)
        self._deps = CompactDeps(
            conversation=self.conversation,
            frame=Frame(info=info, system=("You are a coding agent.",), tools=(), overhead=OVERHEAD),
            model=model or tools.summariser,
            hooks=NoHooks(),
            emit=_nobody,
            clock=clock,
            log=Log(folder / "logs"),
            tail=tail,
        )

    def add(self, message: Message, *, failed: bool = False) -> None:
        """See Policy."""
        self.conversation.transcript.append_message(message, model=self._deps.frame.model)

    def messages(self) -> tuple[Message, ...]:
        """See Policy."""
        return self.conversation.messages()

    async def shrink(self, threshold: int, *, mid_turn: bool) -> None:
        """See Policy; an engine that does not compact here is a mistake of the bench."""
        before = self.messages()
        receipt = await compact(self._deps, trigger="auto", mid_turn=mid_turn)
        self.tools.till.summary(before, PROMPT, receipt.usage.output)

    def recall(self, key: str) -> bool:
        """One search of the readable records finds the line, a second call reads it: so it must stand there as it is."""
        folder = record_folder(self.conversation.transcript.path)
        return any(key in file.read_text("utf-8") for file in folder.glob("*.md"))

    def close(self) -> None:
        """Releases the transcript."""
        self.conversation.transcript.close()


async def _nobody(_event: Event) -> None:
    """Nobody watches."""
