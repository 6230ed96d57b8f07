"""Rules and corrections in the person's words, decisions in the model's."""

import re
from collections.abc import Callable, Sequence

from agent.compact.ledger.fact import Fact, Kind
from agent.compact.ledger.normalise import normalised
from agent.compact.ledger.record import Said
from agent.compact.ledger.sentences import is_correction, is_decision, is_plan, is_rule, sentences

_NAME = re.compile(r"`[^`\n]+`|\b\w+[_./:]\w[\w./:-]*\b|\b[A-Z]?[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\w*\b|\b\w*\d[\w.]*\b")
ENOUGH_NAMES = 2  # that a decision must have, all of them on one line of a text, for the line to tell it


def user_facts(said: Sequence[Said]) -> list[Fact]:
    """Each sentence of the person that forbids, requires or corrects; nothing else can make a rule."""
    return _facts(said, lambda one: "correction" if is_correction(one) else "rule" if is_rule(one) else None)


def decision_facts(said: Sequence[Said]) -> list[Fact]:
    """Each sentence of the model that says what was chosen or why, and each that says what is still to be done."""
    return _facts(said, lambda one: "decision" if is_decision(one) else "plan" if is_plan(one) else None)


def _facts(said: Sequence[Said], kind_of: Callable[[str], Kind | None]) -> list[Fact]:
    """The sentences that are of a kind, each where it was said last."""
    facts: dict[str, Fact] = {}
    for one in said:
        for sentence in sentences(one.text):
            if kind := kind_of(sentence):
                key = normalised(sentence)
                facts.pop(key, None)
                facts[key] = Fact(kind=kind, line=sentence, needles=(key,), source=one.uuid)
    return list(facts.values())


def names_in(sentence: str) -> frozenset[str]:
    """What in a sentence is hard to say otherwise: code, paths, identifiers, numbers; normalised."""
    return frozenset(normalised(name) for name in _NAME.findall(sentence)) - {""}
