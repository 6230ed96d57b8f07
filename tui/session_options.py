"""From the command line to a session: what the flags mean to the engine."""

from collections.abc import Mapping
from pathlib import Path

from agent.api import Flags, Options, Session, open_session
from agent.protocol.errors import FilesError
from tui.args import Args
from tui.engine import MakeSession


def session_maker(args: Args, cwd: Path, env: Mapping[str, str], version: str) -> MakeSession:
    """A way to open the session that `args` ask for; FilesError at once when a prompt file cannot be read."""
    options = session_options(args, cwd, env, version)

    async def make() -> Session:
        return await open_session(options)

    return make


def session_options(args: Args, cwd: Path, env: Mapping[str, str], version: str) -> Options:
    """The engine's options for `args`. `--resume` without an id opens a new session; the face then asks which one."""
    return Options(
        cwd=cwd,
        env=env,
        flags=_flags(args),
        continue_=args.continue_,
        resume=args.resume or None,
        fork=args.fork_session,
        session_id=args.session_id,
        offline=args.offline,
        offline_window=args.context_window if args.offline is not None else None,
        interactive=not args.print_,
        max_turns=args.max_turns,
        max_budget=args.max_budget,
        system_prompt=_text(args.system_prompt, args.system_prompt_file, cwd),
        append_system_prompt=_text(args.append_system_prompt, args.append_system_prompt_file, cwd),
        trust=args.trust,
        version=version,
    )


def _flags(args: Args) -> Flags:
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
        return (cwd / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FilesError(f"{file} cannot be read ({error}).") from error
