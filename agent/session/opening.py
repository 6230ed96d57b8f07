"""What stands before the first prompt: environment, memory and what SessionStart hooks say; given again after a compaction."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from agent.compact.conversation import Conversation
from agent.memory.claude_md import Memory, MemoryFile, load_memory, render_memory
from agent.memory.nested import NestedMemory, load_reason, nested_text
from agent.prompts.environment import Environment, collect_environment, context_message, environment_text, today
from agent.prompts.reminder import kept_inside, reminder_message
from agent.protocol.clock import Clock
from agent.protocol.events import Emit, Notice
from agent.protocol.hooks import HookRunner
from agent.protocol.messages import Message, user_message
from agent.session.instructions_told import tell_loaded
from agent.session.late_context import Given, files_given, late_date, late_memory
from agent.settings.env import flag
from agent.settings.paths import Places
from agent.settings.settings import Settings

OFF_VARIABLE = "CLAUDE_CODE_DISABLE_CLAUDE_MDS"
ADDED_VARIABLE = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"


class _Collected(Struct, frozen=True):
    """Environment and memory at one moment; `seen` are the real paths of all memory in it."""

    surroundings: str
    memory: Memory
    seen: frozenset[str]

    @property
    def message(self) -> Message:
        return user_message(context_message(self.surroundings, render_memory(self.memory)))


class _Told(Struct, frozen=True):
    """What had been told when the last prompt came: to which conversation, which nested memory; and what hooks had yet to tell."""

    known: Conversation | None = None
    nested: frozenset[str] = frozenset()
    hook_context: tuple[str, ...] = ()


class Opening:
    """Collected anew each time it is given, so that a changed CLAUDE.md is what the model reads (reference 3.5)."""

    def __init__(self, places: Places, clock: Clock, env: Mapping[str, str], tell: Emit) -> None:
        self._places = places
        self._excludes: tuple[str, ...] = ()
        self._folders: tuple[Path, ...] = ()
        self._clock = clock
        self._env = env
        self._tell = tell
        self._hook_context: list[str] = []
        self._hooks_said: list[str] = []  # to this conversation, with its prompts, since it was opened or compacted
        self._nested = NestedMemory(places)
        self._coming: _Collected | None = None
        self._known: Conversation | None = None
        self._before = _Told()
        self._hooks: HookRunner | None = None
        self.branch = ""
        self.surroundings = ""

    def use(self, hooks: HookRunner, settings: Settings) -> None:
        """From now on these hooks are told of what is loaded, and these settings say what is left out or joins in."""
        env = settings.environment
        self._hooks = hooks
        self._excludes = (
            ("*",) if flag(env, OFF_VARIABLE) else tuple(glob.value for glob in settings.claude_md_excludes)
        )
        added = settings.additional_directories if flag(env, ADDED_VARIABLE) else ()
        self._folders = tuple(folder.value for folder in added)

    def add(self, texts: Sequence[str]) -> None:
        """Keeps what SessionStart hooks want the model to know until the next prompt."""
        self._hook_context.extend(texts)

    def memory(self) -> Memory:
        """The memory files as they are on disk now."""
        return load_memory(self._places, excludes=self._excludes, folders=self._folders)

    async def again(self) -> tuple[Message, ...]:
        """Environment and memory for a conversation that may be compacted; `compacted` says that it was."""
        self._coming = coming = await self._collect()
        return (coming.message,)

    def compacted(self) -> None:
        """What `again` gave last stands in the conversation: nested memory is gone until its files are read again."""
        self._hooks_said.clear()
        if self._coming is not None:
            self._in_force(self._coming, "compact")

    def moved(self, conversation: Conversation) -> None:
        """The conversation goes on from another place (rewind, undo): what is told only once comes again if it does not stand there."""
        recorded = conversation.recorded()
        self._nested.forget(files_given(recorded))
        if self._known is conversation:
            text = "\n".join(entry.message.text for entry in recorded if entry.is_meta)
            said = dict.fromkeys((*self._hooks_said, *self._hook_context))
            self._hook_context = [one for one in said if kept_inside(one.strip()) not in text]

    async def nested(self, path: Path) -> tuple[str, ...]:
        """The instructions that come with a file that was just read, each once."""
        memory = await asyncio.to_thread(self._nested.for_file, path, self._excludes)
        for notice in memory.notices:
            await self._tell(Notice(level="warning", text=notice))
        self._tell_hooks(memory, load_reason, trigger=path)
        return tuple(nested_text(file) for file in memory.files)

    async def look(self) -> None:
        """Which branch the folder is on, for the faces: a conversation that goes on collects nothing before its next prompt."""
        await self._surroundings()

    async def _surroundings(self) -> Environment:
        environment = await collect_environment(self._places.cwd, self._clock, self._env)
        self.branch = environment.git.branch if environment.git else ""
        return environment

    async def _collect(self) -> _Collected:
        environment = await self._surroundings()
        seen: set[str] = set()
        memory = load_memory(self._places, excludes=self._excludes, folders=self._folders, seen=seen)
        return _Collected(environment_text(environment), memory, frozenset(seen))

    def _in_force(self, collected: _Collected, reason: str) -> None:
        self.surroundings = collected.surroundings
        self._nested.forget(set(collected.seen))
        self._tell_hooks(collected.memory, lambda file: "include" if file.imported_by else reason)

    def latest(self) -> tuple[Message, ...]:
        """What `again` would give, with the environment as it was seen last; nothing is forgotten and no hook is told."""
        return (user_message(context_message(self.surroundings, render_memory(self.memory()))),)

    def is_context(self, message: Message) -> bool:
        """Whether `message` is the one that context() made last."""
        return bool(self.surroundings) and self.surroundings in message.text

    async def foresee(self, conversation: Conversation) -> None:
        """Lets the meter of a conversation without a prompt count what `before_prompt` would give now; nothing is in force yet."""
        if conversation.begun:
            return
        collected = await self._collect()
        self.surroundings = collected.surroundings
        conversation.opening = (collected.message, *map(reminder_message, self._hook_context))

    async def before_prompt(self, conversation: Conversation) -> tuple[Message, ...]:
        """Everything for a conversation that was not told yet: one without a prompt, or another program's; for one that goes on, what has
        changed and what hooks have said since."""
        self._before = _Told(self._known, self._nested.given, tuple(self._hook_context))
        said = tuple(reminder_message(text) for text in self._hook_context)
        self._hook_context.clear()
        resumed = self._known is not conversation
        if resumed:
            self._known = conversation
            self._nested.forget(set())
            self._hooks_said.clear()
        self._hooks_said.extend(self._before.hook_context)
        given = Given(conversation.recorded())
        if conversation.begun and given.introduced:
            return (*await self._late(given, resumed=resumed), *said)
        collected = await self._collect()
        self._in_force(collected, "session_start")
        conversation.opening = (collected.message, *said)
        return conversation.opening

    def held(self) -> None:
        """The prompt of the last `before_prompt` is not in the conversation: the next one brings again what is told only once."""
        self._known = self._before.known
        self._nested.take_back(self._before.nested)
        self._hook_context[:0] = self._before.hook_context

    async def _late(self, given: Given, *, resumed: bool) -> tuple[Message, ...]:
        """The date, if it is another one, and in a conversation that was `resumed` the memory that is new."""
        date = today(self._clock)
        texts = [] if given.knows_date(date) else [late_date(date)]
        if resumed:
            memory = self.memory()
            changed, gone = given.changed(memory), given.gone(memory)
            texts.append(late_memory(changed, gone))
            names = [*(str(file.path) for file in changed), *(f"{path} (gone)" for path in gone)]
            if names:
                self._tell_hooks(Memory(changed), lambda file: "include" if file.imported_by else "session_start")
                await self._tell(
                    Notice(level="info", text=f"Memory changed meanwhile, and the model is told: {', '.join(names)}.")
                )
        return tuple(reminder_message(text) for text in texts if text)

    def _tell_hooks(self, memory: Memory, reason: Callable[[MemoryFile], str], trigger: Path | None = None) -> None:
        if self._hooks is not None:
            tell_loaded(memory.files, reason, self._hooks, self._tell, trigger)
