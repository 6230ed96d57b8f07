"""A summariser with a dial: it writes down what stands in the conversation before it, and forgets as much of it as it is told to."""

import random
from collections.abc import AsyncGenerator, Sequence

from agent.compact.ledger.normalise import normalised
from agent.compact.prompt import SECTIONS
from agent.protocol.blocks import Text
from agent.protocol.messages import Message, Usage
from agent.protocol.model import Delta, Reply, Request
from agent.tokens.features import estimate_text
from tests.bench.compaction.plant import Finished, Phrase
from tests.bench.compaction.text import names, shown, stands

DIALS = {"perfect": 1.0, "0.9": 0.9, "0.5": 0.5, "empty": 0.0}
MOST_NAMES = 120  # that a good summary mentions: about what nine sections of real ones hold
SECTION = {"rule": 0, "decision": 1, "correction": 0, "file": 2, "test": 3, "todo": 6}


class Summariser:
    """The model of a compaction: what has happened so far is filled in by the one who plays the session.

    With less than a perfect memory it also tells values that were corrected, and takes finished todos for open ones.
    """

    def __init__(self, keep: float, seed: int) -> None:
        self.keep = keep
        self.facts: list[Phrase] = []
        self.finished: list[Finished] = []
        self.commands: list[str] = []
        self._dice = random.Random(seed)

    def summary(self, messages: Sequence[Message]) -> str:
        """Nine sections; of the facts that still stand in `messages`, each is told with the chance `keep`."""
        text = normalised(shown(messages))
        sections: list[list[str]] = [[] for _title in SECTIONS]
        for fact in self.facts:
            if stands(fact.keys, text) and self._tells():
                sections[SECTION[fact.kind]].append(_line(fact))
            elif fact.before and normalised(fact.before) in text and self._tells():
                sections[SECTION[fact.kind]].append(fact.before)  # a correction that was missed
        sections[6] += [f"{todo.mark} (open)" for todo in self.finished if self.keep < 1 and self._tells()]
        recent = [name for command in reversed(self.commands) for name in sorted(names(command))]
        known = [name for name in dict.fromkeys(recent) if normalised(name) in text][:MOST_NAMES]
        sections[2] += [name for name in known if self._tells()]
        return "\n\n".join(
            f"{number}. {title}:\n" + ("\n".join(f"- {line}" for line in lines) or "None")
            for number, (title, lines) in enumerate(zip(SECTIONS, sections, strict=True), 1)
        )

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """The summary as the answer to a compaction request."""
        text = f"<analysis>\n</analysis>\n<summary>\n{self.summary(request.messages)}\n</summary>"
        usage = Usage(input=1, output=estimate_text(text, "v4.8"))
        yield Reply(message_id="m", model=request.model, blocks=(Text(text=text),), stop_reason="end_turn", usage=usage)

    async def close(self) -> None:
        """Nothing to release."""

    def _tells(self) -> bool:
        return self._dice.random() < self.keep


def _line(fact: Phrase) -> str:
    told = "; ".join(fact.keys)
    match fact.kind:
        case "file":
            return f"{told} was changed"
        case "test":
            return f"{told} fails"
        case _:
            return told
