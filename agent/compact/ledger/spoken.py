"""Rules and corrections in the person's words, decisions in the model's."""

import re
from collections.abc import Sequence

from agent.compact.ledger.fact import Fact
from agent.compact.ledger.normalise import normalised
from agent.compact.ledger.record import Said
from agent.compact.ledger.sentences import is_correction, is_decision, is_plan, is_rule, sentences

_NAME = re.compile(r"`[^`\n]+`|\b\w+[_./:]\w[\w./:-]*\b|\b[A-Z]?[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\w*\b|\b\w*\d[\w.]*\b")
ENOUGH_NAMES = 2  # that a decision must have, all of them on one line of a text, for the line to tell it


def user_facts(said: Sequence[Said]) -> list[Fact]:
    """Each sentence of the person that forbids, requires or corrects; nothing else can make a rule."""
    facts: dict[str, Fact] = {}
    for one in said:
        for sentence in sentences(one.text):
            correction = is_correction(sentence)
            if correction or is_rule(sentence):
                key = normalised(sentence)
                facts.pop(key, None)
                facts[key] = Fact(
                    kind="correction" if correction else "rule", line=sentence, needles=(key,), source=one.uuid
                )
    return list(facts.values())


def decision_facts(said: Sequence[Said]) -> list[Fact]:
    """Each sentence of the model that says what was chosen or why, and each that says what is still to be done."""
    facts: dict[str, Fact] = {}
    for one in said:
        for sentence in sentences(one.text):
            decision = is_decision(sentence)
            if decision or is_plan(sentence):
                key = normalised(sentence)
                facts.pop(key, None)
                facts[key] = Fact(
                    kind="decision" if decision else "plan", line=sentence, needles=(key,), source=one.uuid
                )
    return list(facts.values())


def names_in(sentence: str) -> frozenset[str]:
    """What in a sentence is hard to say otherwise: code, paths, identifiers, numbers; normalised."""
    return frozenset(normalised(name) for name in _NAME.findall(sentence)) - {""}
