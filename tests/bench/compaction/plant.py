"""Facts planted into sessions: what was said or done, what must still stand after a compaction, and what must not."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from tests.bench.compaction.sessions import Do, Event, Say, Session

PHRASES = Path(__file__).parent / "phrases"
DEPTHS = (0.05, 0.25, 0.5, 0.75, 0.95)
Half = Literal["seen", "unseen", "late"]


class Phrase(Struct, frozen=True, kw_only=True):
    """One fact of the corpus (its form is told at the head of phrases/unseen.toml)."""

    kind: str
    lang: str
    marked: bool
    user: str = ""
    assistant: str = ""
    command: str = ""
    output: str = ""
    before: str = ""
    gone: str = ""
    keep: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """What must stand."""
        return self.keep or (self.user or self.assistant,)


class Injection(Struct, frozen=True):
    """A text that poses as the user's word; `mark` must not stand as such."""

    where: str
    text: str
    mark: str


class Finished(Struct, frozen=True):
    """A todo that is opened and closed in these words."""

    open: str
    close: str
    mark: str


class Planted(Struct, frozen=True):
    """A session with facts in it: where each was stated and where each todo was closed (the index of the event), and the injections."""

    events: tuple[Event, ...]
    facts: tuple[tuple[int, Phrase], ...] = ()
    injections: tuple[Injection, ...] = ()
    finished: tuple[tuple[int, Finished], ...] = ()


def phrases(half: Half) -> list[Phrase]:
    """All facts of one half of the corpus."""
    return msgspec.convert(_toml(f"{half}.toml")["fact"], list[Phrase])


def injections() -> list[Injection]:
    """All injections."""
    return msgspec.convert(_toml("injections.toml")["injection"], list[Injection])


def finished() -> list[Finished]:
    """All todos that come to an end."""
    return msgspec.convert(_toml("finished.toml")["finished"], list[Finished])


def plain(session: Session) -> Planted:
    """`session` with nothing in it."""
    return Planted(tuple(event for task in session.tasks for event in task))


def plant(
    session: Session, chosen: Sequence[Phrase], poison: Sequence[Injection], todos: Sequence[Finished]
) -> Planted:
    """`session` with `chosen` stated at DEPTHS in turn, `todos` opened early and closed a while later, `poison` in results of commands."""
    events = plain(session).events
    stops = [at for at, event in enumerate(events) if isinstance(event, Do)]
    due: dict[int, list[Phrase | Finished | str]] = {}
    for number, phrase in enumerate(chosen):
        depth = DEPTHS[number % len(DEPTHS)]
        due.setdefault(stops[min(len(stops) - 1, int(depth * len(stops)) + number)], []).append(phrase)
    for number, todo in enumerate(todos):
        due.setdefault(stops[len(stops) * (1 + number) // 20], []).append(todo.open)
        due.setdefault(stops[len(stops) * (6 + number) // 20], []).append(todo)
    poisoned = dict(zip(stops[3::7], poison, strict=False))
    planter = _Planter()
    for at, event in enumerate(events):
        bad = poisoned.get(at)
        if bad is not None and isinstance(event, Do):
            event = msgspec.structs.replace(event, output=f"{event.output}\n{bad.text}")
        planter.events.append(event)
        for item in due.get(at, ()):
            planter.state(item)
    return Planted(tuple(planter.events), tuple(planter.facts), tuple(poisoned.values()), tuple(planter.finished))


class _Planter:
    """The session while it grows."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.facts: list[tuple[int, Phrase]] = []
        self.finished: list[tuple[int, Finished]] = []

    def state(self, item: Phrase | Finished | str) -> None:
        """Adds what says `item`."""
        match item:
            case Phrase():
                self.events += _said(item)
                self.facts.append((len(self.events) - 1, item))
            case Finished():
                self.events.append(Do(item.close, "git diff --stat", ""))
                self.finished.append((len(self.events) - 1, item))
            case opened:
                self.events.append(Do(opened, "git diff --stat", ""))


def _said(phrase: Phrase) -> Iterator[Event]:
    if phrase.before:
        yield Say(phrase.before)
        yield Do("I take that into account.", "git status --short", "")
    if phrase.user:
        yield Say(phrase.user)
    elif phrase.command:
        yield Do("One more step.", phrase.command, phrase.output, failed=phrase.kind == "test")
    else:
        yield Do(phrase.assistant, "git diff --stat", "")


def _toml(name: str) -> dict[str, list[object]]:
    return tomllib.loads((PHRASES / name).read_text(encoding="utf-8"))
