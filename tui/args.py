"""The command line, understood without heavy imports, so that --version and --help answer at once."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Literal, NamedTuple

from agent.protocol.errors import UsageError

COMMANDS = ("doctor", "sessions", "context", "rehearse")
MODES = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")
EFFORTS = ("low", "medium", "high", "xhigh", "max")
MAX_DIGITS = 12  # no window has more, and what is larger than any float has no percent
SUFFIXES = {"k": 1_000, "m": 1_000_000}


class Args(NamedTuple):
    """What the person asked for; None and empty mean "not said". `resume` is "" when no id was given."""

    command: str = ""
    rest: tuple[str, ...] = ()
    prompt: str | None = None
    print_: bool = False
    output_format: str = "text"
    input_format: str = "text"
    include_partial_messages: bool = False
    continue_: bool = False
    resume: str | None = None
    fork_session: bool = False
    session_id: str | None = None
    model: str | None = None
    context_window: int | None = None
    autocompact: str | None = None
    permission_mode: str | None = None
    skip_permissions: bool = False
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    add_dirs: tuple[str, ...] = ()
    max_turns: int | None = None
    max_budget: float | None = None
    settings: str | None = None
    system_prompt: str | None = None
    system_prompt_file: str | None = None
    append_system_prompt: str | None = None
    append_system_prompt_file: str | None = None
    effort: str | None = None
    trust: bool = False
    verbose: bool = False
    plain: bool = False
    offline: str | None = None
    version: bool = False
    help: bool = False


class _Option(NamedTuple):
    """How one option is written: its field, whether a value follows, and how that value is read."""

    field: str
    takes: Literal["nothing", "one", "maybe", "many", "maybe-equals"] = "nothing"
    read: Callable[[str], object] = str


def _tokens(text: str) -> int:
    """A number of tokens: 120000, 500k, 1M."""
    digits, unit = (text[:-1], SUFFIXES[text[-1].lower()]) if text[-1:].lower() in SUFFIXES else (text, 1)
    if not digits.isascii() or not digits.isdigit() or len(digits) > MAX_DIGITS or int(digits) == 0:
        raise ValueError("a number of tokens such as 120000, 500k or 1M")
    return int(digits) * unit


def _autocompact(text: str) -> str:
    if text not in ("auto", "off"):
        try:
            _tokens(text)
        except ValueError:
            raise ValueError("auto, off, or a number of tokens such as 120000, 500k or 1M") from None
    return text


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ValueError("a whole number above 0")
    return int(text)


def _dollars(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = 0.0
    if not 0 < amount < float("inf"):
        raise ValueError("an amount above 0 in US dollars")
    return amount


def _uuid(text: str) -> str:
    groups = text.split("-")
    if [len(group) for group in groups] != [8, 4, 4, 4, 12] or set("".join(groups).lower()) - set("0123456789abcdef"):
        raise ValueError("a UUID such as 0b5e9d1c-7a54-4d0e-9a0f-3f6f2f6f9b11")
    return text.lower()


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError("one of " + ", ".join(words))
        return text

    return read


def _listed(text: str) -> tuple[str, ...]:
    return (text,)


_RULES = _Option("allowed_tools", "many", _listed)
_DENIED = _Option("disallowed_tools", "many", _listed)
OPTIONS = {
    "-p": _Option("print_"),
    "--print": _Option("print_"),
    "--output-format": _Option("output_format", "one", _one_of("text", "json", "stream-json")),
    "--input-format": _Option("input_format", "one", _one_of("text", "stream-json")),
    "--include-partial-messages": _Option("include_partial_messages"),
    "-c": _Option("continue_"),
    "--continue": _Option("continue_"),
    "-r": _Option("resume", "maybe"),
    "--resume": _Option("resume", "maybe"),
    "--fork-session": _Option("fork_session"),
    "--session-id": _Option("session_id", "one", _uuid),
    "--model": _Option("model", "one"),
    "--context-window": _Option("context_window", "one", _tokens),
    "--autocompact": _Option("autocompact", "one", _autocompact),
    "--permission-mode": _Option("permission_mode", "one", _one_of(*MODES)),
    "--dangerously-skip-permissions": _Option("skip_permissions"),
    "--allowed-tools": _RULES,
    "--allowedTools": _RULES,
    "--disallowed-tools": _DENIED,
    "--disallowedTools": _DENIED,
    "--add-dir": _Option("add_dirs", "many", _listed),
    "--max-turns": _Option("max_turns", "one", _count),
    "--max-budget-usd": _Option("max_budget", "one", _dollars),
    "--settings": _Option("settings", "one"),
    "--system-prompt": _Option("system_prompt", "one"),
    "--system-prompt-file": _Option("system_prompt_file", "one"),
    "--append-system-prompt": _Option("append_system_prompt", "one"),
    "--append-system-prompt-file": _Option("append_system_prompt_file", "one"),
    "--effort": _Option("effort", "one", _one_of(*EFFORTS)),
    "--trust": _Option("trust"),
    "--verbose": _Option("verbose"),
    "--plain": _Option("plain"),
    "--offline": _Option("offline", "maybe-equals"),
    "-v": _Option("version"),
    "--version": _Option("version"),
    "-h": _Option("help"),
    "--help": _Option("help"),
}


def parse(argv: Sequence[str]) -> Args:
    """The arguments in `argv` (without the program's name); UsageError with one plain line when they make no sense.

    The first word alone can be a subcommand; a prompt may stand anywhere; `--` ends the options.
    """
    if argv and argv[0] in COMMANDS:
        return Args(command=argv[0], rest=tuple(argv[1:]))
    fields: dict[str, object] = {}
    words = list(_expand(argv))
    prompts: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            prompts += words
            break
        if word.startswith("-") and word != "-":
            _take(word, words, fields)
        else:
            prompts.append(word)
    if len(prompts) > 1:
        raise UsageError(
            f"one prompt expected, but {len(prompts)} words stand alone ({prompts[0]!r}, {prompts[1]!r}, …).",
            do="Put the prompt in quotes.",
        )
    args = Args()._replace(prompt=prompts[0] if prompts else None, **fields)  # type: ignore[arg-type]  # typed by OPTIONS
    _check(args)
    return args


def _expand(argv: Sequence[str]) -> list[str]:
    """Clusters of one-letter switches (`-pc`) written out, up to `--`."""
    words: list[str] = []
    for at, word in enumerate(argv):
        if word == "--":
            return [*words, *argv[at:]]
        cluster = [f"-{letter}" for letter in word[1:]]
        is_cluster = word.startswith("-") and not word.startswith("--") and len(cluster) > 1
        words += cluster if is_cluster and all(flag in OPTIONS for flag in cluster) else [word]
    return words


def _take(word: str, words: list[str], fields: dict[str, object]) -> None:
    """Read the option `word`, and its value from `words` if it has one, into `fields`."""
    name, equals, inline = word.partition("=")
    option = OPTIONS.get(name)
    if option is None:
        raise UsageError(f"unknown option {name}.", do=_suggest(name))
    if option.takes == "nothing":
        if equals:
            raise UsageError(f"{name} takes no value.")
        fields[option.field] = True
        return
    if equals:
        value = inline
    elif option.takes == "maybe-equals" or (option.takes == "maybe" and (not words or words[0].startswith("-"))):
        value = ""
    elif not words or words[0].partition("=")[0] in OPTIONS:
        raise UsageError(f"{name} needs a value.")
    else:
        value = words.pop(0)
    try:
        read = option.read(value)
    except ValueError as error:
        raise UsageError(f"{name} needs {error}, not {value!r}.") from error
    fields[option.field] = _joined(fields.get(option.field), read) if option.takes == "many" else read


def _joined(earlier: object, more: object) -> tuple[object, ...]:
    return (*(earlier if isinstance(earlier, tuple) else ()), *(more if isinstance(more, tuple) else ()))


def _suggest(name: str) -> str:
    near = get_close_matches(name, OPTIONS, n=1, cutoff=0.6)
    return f"Did you mean {near[0]}?" if near else "See ccagent --help."


def _check(args: Args) -> None:
    """Refuse what cannot go together."""
    goes_on = args.continue_ or args.resume is not None
    pairs = (
        (args.continue_, args.resume is not None, "--continue and --resume exclude each other."),
        (
            args.system_prompt is not None,
            args.system_prompt_file is not None,
            "Give one of --system-prompt and its -file.",
        ),
        (
            args.append_system_prompt is not None,
            args.append_system_prompt_file is not None,
            "Give one of --append-system-prompt and its -file.",
        ),
        (args.fork_session, not goes_on, "--fork-session needs --continue or --resume."),
        (
            args.session_id is not None,
            goes_on and not args.fork_session,
            "--session-id names a new session: with --continue or --resume it needs --fork-session.",
        ),
        (args.print_, args.plain, "--print and --plain exclude each other."),
        (args.print_, args.resume == "", "--resume needs a session id together with --print."),
        (not args.print_, args.output_format != "text", "--output-format needs --print."),
        (not args.print_, args.input_format != "text", "--input-format needs --print."),
        (
            args.input_format == "stream-json",
            args.output_format != "stream-json",
            "--input-format stream-json needs --output-format stream-json.",
        ),
    )
    for one, other, line in pairs:
        if one and other:
            raise UsageError(line)
