"""Checks a summary against the ledger; what it leaves out or says wrongly is said again beside it, the summary itself is not edited."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from agent.compact.ledger.collect import FactLedger
from agent.compact.ledger.fact import FILES, USERS, Fact, Kind
from agent.compact.ledger.record import Said
from agent.compact.ledger.standing import Standing
from agent.compact.prompt import words
from agent.protocol.results import Counts
from agent.tokens.features import estimate_text

SHARE = 0.4  # of the budget that one group may take, the person's own words excepted
CLOSING = 240  # characters of the model's last word before a request
LEAST_CLOSING = 40  # characters; what is shorter ("Done.") decides nothing
ID = 8  # characters of a record's uuid that name it

_GROUPS: tuple[tuple[tuple[Kind, ...], str], ...] = (
    (USERS, "The user's own rules and corrections, oldest first; a later one replaces an earlier one"),
    (("failing",), "Tests that fail, the last time they ran"),
    (("written",), "Files changed"),
    (("todo",), "Todos"),
    (("command",), "Commands that changed something"),
    (("plan",), "What you said was still to be done, in your words of then; some of it may be done since"),
    (("decision",), "Decisions, in your words of then"),
    (("passing",), "Tests that pass, the last time they ran"),
    (("read",), "Files read"),
)
_CLOSING_TITLE = "How your answers ended, oldest first"
_WITH_ID: tuple[Kind, ...] = (*USERS, "decision", "plan")


class Verified(Struct, frozen=True, kw_only=True):
    """The check of one summary: `text` is the ledger message that mends it, empty when nothing is missing; `repaired` counts its facts."""

    text: str = ""
    rules: Counts = Counts()
    files: Counts = Counts()
    repaired: int = 0


def verify(ledger: FactLedger, standing: str, *, budget: int, tokenizer: str, spare: int | None = None) -> Verified:
    """Holds `standing` (summary, the person's words, kept messages) against `ledger`; the repair takes at most `budget` tokens.

    What mends nothing (how answers ended) is added only as far as the repair stays within `spare` tokens, when they are given.
    When not everything fits, a group's newest facts come first and the groups in the order of their worth.
    """
    text = Standing(standing)
    missing = [fact for fact in ledger.facts if not text.says(fact)]
    left = max(0, budget - estimate_text(words("ledger"), tokenizer))
    parts: list[str] = []
    repaired: list[Fact] = []
    for kinds, title in _GROUPS:
        room = left if kinds == USERS else min(left, round(SHARE * budget))
        group = [fact for fact in missing if fact.kind in kinds]
        chosen, told = _fitting(group, room - estimate_text(title, tokenizer), tokenizer)
        if chosen:
            part = "\n".join([f"{title}:", *told])
            left -= estimate_text(part, tokenizer)
            parts.append(part)
            repaired += chosen
    over = max(0, budget - spare) if spare is not None else 0
    parts += _closing(ledger.closing, standing, left - over, tokenizer)
    return Verified(
        text="\n\n".join([words("ledger"), *parts]) if parts else "",
        rules=_counts(ledger, missing, repaired, USERS),
        files=_counts(ledger, missing, repaired, FILES),
        repaired=len(repaired),
    )


def _counts(ledger: FactLedger, missing: Sequence[Fact], repaired: Sequence[Fact], kinds: tuple[Kind, ...]) -> Counts:
    total = len(ledger.of(*kinds))
    lost = sum(1 for fact in missing if fact.kind in kinds) - sum(1 for fact in repaired if fact.kind in kinds)
    return Counts(kept=total - lost, total=total)


def _fitting(facts: Sequence[Fact], room: int, tokenizer: str) -> tuple[list[Fact], list[str]]:
    """The facts that fit `room` tokens, and the lines that tell them; when not all do, and they have a short form, older ones in that form."""
    chosen = _within(facts, room, tokenizer)
    if len(chosen) == len(facts) or not facts[0].short:
        return chosen, list(_lines(chosen)) if chosen else []
    full = _within(facts, room // 2, tokenizer)
    older = [fact for fact in facts if fact not in full]
    left = room - sum(estimate_text(_line(fact), tokenizer) + 2 for fact in full)
    short: list[Fact] = []
    for fact in reversed(older):
        left -= estimate_text(fact.short, tokenizer) + 1
        if left < 0:
            break
        short.insert(0, fact)
    earlier = [f"- earlier: {', '.join(_one_line(fact.short) for fact in short)}"] if short else []
    return [*short, *full], [*earlier, *(_lines(full) if full else ())]


def _within(facts: Sequence[Fact], room: int, tokenizer: str) -> list[Fact]:
    """The newest of `facts` that fit `room` tokens, in their order."""
    chosen: list[Fact] = []
    for fact in reversed(facts):
        room -= estimate_text(_line(fact), tokenizer) + 2
        if room < 0:
            break
        chosen.append(fact)
    return chosen[::-1]


def _lines(facts: Sequence[Fact]) -> Iterator[str]:
    if facts[0].kind == "read":
        yield ", ".join(_line(fact) for fact in facts)
        return
    yield from (f"- {_line(fact)}" for fact in facts)


def _line(fact: Fact) -> str:
    told = _one_line(fact.line)
    return f"{told} [{fact.source[:ID]}]" if fact.kind in _WITH_ID else told


def _closing(said: Sequence[Said], standing: str, room: int, tokenizer: str) -> list[str]:
    """What room is left over goes to the ends of earlier answers: they hold what was decided without a word that marks it."""
    lines: list[str] = []
    room -= estimate_text(_CLOSING_TITLE, tokenizer) + 4
    for one in reversed(said):
        if len(text := _one_line(one.text)) < LEAST_CLOSING:
            continue
        line = f"- {text if len(text) <= CLOSING else text[:CLOSING] + '…'} [{one.uuid[:ID]}]"
        room -= estimate_text(line, tokenizer)
        if room < 0:
            break
        if text not in standing:
            lines.append(line)
    return ["\n".join([f"{_CLOSING_TITLE}:", *reversed(lines)])] if lines else []


def _one_line(text: str) -> str:
    return " ".join(_printable(text).split())


def _printable(text: Iterable[str]) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
