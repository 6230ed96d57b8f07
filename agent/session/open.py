"""Opens a session: the one place that wires the engine, and the only one that imports the SDK's room."""

import gc
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from agent.custom_commands.catalog import Catalog
from agent.loop.deps import Limits
from agent.protocol.clock import Clock, RandomIds, SystemClock
from agent.protocol.errors import FilesError
from agent.protocol.model import CacheTtl
from agent.session.asker import PendingAsks
from agent.session.build import Builder
from agent.session.deferred import ApiModel, DeferredModel
from agent.session.key_helper import HelpedModel, KeyHelper
from agent.session.launch import Launch
from agent.session.no_model import NoModel, no_credentials
from agent.session.outbox import Background
from agent.session.session import Session
from agent.session.slash import RESERVED
from agent.session.startup import Startup
from agent.session.state import State
from agent.session.status_line import StatusLineRunner
from agent.session.trust_question import unused_lines
from agent.settings.credentials import Credentials, find_credentials, routing_of
from agent.settings.flags import Flags
from agent.settings.paths import Places
from agent.settings.settings import Settings
from agent.telemetry.log import Log

HEADLESS_RETRY_SECONDS = 60.0  # cli.md: retries in -p, in all


class Options(Struct, frozen=True, kw_only=True):
    """What a face asks for; `offline` says that the base URL in `env` is a rehearsal server and what to tell the person.

    `on_close` runs when the session has closed (the rehearsal server stops with it). `probe_seconds` is how long the first prompt waits
    for the API to say the model's window, None: a second, as it should be for a person.
    """

    cwd: Path
    env: Mapping[str, str]
    flags: Flags
    version: str
    interactive: bool
    continue_: bool = False
    resume: str | None = None
    fork: bool = False
    session_id: str | None = None
    offline: str = ""
    max_turns: int | None = None
    max_budget: float | None = None
    system_prompt: str | None = None
    append_system_prompt: str | None = None
    trust: bool = False
    on_close: Callable[[], None] | None = None
    probe_seconds: float | None = None
    needs_credentials: bool = True
    """False: a session without credentials opens too, and fails with MissingCredentials when it first needs the model."""


async def open_session(options: Options) -> Session:
    """A session ready for `start()`: settings read, transcript found, nothing sent, the SDK loading in the background.

    Raises MissingCredentials, SessionNotFound, SessionBusy, UsageError or SettingsError; then nothing was changed.
    """
    clock, ids = SystemClock(), RandomIds()
    places = Places.resolve(options.cwd, options.env)
    _make_home(places)
    log = Log(places.logs_dir)
    background = Background()
    builder = Builder(_launch(options), places, clock=clock, ids=ids, log=log, tell=background.emit)
    routed = (
        options.env if options.offline else builder.settings.environment
    )  # settings must not lead an offline session out
    credentials = find_credentials(routed, places)
    helper = None if options.offline else _key_helper(credentials, builder.settings, places)
    absent = credentials is None and helper is None
    if absent and options.needs_credentials:
        raise no_credentials((*builder.notices(), *unused_lines(builder.settings.held_back)))
    conversation, source = builder.first_conversation()
    environment = builder.settings.environment
    routing = credentials or routing_of(environment)
    model = DeferredModel(NoModel if absent else lambda: _load_model(routing, helper, environment, log, clock, options))
    builder.use_model(model)
    model.begin()
    notices = (options.offline,) if options.offline else ()
    state = State(builder, conversation, Catalog(places, RESERVED), ids)
    if not options.offline and not absent:
        state.key_source = credentials.source if credentials is not None and helper is None else "apiKeyHelper"
    status_line = StatusLineRunner(state, options.version, background.emit)
    return Session(state, Startup(source, notices), PendingAsks(ids), background, status_line)


def _make_home(places: Places) -> None:
    """Our folder, for nobody else's eyes."""
    try:
        places.ccagent_home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        what = f"{places.ccagent_home} cannot be made ({error.strerror})."
        raise FilesError(
            what, safe="Nothing was changed.", do="Set CCAGENT_HOME to a folder that can be written."
        ) from error


def _launch(options: Options) -> Launch:
    return Launch(
        env=options.env,
        flags=options.flags,
        version=options.version,
        interactive=options.interactive,
        continue_=options.continue_,
        resume=options.resume,
        fork=options.fork,
        session_id=options.session_id,
        offline=bool(options.offline),
        limits=Limits(max_turns=options.max_turns, max_budget=options.max_budget),
        system_prompt=options.system_prompt,
        append_system_prompt=options.append_system_prompt,
        trust=options.trust or options.flags.trust,
        on_close=options.on_close,
    )


def _key_helper(credentials: Credentials | None, settings: Settings, places: Places) -> KeyHelper | None:
    """The person's command for the key, unless the environment brings a key or token."""
    command = settings.api_key_helper.value
    if not command or (credentials is not None and credentials.secret_of_its_own):
        return None
    return KeyHelper(command, settings.environment, places.project_root)


def _load_model(
    credentials: Credentials,
    helper: KeyHelper | None,
    env: Mapping[str, str],
    log: Log,
    clock: Clock,
    options: Options,
) -> ApiModel:
    """Imports the SDK, seconds of work, in a thread; the collector rests meanwhile, because its pauses would be felt at the prompt."""
    gc.disable()
    try:
        from agent.anthropic_api.cache_control import caching_enabled
        from agent.anthropic_api.client import AnthropicModel
        from agent.anthropic_api.patience import patience_from
        from agent.anthropic_api.retry import retry_policy
    finally:
        gc.enable()
    gc.freeze()
    retry = retry_policy(env, None if options.interactive else HEADLESS_RETRY_SECONDS)
    patience = patience_from(env, options.probe_seconds)
    ttl: CacheTtl | None = "5m" if caching_enabled(env) else None

    def make(found: Credentials) -> ApiModel:
        return AnthropicModel(found, clock=clock, retry=retry, log=log, patience=patience, cache_ttl=ttl)

    return make(credentials) if helper is None else HelpedModel(helper, credentials, make, clock)
