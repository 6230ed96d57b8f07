"""With a valid summary that says nothing, nothing that matters is lost, over chains of compactions, in both languages, marked or not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bench.compaction.engine import Engine
from tests.bench.compaction.plant import Phrase, finished, injections, phrases, plant
from tests.bench.compaction.play import Play, Score
from tests.bench.compaction.policies import NotesAlone, Tools
from tests.bench.compaction.prices import Sizes, Till
from tests.bench.compaction.sessions import Session, sessions
from tests.bench.compaction.summariser import Summariser

THRESHOLD = 20_000
SESSIONS, TASKS = 3, 2  # each session holds a third of the phrases
GOALS = {"seen": 0.98, "unseen": 0.95}


async def _played(number: int, chosen: Sequence[Phrase], half: str, dial: float, folder: Path | None) -> Score:
    """Our engine's score, or without a `folder` that of the notes' algorithm alone."""
    session = sessions(None)[number]
    planted = plant(Session(session.name, session.tasks[:TASKS]), chosen, injections(), finished())
    sizes = Sizes()
    tools = Tools(Summariser(dial, seed=number), Till(sizes), sizes)
    policy = Engine(tools, folder, THRESHOLD) if folder else NotesAlone(tools)
    return await Play(planted, dict.fromkeys(chosen, half), policy, tools, THRESHOLD).run()


@pytest.mark.parametrize("half", ["seen", "unseen"])
async def test_an_empty_summary_loses_nothing_that_matters(half: str, tmp_path: Path) -> None:
    chosen = phrases("seen" if half == "seen" else "unseen")
    scores = [
        await _played(number, chosen[number::SESSIONS], half, 0.0, tmp_path / str(number)) for number in range(SESSIONS)
    ]
    for kind in ("rule", "decision", "correction", "todo", "file", "test"):
        shares = [score.kept[key] for score in scores for key in score.kept if key == f"{half} {kind}"]
        assert sum(share.of for share in shares) >= GOALS[half] * sum(share.all for share in shares) > 0, kind
    for score in scores:
        assert len(score.after) >= 3
        assert max(score.after) < THRESHOLD // 2
        assert (score.stale, score.zombies, score.promoted, score.repairs) == (0, 0, 0, 0)
        assert score.recalled.of == score.recalled.all


@pytest.mark.parametrize("dial", [0.3, 0.5])
async def test_a_summary_that_is_wrong_is_put_right(dial: float, tmp_path: Path) -> None:
    """Such a summariser tells values that were corrected, and takes finished todos for open ones."""
    chosen = phrases("seen")[::2]
    score = await _played(0, chosen, "seen", dial, tmp_path)
    assert (score.stale, score.zombies, score.promoted) == (0, 0, 0)
    alone = await _played(0, chosen, "seen", dial, None)
    assert alone.stale > 0
    assert alone.zombies > 0
