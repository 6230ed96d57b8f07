"""The ledger of a conversation: every fact that a compaction must not lose, in the order of their worth."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from agent.compact.ledger.commands import command_facts
from agent.compact.ledger.fact import Fact, Kind
from agent.compact.ledger.files import file_facts
from agent.compact.ledger.record import Said, answers, calls_done, requests
from agent.compact.ledger.spoken import decision_facts, user_facts
from agent.compact.ledger.tested import test_facts
from agent.compact.ledger.todos import todo_facts
from agent.transcript.entries import Entry


class FactLedger(Struct, frozen=True):
    """All facts, each kind oldest first; `closing` is the model's last word before each new request, oldest first."""

    facts: tuple[Fact, ...]
    closing: tuple[Said, ...] = ()

    def of(self, *kinds: Kind) -> tuple[Fact, ...]:
        """The facts of these kinds."""
        return tuple(fact for fact in self.facts if fact.kind in kinds)


def collect_facts(
    entries: Sequence[Entry], *, kept: Collection[str] = (), hashes: Mapping[str, str] | None = None
) -> FactLedger:
    """The ledger of a whole record (the screen view); `kept` messages stand word for word and make no rules of their own.

    `hashes` are SHA-256 of files as the session last saw them, by path.
    """
    done, said = calls_done(entries), answers(entries)
    facts = (
        *user_facts(requests(entries, kept)),
        *test_facts(done),
        *file_facts(done, hashes or {}),
        *todo_facts(done, said),
        *command_facts(done),
        *decision_facts(said),
    )
    return FactLedger(facts, tuple(_closing(entries)))


def _closing(entries: Sequence[Entry]) -> list[Said]:
    """The last answer before each request of the person, and the last of all."""
    order = {one.uuid: one for one in answers(entries)}
    asked = {one.uuid for one in requests(entries)}
    closing: list[Said] = []
    latest: Said | None = None
    for entry in entries:
        latest = order.get(entry.uuid, latest)
        if entry.uuid in asked and latest is not None:
            closing.append(latest)
            latest = None
    return [*closing, *([latest] if latest is not None else [])]
