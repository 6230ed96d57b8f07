"""How the words of each subcommand are read, and what their --help says."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace, _SubParsersAction
from collections.abc import Sequence
from pathlib import Path

VERBS = ("list", "show", "export", "prune")
SESSION = "a session's id (its beginning is enough), or a transcript file (.jsonl), ours or Claude Code's"

EVERYWHERE = "of every folder, not only this one"


def read_words(command: str, rest: Sequence[str]) -> Namespace:
    """The options of `command`; prints and raises SystemExit for --help and for what cannot be understood."""
    if command == "sessions":
        return _sessions().parse_args(_with_verb(rest))
    return (_doctor() if command == "doctor" else _context()).parse_args(rest)


def _with_verb(rest: Sequence[str]) -> list[str]:
    """`sessions` alone lists, `sessions ID` shows."""
    if rest and (rest[0] in VERBS or rest[0] in ("-h", "--help")):
        return list(rest)
    return ["list" if not rest or rest[0].startswith("-") else "show", *rest]


def _parser(command: str, about: str) -> ArgumentParser:
    return ArgumentParser(prog=f"ccagent {command}", description=about, allow_abbrev=False)


def _doctor() -> ArgumentParser:
    parser = _parser("doctor", "What is installed, found and trusted; exit code 1 if something is broken.")
    parser.add_argument("--online", action="store_true", help="also ask the API for the model; needs the network")
    return parser


def _context() -> ArgumentParser:
    parser = _parser(
        "context",
        "Where the tokens and the money of a transcript went, what its compactions lost of what you said, and what was read again "
        "after them. Tokens are estimates, prices those of the built-in table.",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "session", nargs="?", metavar="FILE|ID", help=f"{SESSION}; without one, the latest of this folder"
    )
    which.add_argument("--all", action="store_true", help="every transcript in ~/.ccagent and ~/.claude")
    parser.add_argument("--json", action="store_true", help="every figure as one JSON object")
    return parser


def _sessions() -> ArgumentParser:
    parser = _parser(
        "sessions", "The recorded conversations. Alone it lists those of this folder; with an id it shows one."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="list | show | export | prune")

    listing = _verb(verbs, "list", "a line each, newest first")
    listing.add_argument("--all", action="store_true", help=EVERYWHERE)
    listing.add_argument("--claude", action="store_true", help="Claude Code's instead of ours")
    listing.add_argument("--json", action="store_true", help="as one JSON array")

    show = _verb(verbs, "show", "print one, from its beginning through its compactions")
    show.add_argument("session", metavar="ID|FILE", help=SESSION)

    export = _verb(verbs, "export", "write one as text, Markdown or JSON")
    export.add_argument("session", metavar="ID|FILE", help=SESSION)
    export.add_argument("file", nargs="?", type=Path, metavar="TO", help="a new file; without one, standard output")
    export.add_argument(
        "--format", choices=("text", "md", "json"), help="otherwise what TO ends in (.txt, .md, .json), or Markdown"
    )

    prune = _verb(verbs, "prune", "remove old ones, after a question")
    prune.add_argument(
        "--older-than", type=_days, metavar="DAYS", help="not written for so long; otherwise cleanupPeriodDays (30)"
    )
    prune.add_argument("--all", action="store_true", help=EVERYWHERE)
    prune.add_argument("-n", "--dry-run", action="store_true", help="only say what would be removed")
    prune.add_argument("-y", "--yes", action="store_true", help="do not ask")
    return parser


def _verb(verbs: "_SubParsersAction[ArgumentParser]", name: str, about: str) -> ArgumentParser:
    said = f"{about[0].upper()}{about[1:]}."
    return verbs.add_parser(name, help=about, description=said, allow_abbrev=False)


def _days(text: str) -> float:
    digits = text.removesuffix("d")
    try:
        days = float(digits)
    except ValueError:
        days = -1.0
    if not 0 <= days <= 100_000:
        raise ArgumentTypeError(f"{text!r} is not a number of days")
    return days
