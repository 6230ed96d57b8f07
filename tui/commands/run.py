"""Which subcommand runs, and how its words are read."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from agent.settings.paths import Places
from tui.commands.context import show_context
from tui.commands.doctor import run_doctor
from tui.commands.sessions import list_all, show_session

MISUSED = 2


def run_command(command: str, rest: tuple[str, ...], *, cwd: Path, env: Mapping[str, str], version: str) -> int:
    """Run `command` (doctor, sessions, context) with its words: 0, 1 when it found something wrong, 2 when misused."""
    try:
        options = _parser(command).parse_args(rest)
    except SystemExit as exit_:  # argparse has printed its line or its help
        return 0 if exit_.code in (0, None) else MISUSED
    places = Places.resolve(cwd, env)
    if command == "doctor":
        return run_doctor(places, env, version=version, online=options.online)
    if command == "context":
        return show_context(options.file, as_json=options.json)
    if options.id is None:
        return list_all(places, everywhere=options.all)
    return show_session(places, options.id)


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"ccagent {command}", description=_ABOUT[command], allow_abbrev=False)
    if command == "doctor":
        parser.add_argument("--online", action="store_true", help="also ask the API for the model; needs the network")
    elif command == "context":
        parser.add_argument("file", type=Path, metavar="FILE", help="a transcript (.jsonl), ours or Claude Code's")
        parser.add_argument("--json", action="store_true", help="the figures as one JSON object")
    else:
        parser.add_argument(
            "id", nargs="?", metavar="ID", help="a session to print; without one, the sessions are listed"
        )
        parser.add_argument("--all", action="store_true", help="of every folder, not only this one")
    return parser


_ABOUT = {
    "doctor": "What is installed, found and trusted; exit code 1 if something is broken.",
    "sessions": "The sessions of this folder, newest first, or the text of one.",
    "context": "Where the tokens of a transcript went (estimates, and what the API reported last).",
}
