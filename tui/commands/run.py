"""Which subcommand runs."""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from agent.protocol.errors import UsageError
from agent.settings.paths import Places
from tui.commands.context import show_all, show_context
from tui.commands.doctor import run_doctor
from tui.commands.prune import prune
from tui.commands.sessions import export_session, list_all, show_session
from tui.commands.words import read_words
from tui.render.safe import clean_line
from tui.std_streams import write_stderr

MISUSED = 2


def run_command(command: str, rest: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], version: str) -> int:
    """Run `command` (doctor, sessions, context) with its words: 0, 1 when it found something wrong, 2 when misused."""
    try:
        options = read_words(command, rest)
    except SystemExit as exit_:  # argparse has printed its line or its help
        return 0 if exit_.code in (0, None) else MISUSED
    try:
        return _run(command, options, Places.resolve(cwd, env), env, version)
    except UsageError as error:
        write_stderr(f"ccagent: {clean_line(error.line)}\n")
        return MISUSED


def _run(command: str, options: Namespace, places: Places, env: Mapping[str, str], version: str) -> int:
    if command == "doctor":
        return run_doctor(places, env, version=version, online=options.online)
    if command == "context":
        if options.all:
            return show_all(places, as_json=options.json)
        return show_context(places, options.session, as_json=options.json)
    match options.verb:
        case "show":
            return show_session(places, options.session)
        case "export":
            return export_session(places, options.session, options.file, options.format)
        case "prune":
            return prune(
                places, env, days=options.older_than, everywhere=options.all, dry=options.dry_run, sure=options.yes
            )
        case _:
            return list_all(places, everywhere=options.all, theirs=options.claude, as_json=options.json)
