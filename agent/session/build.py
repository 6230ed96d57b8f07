"""Builds the parts of a conversation from settings, and builds them anew when a setting changes."""

from pathlib import Path

import msgspec

from agent.compact.conversation import Conversation
from agent.context.frame import Frame
from agent.context.sources import overhead_of
from agent.context.tiers import compute_tiers
from agent.hooks.log import HookLog
from agent.loop.deps import Authority, Parts, Workplace
from agent.memory.claude_md import compact_instructions
from agent.models.aliases import resolve_alias
from agent.models.capabilities import ModelInfo
from agent.models.table import lookup
from agent.prompts.system import system_prompt
from agent.protocol.clock import Clock, Ids
from agent.protocol.events import Emit
from agent.protocol.meter import Tiers, Windows
from agent.protocol.model import ToolSpec
from agent.protocol.source import QuerySource
from agent.session.authority import may_read, new_authority, renew_authority
from agent.session.autocompact_choice import change_autocompact, overruled
from agent.session.children import exported, session_hooks, tool_environment
from agent.session.compact_providers import compact_providers
from agent.session.conversations import Conversations
from agent.session.deferred import DeferredModel
from agent.session.kept_model import kept_model
from agent.session.launch import Launch
from agent.session.mentions import Mentioned
from agent.session.opening import Opening
from agent.session.thinking import thinking_for
from agent.session.tool_box import specs_of, tool_box
from agent.session.trusting import Trusting
from agent.session.windows import WindowBook
from agent.settings.autocompact_argument import AutoCompactChoice
from agent.settings.env import flag
from agent.settings.load import load_settings
from agent.settings.paths import Places
from agent.settings.settings import Settings
from agent.settings.watch import changed_files, take_stamps
from agent.telemetry.log import Log
from agent.tokens.choose import counting
from agent.tokens.counter import TokenCounter
from agent.tools.limits import spill_folder
from agent.transcript.transcript import Transcript


class Builder:
    """Holds what outlives a conversation: places, settings, trust, the model, and the person's choices of this session.

    `tell` takes events that belong to no prompt.
    """

    def __init__(self, launch: Launch, places: Places, *, clock: Clock, ids: Ids, log: Log, tell: Emit) -> None:
        self._launch = launch
        self._flags = launch.flags
        self._clock = clock
        self._log = log
        self.trusting = Trusting(places, granted=launch.trust)
        self._conversations = Conversations(
            places, launch.version, clock, ids, lambda: self.settings.environment, cache_lasts=not launch.offline
        )
        self._chosen_model: str | None = None
        self._model: DeferredModel | None = None
        self._notices: list[str] = []
        self._rights_changed = False
        self.hook_log = HookLog()
        self.places = places
        self.settings = self._load(None)
        self._stamps = take_stamps(self.settings.files)
        self._mode_setting = self.settings.permission_mode
        self.opening = Opening(places, clock, self.settings.environment, tell)
        self._book = WindowBook(places.cache_dir, self.settings.environment.get("ANTHROPIC_BASE_URL", ""), clock)

    # ---- what others ask

    @property
    def version(self) -> str:
        """Ours."""
        return self._launch.version

    @property
    def interactive(self) -> bool:
        """Whether a person can answer questions."""
        return self._launch.interactive

    @property
    def offline(self) -> bool:
        """Whether the rehearsal model answers."""
        return self._launch.offline

    @property
    def info(self) -> ModelInfo:
        """The model in force."""
        return lookup(resolve_alias(self.model_name))

    @property
    def model_name(self) -> str:
        """The same as the person wrote it: an id or an alias."""
        return self._chosen_model or self.settings.model.value

    @property
    def auto_compact_source(self) -> str:
        """What switched auto-compact on or off."""
        return self.settings.auto_compact_enabled.source

    def notices(self) -> tuple[str, ...]:
        """One line for each setting that could not be used as written; each is told once."""
        notices, self._notices = (*self.settings.notices, *self._notices), []
        return notices

    # ---- choices of the session

    def use_model(self, model: DeferredModel) -> None:
        """The way to the API."""
        self._model = model

    @property
    def chosen_model(self) -> str | None:
        """The model that the person has chosen in this session, None for that of the settings."""
        return self._chosen_model

    def choose_model(self, model: str | None) -> None:
        """Another model for this session."""
        self._chosen_model = model

    def ladder(self) -> tuple[Windows, Tiers, tuple[str, ...]]:
        """The windows and tiers of the model in force, and one line for each value that was clamped or refused."""
        windows, notices = self._book.windows(self.model_name, self.info, self.settings)
        tiers, more = self._tiers(windows)
        return windows, tiers, (*notices, *more)

    def choose_autocompact(self, choice: AutoCompactChoice) -> str:
        """Writes the choice into the person's settings, applies it, and says in words what is in force."""
        said = change_autocompact(choice, self.places, self.settings)
        self._flags = msgspec.structs.replace(self._flags, autocompact=None)
        self.reload()
        return " ".join([said, overruled(choice, self.settings, self.info.id), *self.ladder()[2]])

    def grant_trust(self) -> str:
        """The person trusts what this folder's settings bring, as it is now; why that will be forgotten, or ""."""
        told = self.trusting.grant(self.settings.held_back)
        self.reload()
        return told

    def changed_files(self) -> tuple[Path, ...]:
        """The settings files and scripts of the project that have changed since they were read."""
        return changed_files(self._stamps)

    def reload(self) -> None:
        """Reads the settings anew; `parts` puts them into force. Raises SettingsError with the old ones kept."""
        try:
            self.settings = self._load(self.settings)
        finally:
            self._stamps = take_stamps(self.settings.files)
        self._rights_changed = True

    async def learn_window(self) -> tuple[str, ...]:
        """Asks the API for the model's window, once a day; returns what must be said about windows and tiers."""
        if self._model is not None and not (self._launch.flags.context_window and not self.info.known):
            await self._book.learn(self.info.id, self._model)
        return self.ladder()[2]

    # ---- conversations

    def first_conversation(self) -> tuple[Conversation, str]:
        """The conversation that the command line asks for, and how the session begins: startup, resume or fork."""
        launch = self._launch
        if not launch.continue_ and launch.resume is None:
            return self._conversations.new(self.info.id, launch.session_id), "startup"
        session = launch.resume or self._conversations.latest()
        if launch.fork:
            return self._conversations.fork(session, self._go_on, launch.session_id), "fork"
        return self._conversations.open(session, self._go_on), "resume"

    def new_conversation(self) -> Conversation:
        """An empty conversation."""
        return self._conversations.new(self.info.id)

    def open_conversation(self, session: str) -> Conversation:
        """An earlier conversation."""
        return self._conversations.open(session, self._go_on)

    def branch_conversation(self, session: str) -> Conversation:
        """A copy of a conversation under a new id."""
        return self._conversations.fork(session, lambda _transcript: self.info.id)

    def parts(self, conversation: Conversation, like: Parts | None = None) -> Parts:
        """Everything a run needs, from the settings as they are now; mode, rules and folder are those of `like`."""
        if self._model is None:
            raise RuntimeError("use_model() comes before parts()")
        windows, tiers, _notices = self.ladder()
        conversation.meter.configure(windows, tiers, tiers.auto_compact is not None)
        env = tool_environment(self.settings, conversation)
        tools = tool_box(env)
        authority, workplace = self._rights(like)
        reader = may_read(authority, tools)
        same = like is not None and like.conversation is conversation
        opening, frame = self.opening, self._frame(specs_of(tools, authority.gate))
        hooks = session_hooks(self.settings, self.places, conversation, workplace, frame, self.hook_log)
        opening.use(hooks, self.settings)
        return Parts(
            conversation=conversation,
            frame=frame,
            model=self._model,
            hooks=hooks,
            clock=self._clock,
            log=self._log,
            tools=tools,
            authority=authority,
            workplace=workplace,
            env=env,
            spill_dir=spill_folder(conversation.transcript.path),
            spill_limit=self.settings.spill_limit.value,
            opening=lambda: opening.before_prompt(conversation),
            opening_held=opening.held,
            nested_memory=opening.nested,
            env_files=lambda: exported(conversation),
            mentions=like.mentions
            if like and same
            else Mentioned(workplace, conversation.read_state, reader, opening.nested),
            limits=self._launch.limits,
            compact_instructions=compact_instructions(opening.memory()),
            compact_providers=compact_providers(opening, conversation, windows, frame),
            compact_context_given=opening.compacted,
            compact_approve=self.settings.auto_compact_approve.value and self.interactive,
            compact_disabled="DISABLE_COMPACT" if self.settings.disable_compact else "",
            reactive_compact=self._reactive(),
            micro_compact=not flag(self.settings.environment, "DISABLE_MICROCOMPACT"),
            file_checkpointing=self.settings.file_checkpointing.value,
            may_read=reader,
        )

    def close(self) -> None:
        """The session has ended."""
        if self._launch.on_close is not None:
            self._launch.on_close()

    # ---- inside

    def _go_on(self, transcript: Transcript) -> str:
        """The model that an earlier conversation goes on with: its own, unless the person has named one."""
        self._chosen_model = kept_model(transcript, self.settings.model)
        return self.info.id

    def _load(self, before: Settings | None) -> Settings:
        launch, trusted = self._launch, self.trusting.trusted
        return load_settings(self.places, launch.env, self._flags, trusted=trusted, before=before)

    def _tiers(self, windows: Windows) -> tuple[Tiers, tuple[str, ...]]:
        settings = self.settings
        return compute_tiers(
            windows,
            auto=settings.auto_compact_enabled.value and not settings.disable_compact,
            pct=settings.pct_override.value,
            blocking_override=settings.blocking_override.value,
        )

    def _frame(self, tools: tuple[ToolSpec, ...]) -> Frame:
        system = system_prompt(self._launch.system_prompt, self._launch.append_system_prompt)
        info = self.info
        return Frame(
            info=info,
            system=system,
            tools=tools,
            overhead=overhead_of(system, tools, TokenCounter(*counting(info.id))),
            thinking=thinking_for(info, self.settings.max_thinking_tokens.value),
            effort=self.settings.effort.value if info.effort else None,
            max_output=self.settings.max_output_tokens.value,
            clears_tool_uses=self._book.clears_tool_uses(info.id),
            query_source=QuerySource.REPL if self._launch.interactive else QuerySource.SDK,
        )

    def _rights(self, like: Parts | None) -> tuple[Authority, Workplace]:
        """Rules and folders of the settings; the person's mode, session rules and working directory stay."""
        if like is not None and not self._rights_changed:
            return like.authority, like.workplace
        self._rights_changed = False
        authority, notices = new_authority(self.settings, self.places, self._roots())
        self._notices.extend(notices)
        if like is None:
            return authority, Workplace(self.places.cwd, self._roots())
        told, self._mode_setting = self._mode_setting, self.settings.permission_mode
        renew_authority(like.authority, authority, mode_changed=told.value != self._mode_setting.value)
        like.workplace.roots = self._roots()
        return like.authority, like.workplace

    def _roots(self) -> tuple[Path, ...]:
        return (self.places.cwd, *(folder.value for folder in self.settings.additional_directories))

    def _reactive(self) -> bool:
        remote = self.settings.reactive_compact_remote.value
        return self.settings.reactive_compact.value and (self._launch.interactive or remote)
