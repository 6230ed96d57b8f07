"""Facts planted into sessions: what was said or done, what must still stand after a compaction, and what must not."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from tests.bench.compaction.sessions import Do, Event, Reply, Say, Session

PHRASES = Path(__file__).parent / "phrases"
DEPTHS = (0.05, 0.25, 0.5, 0.75, 0.95)
Half = Literal["seen", "unseen"]


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


class Planted(Struct, frozen=True):
    """A session with facts in it: where each was stated (the index of its event), and where each injection stands."""

    events: tuple[Event, ...]
    facts: tuple[tuple[int, Phrase], ...]
    injections: tuple[Injection, ...]


def phrases(half: Half) -> list[Phrase]:
    """All facts of one half of the corpus."""
    return msgspec.convert(_toml(f"{half}.toml")["fact"], list[Phrase])


def injections() -> list[Injection]:
    """All injections."""
    return msgspec.convert(_toml("injections.toml")["injection"], list[Injection])


def plant(session: Session, chosen: Sequence[Phrase], poison: Sequence[Injection]) -> Planted:
    """`session` with `chosen` stated at DEPTHS in turn, and `poison` in the results of its commands."""
    events = [event for task in session.tasks for event in task]
    stops = [at for at, event in enumerate(events) if isinstance(event, Do)]
    due: dict[int, list[Phrase]] = {}
    for number, phrase in enumerate(chosen):
        depth = DEPTHS[number % len(DEPTHS)]
        due.setdefault(stops[min(len(stops) - 1, int(depth * len(stops)) + number)], []).append(phrase)
    poisoned = dict(zip(stops[3::7], poison, strict=False))
    planted: list[Event] = []
    facts: list[tuple[int, Phrase]] = []
    for at, event in enumerate(events):
        bad = poisoned.get(at)
        planted.append(
            msgspec.structs.replace(event, output=f"{event.output}\n{bad.text}")
            if bad and isinstance(event, Do)
            else event
        )
        for phrase in due.get(at, ()):
            planted += _said(phrase)
            facts.append((len(planted) - 1, phrase))
    return Planted(tuple(planted), tuple(facts), tuple(poisoned.values()))


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


def ended(event: Event) -> bool:
    """Whether nobody waits for the model after `event`."""
    return isinstance(event, Reply)


def _toml(name: str) -> dict[str, list[object]]:
    return tomllib.loads((PHRASES / name).read_text(encoding="utf-8"))
