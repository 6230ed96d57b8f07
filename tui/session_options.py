"""From the command line to a session: what the flags mean to the engine, and the rehearsal model when there is no other."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from msgspec.structs import replace

from agent.api import Flags, Options, Session, open_session
from agent.protocol.errors import FilesError, MissingCredentials, UsageError
from agent.settings.paths import Places
from tui.args import Args
from tui.view import MakeSession

OFFLINE = "Offline: rules answer, not a model. Set ANTHROPIC_API_KEY to talk to one."
OFFLINE_KEY = "offline-no-key-needed"  # no ordinary word: a key's text is masked wherever a tool meets it
PROMPT_LIMIT = 4 * 1024 * 1024  # bytes of a system prompt's file
SERVER_MEMORY = 20  # requests the rehearsal server keeps
OWN_SERVER_SECONDS = 30.0  # our own server answers for certain: only as late as the machine is slow
CREDENTIALS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_PROFILE",
)


def session_maker(
    args: Args, cwd: Path, env: Mapping[str, str], version: str, *, needs_credentials: bool = True
) -> MakeSession:
    """A way to open the session that `args` ask for; FilesError at once when a prompt file cannot be read or a folder is none.

    Interactive faces without credentials get the rehearsal model, as with `--offline`; `-p` refuses (MissingCredentials),
    unless it `needs_credentials` only when it comes to ask a model.
    """
    options = replace(session_options(args, cwd, env, version), needs_credentials=needs_credentials)

    async def make() -> Session:
        if args.offline is not None:
            return await _open_offline(options, script=args.offline, window=args.context_window)
        try:
            return await open_session(options)
        except MissingCredentials:
            if not options.interactive:
                raise
            return await _open_offline(options, script="", window=args.context_window)

    return make


def session_options(args: Args, cwd: Path, env: Mapping[str, str], version: str) -> Options:
    """The engine's options for `args`. `--resume` without an id opens a new session; the face then asks which one."""
    return Options(
        cwd=cwd,
        env=env,
        flags=_flags(args, cwd),
        version=version,
        interactive=not args.print_,
        continue_=args.continue_,
        resume=args.resume or None,
        fork=args.fork_session,
        session_id=args.session_id,
        max_turns=args.max_turns,
        max_budget=args.max_budget,
        system_prompt=_text(args.system_prompt, args.system_prompt_file, cwd),
        append_system_prompt=_text(args.append_system_prompt, args.append_system_prompt_file, cwd),
        trust=args.trust,
    )


async def _open_offline(options: Options, *, script: str, window: int | None) -> Session:
    """A session on a rehearsal server of our own, which stops with it; UsageError for a script that cannot be played."""
    from agent.rehearsal.server import RehearsalThread
    from agent.rehearsal.toml_script import ScriptError, open_script

    try:
        played = open_script(script) if script else None
    except ScriptError as error:
        raise UsageError(f"--offline: {error}.") from error
    server = RehearsalThread(
        played, window=window or (played.window if played else None), offline_model=True, keep=SERVER_MEMORY
    )
    server.start()
    elsewhere = {name: value for name, value in options.env.items() if name not in CREDENTIALS}
    env = {**elsewhere, "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": OFFLINE_KEY}
    ours = replace(options, env=env, offline=OFFLINE, on_close=server.close, probe_seconds=OWN_SERVER_SECONDS)
    with ExitStack() as unless_opened:
        unless_opened.callback(server.close)
        session = await open_session(ours)
        unless_opened.pop_all()
    return session


def history_file(cwd: Path, env: Mapping[str, str]) -> Path:
    """Where the prompts typed by a person are remembered."""
    return Places.resolve(cwd, env).history_file


def _flags(args: Args, cwd: Path) -> Flags:
    for folder in args.add_dirs:
        if not os.path.isdir(cwd / os.path.expanduser(folder)):
            raise FilesError(f"--add-dir {folder}: no such folder.")
    return Flags(
        model=args.model,
        context_window=args.context_window,
        autocompact=args.autocompact,
        permission_mode=args.permission_mode,
        allowed_tools=args.allowed_tools,
        disallowed_tools=args.disallowed_tools,
        add_dirs=args.add_dirs,
        settings=args.settings,
        effort=args.effort,
        trust=args.trust,
        skip_permissions=args.skip_permissions,
    )


def _text(text: str | None, file: str | None, cwd: Path) -> str | None:
    if file is None:
        return text
    try:
        with (cwd / file).open("rb") as source:  # a pipe of the shell's, <(command), is welcome
            data = source.read(PROMPT_LIMIT + 1)
        if len(data) > PROMPT_LIMIT:
            raise FilesError(f"{file} is larger than {PROMPT_LIMIT // 1024**2} MiB.")
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise FilesError(f"{file} cannot be read ({error}).") from error
