"""What the API counted and what it cost, from a transcript's own records; the conversation's shape plays no part."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from agent.protocol.messages import Usage
from agent.session.audit.bills import Bill, bills

SUBAGENTS = "subagents"


class Spent(Struct, frozen=True):
    """The bill of some requests. `dollars` leaves out the `unpriced` models, and is None when no price is known at all.

    The rehearsal gave the answers to `rehearsed` of them: nothing was paid for these, and `pretended` is what a model would have taken.
    """

    requests: int = 0
    usage: Usage = Usage()
    dollars: float | None = None
    models: tuple[str, ...] = ()
    unpriced: tuple[str, ...] = ()
    rehearsed: int = 0
    pretended: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        known = [one.dollars for one in (self, other) if one.dollars is not None]
        return Spent(
            requests=self.requests + other.requests,
            usage=self.usage + other.usage,
            dollars=sum(known) if known else None,
            models=tuple(dict.fromkeys((*self.models, *other.models))),
            unpriced=tuple(dict.fromkeys((*self.unpriced, *other.unpriced))),
            rehearsed=self.rehearsed + other.rehearsed,
            pretended=self.pretended + other.pretended,
        )


def spent(path: Path, billed: set[str] | None = None) -> tuple[Spent, Spent]:
    """The bill of the session in `path` on every branch of it, and that of its subagents (Claude Code writes them beside it).

    Requests whose ids are in `billed` are left out, the others are added to it: copies of a conversation cost nothing again.
    """
    billed = set() if billed is None else billed
    beside = sorted((path.with_suffix("") / SUBAGENTS).glob("**/*.jsonl"))
    return _spent([path], billed), _spent(beside, billed)


def _spent(paths: Iterable[Path], billed: set[str]) -> Spent:
    answers = {bill.id: bill for path in paths for bill in bills(path) if bill is not None and bill.asked}
    new = {id: bill for id, bill in answers.items() if id not in billed}
    billed.update(new)
    return _sum(tuple(new.values()))


def _sum(all_: Sequence[Bill]) -> Spent:
    paid = [bill for bill in all_ if not bill.rehearsed]
    known = [bill.dollars for bill in paid if bill.dollars is not None]
    return Spent(
        requests=sum(bill.requests for bill in all_),
        usage=sum((bill.usage for bill in all_), Usage()),
        dollars=sum(known) if known or (all_ and not paid) else None,
        models=tuple(dict.fromkeys(bill.model for bill in all_)),
        unpriced=tuple(dict.fromkeys(bill.model for bill in paid if bill.dollars is None)),
        rehearsed=sum(bill.requests for bill in all_ if bill.rehearsed),
        pretended=sum(bill.dollars or 0.0 for bill in all_ if bill.rehearsed),
    )
