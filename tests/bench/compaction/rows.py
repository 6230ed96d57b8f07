"""One row of the comparison: a policy with one summariser, played over all sessions, as they are and with facts planted in them."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from agent.compact.tail_policy import TAIL, TailPolicy
from agent.protocol.model import Model
from tests.bench.compaction.engine import Engine
from tests.bench.compaction.plant import Half, Phrase, finished, injections, phrases, plain, plant
from tests.bench.compaction.play import Play, Score, Share
from tests.bench.compaction.policies import BASELINES, Policy, Tools
from tests.bench.compaction.prices import MODEL, Sizes, Till
from tests.bench.compaction.sessions import Session
from tests.bench.compaction.summariser import Summariser

PARTS = 4  # each session holds one part of the phrases, in turn
KINDS = ("rule", "decision", "correction", "todo", "file", "test")
HALVES: tuple[Half, ...] = ("seen", "unseen", "late")
Maker = Callable[[Tools, Path], Policy]


@dataclass
class Row:
    """`natural`: prices, waits and names over the sessions as they are; `planted`: what was kept of facts, and what went wrong."""

    name: str
    dial: str
    natural: Score = field(default_factory=Score)
    planted: Score = field(default_factory=Score)

    def kept(self, kind: str = "", half: str = "") -> float | None:
        """The share of facts that stood, of one kind, one half, or all."""
        total = Share()
        for key, share in self.planted.kept.items():
            its_half, its_kind = key.split()
            if kind in ("", its_kind) and half in ("", its_half):
                total.add(share.of, share.all)
        return total.value

    @property
    def utility(self) -> float | None:
        """The score U; stale facts, zombies and promoted injections count as shares of
        compactions. None without facts."""
        if not self.planted.kept:
            return None
        kept = {kind: self.kept(kind) or 0.0 for kind in KINDS}
        wrong = (self.planted.stale + self.planted.zombies + self.planted.promoted) / max(1, len(self.planted.after))
        return (
            0.30 * (kept["rule"] + kept["correction"]) / 2
            + 0.15 * (kept["decision"] + kept["todo"]) / 2
            + 0.20 * (kept["file"] + kept["test"]) / 2
            + 0.25 * (self.natural.future.value or 0.0)
            + 0.10 * (self.natural.recalled.value if self.natural.recalled.value is not None else 1.0)
            - 0.5 * min(1.0, wrong)
            - (1.0 if self.natural.repairs + self.planted.repairs else 0.0)
        )


def ours(tail: TailPolicy = TAIL, *, threshold: int, model: Model | None = None, name: str = MODEL) -> Maker:
    """The engine with a tail policy, and perhaps a real model, of its own."""
    return lambda tools, folder: Engine(tools, folder, threshold, tail=tail, model=model, name=name)


def baseline(name: str) -> Maker:
    """One of BASELINES."""
    return lambda tools, _folder: BASELINES[name][0](tools)


async def row(
    name: str,
    dial: tuple[str, float],
    make: Maker,
    sessions: Sequence[Session],
    threshold: int,
    *,
    with_facts: bool = True,
) -> Row:
    """Plays everything."""
    made = Row(name, dial[0])
    halves: dict[Phrase, str] = {phrase: half for half in HALVES for phrase in phrases(half)}
    for number, session in enumerate(sessions):
        for facts in (False, True) if with_facts else (False,):
            planted = plant(session, _part(number), injections(), finished()) if facts else plain(session)
            sizes = Sizes()
            tools = Tools(Summariser(dial[1], seed=number), Till(sizes), sizes)
            with tempfile.TemporaryDirectory() as folder:
                score = await Play(planted, halves, make(tools, Path(folder)), tools, threshold).run()
            _add(made.planted if facts else made.natural, score)
    return made


def _part(number: int) -> list[Phrase]:
    """Phrases of all lists in turn."""
    groups = zip_longest(*(phrases(half)[number % PARTS :: PARTS] for half in HALVES))
    return [phrase for group in groups for phrase in group if phrase is not None]


def _add(total: Score, score: Score) -> None:
    for key, share in score.kept.items():
        total.kept.setdefault(key, Share()).add(share.of, share.all)
    total.future.add(score.future.of, score.future.all)
    total.recalled.add(score.recalled.of, score.recalled.all)
    total.stale += score.stale
    total.zombies += score.zombies
    total.promoted += score.promoted
    total.repairs += score.repairs
    total.after += score.after
    total.bill.context += score.bill.context
    total.bill.answers += score.bill.answers
    total.bill.waited += score.bill.waited
