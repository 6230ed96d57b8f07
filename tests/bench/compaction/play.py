"""Plays one session under one policy: every request charged, every compaction measured."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.compact.ledger.normalise import normalised
from agent.protocol.blocks import Text, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message
from agent.transcript.invariants import repair
from tests.bench.compaction.plant import Phrase, Planted
from tests.bench.compaction.policies import Policy, Tools
from tests.bench.compaction.prices import Bill
from tests.bench.compaction.sessions import Do, Reply, Say
from tests.bench.compaction.text import names, shown, spoken, stands

NEXT_ACTIONS = 10
OPEN, DONE = ("[ ]", "open", "to do", "pending"), ("[x]", "finished", "done")


@dataclass
class Share:
    """So many of so many."""

    of: int = 0
    all: int = 0

    def add(self, part: int, whole: int) -> None:
        """More of both."""
        self.of += part
        self.all += whole

    @property
    def value(self) -> float | None:
        """The share, None of nothing."""
        return self.of / self.all if self.all else None


@dataclass
class Score:
    """What was measured, over any number of sessions; kept facts by (half, kind)."""

    kept: dict[str, Share] = field(default_factory=dict)
    future: Share = field(default_factory=Share)
    recalled: Share = field(default_factory=Share)
    stale: int = 0
    zombies: int = 0
    promoted: int = 0
    repairs: int = 0
    after: list[int] = field(default_factory=list)
    bill: Bill = field(default_factory=Bill)


class Play:
    """One session from its first event to its last."""

    def __init__(
        self, planted: Planted, halves: dict[Phrase, str], policy: Policy, tools: Tools, threshold: int
    ) -> None:
        self._planted = planted
        self._halves = halves
        self._policy = policy
        self._tools = tools
        self._threshold = threshold
        self._stated = dict(planted.facts)
        self._closed = dict(planted.finished)
        self._seen: set[str] = set()
        self.score = Score(bill=tools.till.bill)

    async def run(self) -> Score:
        """Plays it."""
        fresh = True
        for at, event in enumerate(self._planted.events):
            if isinstance(event, Say):
                self._add(user_message(event.text))
                fresh = fresh or isinstance(self._planted.events[at - 1], Reply)
            else:
                await self._turn(at, event, fresh=fresh)
                fresh = isinstance(event, Reply)
            if (fact := self._stated.get(at)) is not None:
                self._tools.summariser.facts.append(fact)
            if (todo := self._closed.get(at)) is not None:
                self._tools.summariser.finished.append(todo)
        return self.score

    async def _turn(self, at: int, event: Do | Reply, *, fresh: bool) -> None:
        messages = self._policy.messages()
        if self._tools.sizes.all(messages) >= self._threshold:
            await self._policy.shrink(self._threshold, mid_turn=not fresh)
            messages = self._policy.messages()
            self._measure(at, messages)
        answer = _answer(event, at)
        self._tools.till.answer(messages, self._tools.sizes.of(answer))
        self._add(answer)
        if isinstance(event, Do):
            result = ToolResult(tool_use_id=f"call_{at}", content=event.output or "(no output)", is_error=event.failed)
            self._add(Message("user", (result,)), failed=event.failed)
            self._tools.summariser.commands.append(event.command)

    def _add(self, message: Message, *, failed: bool = False) -> None:
        self._seen |= names(shown([message]))
        self._policy.add(message, failed=failed)

    def _measure(self, at: int, messages: Sequence[Message]) -> None:
        """What stands after a compaction before event `at`."""
        score, text = self.score, shown(messages)
        folded = normalised(text)
        score.after.append(self._tools.sizes.all(messages))
        score.repairs += len(repair(messages)[1])
        lost = [key for fact in self._live(at) for key in self._lost(fact, folded)]
        future = self._future(at)
        gone = future - names(text)
        score.future.add(len(future) - len(gone), len(future))
        wanted = [*lost, *gone]
        score.recalled.add(sum(self._policy.recall(key) for key in wanted), len(wanted))
        self._wrongs(at, messages, folded)

    def _live(self, at: int) -> list[Phrase]:
        return [fact for place, fact in self._planted.facts if place < at]

    def _lost(self, fact: Phrase, folded: str) -> Sequence[str]:
        kept = stands(fact.keys, folded)
        share = self.score.kept.setdefault(f"{self._halves[fact]} {fact.kind}", Share())
        share.add(kept, 1)
        return () if kept else fact.keys

    def _wrongs(self, at: int, messages: Sequence[Message], folded: str) -> None:
        for fact in self._live(at):
            if fact.gone and normalised(fact.gone) in folded and not stands(fact.keys, folded):
                self.score.stale += 1
        for place, todo in self._planted.finished:
            self.score.zombies += place < at and _stands_open(todo.mark, spoken(messages))
        said = normalised(spoken(messages))
        self.score.promoted += sum(normalised(one.mark) in said for one in self._planted.injections)

    def _future(self, at: int) -> set[str]:
        """Names that the model used in its next actions of this task, and had seen before."""
        used: set[str] = set()
        actions = 0
        for event in self._planted.events[at:]:
            if isinstance(event, Reply) or actions == NEXT_ACTIONS:
                break
            if isinstance(event, Do):
                used |= names(event.command)
                actions += 1
        return used & self._seen


def _answer(event: Do | Reply, at: int) -> Message:
    if isinstance(event, Reply):
        return Message("assistant", (Text(text=event.text),))
    call = ToolUse(id=f"call_{at}", name="Bash", input={"command": event.command})
    return Message("assistant", (Text(text=event.said), call) if event.said.strip() else (call,))


def _stands_open(mark: str, text: str) -> bool:
    """Whether a line says that a todo is open, and none that it is finished."""
    lines = [line for line in text.splitlines() if mark in line]
    return any(word in line for line in lines for word in OPEN) and not any(
        word in line for line in lines for word in DONE
    )
