"""What a run is made of: Parts live as long as the conversation, Deps are Parts and this run's emit and asker."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from agent.attachments.collect import Collected
from agent.compact.conversation import Conversation
from agent.compact.deps import CompactDeps, Provider
from agent.context.frame import Frame
from agent.permissions.gate import Gate
from agent.permissions.modes import Mode
from agent.permissions.rules import Rule
from agent.protocol.asks import Asker
from agent.protocol.clock import Clock
from agent.protocol.events import Emit
from agent.protocol.hooks import HookRunner
from agent.protocol.meter import Reading
from agent.protocol.model import Model
from agent.protocol.tools import Tool
from agent.telemetry.log import Log

AnyTool: TypeAlias = Tool[object]
Mentions: TypeAlias = Callable[[str], Awaitable[Collected]]
NestedMemory: TypeAlias = Callable[[Path], Awaitable[tuple[str, ...]]]


async def _no_memory(_path: Path) -> tuple[str, ...]:
    return ()


class Authority:
    """Who may do what, now: the permission mode and the gate, both changed by the person during the session."""

    def __init__(self, gate: Gate, mode: Mode) -> None:
        self.gate = gate
        self.mode = mode
        self._settled = gate  # what the settings say, without what follows
        self._session_rules: list[Rule] = []
        self._lent: tuple[Rule, ...] = ()

    @property
    def session_rules(self) -> tuple[Rule, ...]:
        """What the person has allowed until the session ends."""
        return tuple(self._session_rules)

    def allow_for_session(self, rule: Rule) -> None:
        """Adds a rule that lives until the session ends."""
        self._session_rules.append(rule)
        self._judge_anew()

    def take_rules(self, gate: Gate) -> None:
        """Judges by `gate` (new settings) and by what the person has allowed for this session."""
        self._settled = gate
        self._judge_anew()

    @contextmanager
    def lending(self, rules: Sequence[Rule]) -> Iterator[None]:
        """Allows what `rules` say for a while: a custom command's `allowed-tools`."""
        self._lent = tuple(rules)
        self._judge_anew()
        try:
            yield
        finally:
            self._lent = ()
            self._judge_anew()

    def _judge_anew(self) -> None:
        gate = self._settled
        for rule in (*self._session_rules, *self._lent):
            gate = gate.with_session_rule(rule)
        self.gate = gate


class Workplace:
    """Where calls run: the working directory (Bash moves it) and the folders the session may work in."""

    def __init__(self, cwd: Path, roots: tuple[Path, ...]) -> None:
        self.cwd = cwd
        self.roots = roots

    def move(self, cwd: Path) -> None:
        """Makes `cwd` the working directory of later calls."""
        self.cwd = cwd


class Limits(Struct, frozen=True):
    """Where a prompt must stop: turns and US dollars; None for no limit."""

    max_turns: int | None = None
    max_budget: float | None = None


class Parts(Struct, frozen=True, kw_only=True):
    """Built by session/open.py.

    `opening` gives the messages that stand before the first prompt (environment, memory, hooks); `opening_held` is told that the prompt
    is not in the conversation, so that the next one brings what is told only once.
    `mentions` turns the @paths of a prompt into attachments. `spill_limit` (tokens) replaces the usual limits of one tool result.
    `nested_memory` gives the instructions that come with a file that was just read, `env_files` what Bash sources first.
    """

    conversation: Conversation
    frame: Frame
    model: Model
    hooks: HookRunner
    clock: Clock
    log: Log
    tools: Mapping[str, AnyTool]
    authority: Authority
    workplace: Workplace
    env: Mapping[str, str]
    spill_dir: Path
    spill_limit: int | None = None
    opening: Provider
    opening_held: Callable[[], None] = lambda: None
    mentions: Mentions
    limits: Limits = Limits()
    compact_instructions: str = ""
    compact_providers: tuple[Provider, ...] = ()
    compact_context_given: Callable[[], None] = lambda: None
    compact_disabled: str = ""
    compact_approve: bool = False
    reactive_compact: bool = True
    micro_compact: bool = True
    file_checkpointing: bool = True
    may_read: Callable[[Path], bool] = lambda _path: True
    nested_memory: NestedMemory = _no_memory
    env_files: Callable[[], tuple[Path, ...]] = lambda: ()


class Deps(Struct, frozen=True, kw_only=True):
    """Parts, and where this run's events and questions go."""

    parts: Parts
    emit: Emit
    asker: Asker

    @property
    def conversation(self) -> Conversation:
        """What the session remembers."""
        return self.parts.conversation

    def reading(self) -> Reading:
        """How full the context is now."""
        return self.parts.conversation.reading(self.parts.frame)

    @property
    def compact(self) -> CompactDeps:
        """The part of all this that a compaction needs."""
        parts = self.parts
        return CompactDeps(
            conversation=parts.conversation,
            frame=parts.frame,
            model=parts.model,
            hooks=parts.hooks,
            emit=self.emit,
            clock=parts.clock,
            log=parts.log,
            instructions=parts.compact_instructions,
            providers=parts.compact_providers,
            context_given=parts.compact_context_given,
            may_read=parts.may_read,
            disabled=parts.compact_disabled,
            permission_mode=parts.authority.mode.value,
            asker=self.asker,
            approve=parts.compact_approve,
        )
