"""The command line: it picks one face, hands it a way to open a session, and turns what went wrong into one plain line."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.protocol.errors import CcagentError, FilesError, UsageError
from tui.args import Args, parse
from tui.early_signals import end_at_once
from tui.help_text import HELP
from tui.render.safe import clean_line
from tui.std_streams import keep_numbers, printing, write_stderr
from tui.version import VERSION

FAILED, MISUSED, INTERRUPTED = 1, 2, 130


def entry() -> int:
    """The console script."""
    keep_numbers()
    return main(sys.argv[1:])


def main(argv: Sequence[str]) -> int:
    """Run ccagent with `argv`; the exit code: 0 done, 1 failed or misused, 128 + n stopped by signal n."""
    try:
        return _dispatch(parse([_scrubbed(word) for word in argv]))
    except CcagentError as error:
        return _complain(error.line, FAILED)
    except BrokenPipeError:  # the reader left, as `head` does: nothing to say, nobody to say it to
        return FAILED
    except OSError as error:  # one that nobody foresaw
        place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _complain(f"{place}{error.strerror or error}.", FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED


def _dispatch(args: Args) -> int:
    if args.print_ and not (args.version or args.help):
        return _print(args)
    if args.command or args.version or args.help:
        with printing():
            return _say(args)
    return _interact(args)


def _say(args: Args) -> int:
    """What only prints: a subcommand, the version, the help."""
    if args.command:
        return _command(args.command, args.rest)
    sys.stdout.write(f"ccagent {VERSION}\n" if args.version else HELP)
    return 0


def _command(command: str, rest: tuple[str, ...]) -> int:
    if command == "rehearse":
        from agent.rehearsal.__main__ import main as rehearse

        return rehearse(list(rest))
    from tui.commands.run import run_command

    try:
        return run_command(command, rest, cwd=_cwd(), env=os.environ, version=VERSION)
    except UsageError as error:  # a subcommand's 1 means that it found something
        return _complain(error.line, MISUSED)


def _print(args: Args) -> int:
    end_at_once()
    cwd = _cwd()
    from tui.headless.run import Print, run_print
    from tui.session_options import session_maker

    job = Print(
        prompt=args.prompt,
        output_format=args.output_format,
        input_format=args.input_format,
        partial=args.include_partial_messages,
        version=VERSION,
    )
    make = session_maker(args, cwd, os.environ, VERSION)
    make_for_command = session_maker(args, cwd, os.environ, VERSION, needs_credentials=False)
    return run_print(make, job, make_for_command=make_for_command)


def _interact(args: Args) -> int:
    """The app on a terminal that can draw it, else the line REPL."""
    return _repl(args) if args.plain or not _can_draw() else _app(args)


def _repl(args: Args) -> int:
    end_at_once()
    cwd = _cwd()
    from tui.repl.run import run_repl
    from tui.session_options import history_file, session_maker

    make_session = session_maker(args, cwd, os.environ, VERSION)
    return run_repl(
        make_session, first_prompt=_first_prompt(args), history=history_file(cwd, os.environ), version=VERSION
    )


def _app(args: Args) -> int:
    cwd = _cwd()
    from tui.app.start import early_prompt

    with early_prompt(VERSION):  # painted before the rest is imported
        from tui.app.run import run_app
        from tui.session_options import history_file, session_maker

        make_session = session_maker(args, cwd, os.environ, VERSION)
        history = history_file(cwd, os.environ)
        return run_app(make_session, first_prompt=_first_prompt(args), history=history, env=os.environ)


def _first_prompt(args: Args) -> str | None:
    """`--resume` without an id asks which conversation."""
    return "/resume" if args.resume == "" else args.prompt


def _can_draw() -> bool:
    streams = (sys.stdin, sys.stdout)
    return os.environ.get("TERM", "") not in ("", "dumb") and all(s is not None and s.isatty() for s in streams)


def _cwd() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise FilesError("the current folder no longer exists.", do="Change to another one.") from error


def _scrubbed(word: str) -> str:
    """`word` without the lone surrogates that stand for undecodable bytes of the command line."""
    return word.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="replace")


def _complain(line: str, code: int) -> int:
    write_stderr(f"ccagent: {clean_line(line)}\n")
    return code


if __name__ == "__main__":
    sys.exit(entry())
