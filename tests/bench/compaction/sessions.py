"""Sessions to compact: real ones from $CCAGENT_BENCH_DATA, chained as successive tasks of one user, or synthetic ones when it is unset."""

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from agent.tokens.features import estimate_text

SESSIONS = 8
_BASH = re.compile(r"```bash\n(.*?)\n```", re.DOTALL)
_REQUEST = re.compile(r"<pr_description>\s*(.*?)\s*</pr_description>", re.DOTALL)
_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")
_WRAPPED = re.compile(r"^\s*<returncode>-?\d+</returncode>\s*|</?(?:output|output_head|output_tail|warning)>\n?")


class Say(Struct, frozen=True):
    """The user speaks."""

    text: str


class Do(Struct, frozen=True):
    """The model says something and runs a command."""

    said: str
    command: str
    output: str
    failed: bool = False


class Reply(Struct, frozen=True):
    """The model ends its turn."""

    text: str


Event = Say | Do | Reply


class Session(Struct, frozen=True):
    """One user's tasks, one after the other; each begins with what the user asks and ends with a reply."""

    name: str
    tasks: tuple[tuple[Event, ...], ...]


def sessions(folder: Path | None, number: int = SESSIONS) -> list[Session]:
    """`number` sessions of about the same size: the fewer, the longer."""
    return _chained(_real_tasks(folder), number) if folder else _synthetic(number)


def _real_tasks(folder: Path) -> list[tuple[str, tuple[Event, ...]]]:
    tasks = []
    for file in sorted(folder.glob("**/*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            tasks += [(row["instance_id"], tuple(_events(row["messages"]))) for row in map(json.loads, lines)]
    return tasks


def _events(messages: Sequence[dict[str, str]]) -> Iterator[Event]:
    """A trajectory of one bash block an answer as events; what is not part of that form is left out."""
    asked = next(message["content"] for message in messages if message["role"] == "user")
    found = _REQUEST.search(asked)
    yield Say(f"Fix this in the repository:\n\n{found[1] if found else asked}")
    last = "The change is in place."
    for message, answer in zip(messages, [*messages[1:], None], strict=True):
        block = _BASH.search(message["content"]) if message["role"] == "assistant" else None
        if block is None or answer is None:
            continue
        said = _BASH.sub("", message["content"]).removeprefix("THOUGHT:").strip()
        code = _CODE.search(answer["content"])
        yield Do(said, block[1], _WRAPPED.sub("", answer["content"]).strip(), bool(code and code[1] != "0"))
        last = said or last
    yield Reply(last)


def _chained(tasks: Sequence[tuple[str, tuple[Event, ...]]], number: int) -> list[Session]:
    """Tasks in their order, cut into `number` sessions of about equal tokens."""
    sizes = [sum(size_of(event) for event in events) for _name, events in tasks]
    share = sum(sizes) / number
    middles = [sum(sizes[:at]) + sizes[at] / 2 for at in range(len(tasks))]
    numbered = groupby(zip(middles, tasks, strict=True), key=lambda pair: min(number - 1, int(pair[0] // share)))
    found = []
    for place, group in numbered:
        members = [task for _middle, task in group]
        found.append(Session(f"{place + 1} {members[0][0]}…", tuple(events for _name, events in members)))
    return found


def size_of(event: Event) -> int:
    """Tokens of an event."""
    match event:
        case Do():
            return estimate_text(event.said + event.command, "v4.8") + estimate_text(event.output, "v4.8")
        case _:
            return estimate_text(event.text, "v4.8")


_PARTS = ("cache", "parser", "router", "session", "quota", "ledger", "worker", "index", "token", "schema", "lexer")
_VERBS = ("load", "flush", "merge", "resolve", "collect", "split", "verify", "render")


def _synthetic(number: int) -> list[Session]:
    """Made-up tasks with the habits of real ones: search, read around a hit, edit, test, and come back to earlier names."""
    return [
        Session(
            f"{place + 1} synthetic", tuple(_task(random.Random(100 * place + task)) for task in range(40 // number))
        )
        for place in range(number)
    ]


def _task(dice: random.Random) -> tuple[Event, ...]:
    names = [f"{dice.choice(_VERBS)}_{dice.choice(_PARTS)}_{dice.randrange(40)}" for _ in range(12)]
    files = [f"src/{dice.choice(_PARTS)}/{name}.py" for name in names[:5]]
    events: list[Event] = [
        Say(f"`{names[0]}` in {files[0]} loses entries when `{names[1]}` runs twice; please fix it.")
    ]
    for step in range(45):
        name, file = dice.choice(names), dice.choice(files)
        command, lines = dice.choice(
            [
                (f"grep -rn '{name}' src", 30),
                (f"sed -n '{step},{step + 80}p' {file}", 80),
                (f"sed -i 's/{name}/{name}_now/' {file}", 0),
                (f"python -m pytest tests/test_{names[0]}.py -q", 12),
            ]
        )
        body = "\n".join(
            f"{file}:{n}: {dice.choice(names)}({dice.choice(_PARTS)}, {dice.randrange(999)})" for n in range(lines)
        )
        events.append(Do(f"Next I look at `{name}`.", command, body))
    return (*events, Reply(f"`{names[0]}` is mended in {files[0]}."))
