"""What the API counted and what it cost, from a transcript's own records; the conversation's shape plays no part."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from agent.protocol.messages import Usage
from agent.session.audit.charges import Charge, charges

SUBAGENTS = "subagents"


class Spent(Struct, frozen=True):
    """The bill of some requests. `dollars` leaves out the `unpriced` models, and is None when no price is known at all.

    `summaries` is the part of `dollars` that compactions took.
    The rehearsal gave the answers to `rehearsed` of them: nothing was paid for these, and `pretended` is what a model would have taken.
    """

    requests: int = 0
    usage: Usage = Usage()
    dollars: float | None = None
    models: tuple[str, ...] = ()
    unpriced: tuple[str, ...] = ()
    summaries: float = 0.0
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
            summaries=self.summaries + other.summaries,
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
    answers = {
        charge.id: charge for path in paths for charge in charges(path) if isinstance(charge, Charge) and charge.asked
    }
    new = {id: charge for id, charge in answers.items() if id not in billed}
    billed.update(new)
    return _sum(tuple(new.values()))


def _sum(all_: Sequence[Charge]) -> Spent:
    paid = [charge for charge in all_ if not charge.rehearsed]
    known = [charge.dollars for charge in paid if charge.dollars is not None]
    return Spent(
        requests=sum(charge.requests for charge in all_),
        usage=sum((charge.usage for charge in all_), Usage()),
        dollars=sum(known) if known or (all_ and not paid) else None,
        models=tuple(dict.fromkeys(charge.model for charge in all_)),
        unpriced=tuple(dict.fromkeys(charge.model for charge in paid if charge.dollars is None)),
        summaries=sum(charge.dollars or 0.0 for charge in paid if charge.compaction),
        rehearsed=sum(charge.requests for charge in all_ if charge.rehearsed),
        pretended=sum(charge.dollars or 0.0 for charge in all_ if charge.rehearsed),
    )
