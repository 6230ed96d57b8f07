"""`python -m agent.rehearsal`, also `ccagent rehearse`: the loopback Messages API alone, until it is interrupted."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from agent.rehearsal.recorded_session import NothingRecorded, script_of
from agent.rehearsal.report import describe
from agent.rehearsal.script import Script
from agent.rehearsal.server import Rehearsal
from agent.rehearsal.storm import bare_storm, storm
from agent.rehearsal.toml_script import ScriptError, names, open_script

CLEAN, BROKEN, UNUSABLE = 0, 1, 2
KEPT = 200
"""Requests remembered: enough to look back, little enough to run for days."""

EPILOG = """\
Point a client at the address that is printed first, with any key:
  ANTHROPIC_BASE_URL=http://127.0.0.1:PORT ANTHROPIC_API_KEY=any your-agent
Scripts that come with it: {scripts}.
exit codes: 0 no rule was broken, 1 a client broke a rule, 2 bad arguments, script, port or log"""


def main(argv: list[str]) -> int:
    """Serve until SIGINT or SIGTERM. Returns the exit code."""
    parser = _parser()
    try:
        options = parser.parse_args(argv)
    except SystemExit as exit_:
        return CLEAN if exit_.code in (0, None) else UNUSABLE
    try:
        if options.convert is not None:
            print(script_of(options.convert), end="")
            return CLEAN
        script = _script(options)
    except (ScriptError, OSError, NothingRecorded) as error:
        print(f"rehearse: {error}", file=sys.stderr)
        return UNUSABLE
    return asyncio.run(_serve(options, script))


def _script(options: argparse.Namespace) -> Script | None:
    script = open_script(options.script) if options.script else None
    if options.storm is None:
        return script
    return storm(script, options.storm) if script is not None else bare_storm(options.storm)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ccagent rehearse",
        description="A Messages API on the loopback that refuses what the real one refuses, and plays scripts.",
        epilog=EPILOG.format(scripts=", ".join(names())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port; 0, the default, takes a free one")
    parser.add_argument("--script", metavar="FILE", help="a script (TOML) or the name of one that comes with it")
    parser.add_argument("--window", type=_tokens, metavar="N", help="every model's window, in tokens")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append a line per request")
    parser.add_argument(
        "--storm", type=int, metavar="SEED", help="faults and rough weather around the script, by this seed"
    )
    parser.add_argument(
        "--convert",
        type=Path,
        metavar="TRANSCRIPT",
        help="print a session's transcript (JSON Lines) as a script, and end",
    )
    strictness = parser.add_mutually_exclusive_group()
    strictness.add_argument(
        "--strict", dest="strict", action="store_true", default=True, help="refuse broken rules (default)"
    )
    strictness.add_argument("--lenient", dest="strict", action="store_false", help="only note broken rules")
    return parser


def _tokens(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tokens")
    return int(text)


async def _serve(options: argparse.Namespace, script: Script | None) -> int:
    window = options.window or (script.window if script is not None else None)
    server = Rehearsal(
        script,
        window=window,
        strict=options.strict,
        port=options.port,
        log=options.log,
        offline_model=True,
        keep=KEPT,
    )
    try:
        await server.start()
    except (OSError, OverflowError) as error:
        print(f"rehearse: {error}", file=sys.stderr)
        return UNUSABLE
    print(f"rehearsal listening on {server.url}", flush=True)
    await _interrupted()
    await server.close()
    for line in describe(server.api.costs):
        print(line)
    for violation in server.violations:
        print(f"broken rule: {violation!r}", file=sys.stderr)
    if server.journal.failure:
        print(f"rehearse: {server.journal.failure}", file=sys.stderr)
    return BROKEN if server.violations else UNUSABLE if server.journal.failure else CLEAN


async def _interrupted() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
