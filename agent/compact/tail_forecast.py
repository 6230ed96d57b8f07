"""How much of what the model goes on to use would still stand after a compaction: told from what it has just used."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from agent.compact.keep_tail import Split, is_request
from agent.compact.ledger.names import names_in, names_in_use
from agent.compact.shown import shown
from agent.protocol.messages import Message
from agent.transcript.entries import MessageEntry

ANSWERS = 10  # the latest, that are looked at
NAME = 6  # tokens of a name, about
FEW = 5  # names from which nothing can be told


class Reach(Struct, frozen=True):
    """Of `used` names that the latest calls took up again, `standing` would have stood after a compaction before those calls."""

    used: int
    standing: int


def reach(view: Sequence[MessageEntry], split: Split, names: int, count: Callable[[Message], int]) -> Reach | None:
    """The reach of a tail as large as the one of `split`, with `names` tokens for those in use; None when too little was used again."""
    answers = [at for at, entry in enumerate(view) if entry.message.role == "assistant"]
    if len(answers) <= ANSWERS:
        return None
    past, since = view[: answers[-ANSWERS]], view[answers[-ANSWERS] :]
    called = {name for entry in since for call in entry.message.tool_uses for name in names_in(str(call.input))}
    before = shown(past)
    wanted = {name for name in called if name in before}
    if len(wanted) < FEW:
        return None
    standing = _tail(past, sum(count(entry.message) for entry in split.kept), count)
    text = "\n".join([shown(standing), *names_in_use(past)[: names // NAME]])
    return Reach(len(wanted), sum(name in text for name in wanted))


def _tail(past: Sequence[MessageEntry], budget: int, count: Callable[[Message], int]) -> list[MessageEntry]:
    """The latest messages of `past` within `budget` tokens, and the request that was being worked on."""
    kept: list[MessageEntry] = [entry for entry in past if is_request(entry)][-1:]
    for entry in reversed(past):
        budget -= count(entry.message)
        if budget < 0:
            break
        kept.append(entry)
    return kept
