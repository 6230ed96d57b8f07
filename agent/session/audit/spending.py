"""What the API counted and what it cost, from a transcript's own records; the conversation's shape plays no part."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from agent.models.prices import cost
from agent.protocol.messages import Usage
from agent.transcript.entries import SYNTHETIC_MODEL
from agent.transcript.store import read_lines

SUBAGENTS = "subagents"


class _Lifetimes(Struct):
    ephemeral_1h_input_tokens: int | None = 0


class _Counted(Struct):
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0
    cache_creation: _Lifetimes | None = None


class _Answer(Struct):
    id: str | None = None
    model: str | None = None
    usage: _Counted | None = None


class _Record(Struct):
    type: str = ""
    uuid: str | None = None
    timestamp: str | None = None
    message: _Answer | None = None


_records = msgspec.json.Decoder(_Record)


class Spent(Struct, frozen=True):
    """The bill of some answers. `dollars` leaves out the `unpriced` models, and is None when no price is known at all."""

    requests: int = 0
    usage: Usage = Usage()
    dollars: float | None = None
    models: tuple[str, ...] = ()
    unpriced: tuple[str, ...] = ()

    def __add__(self, other: "Spent") -> "Spent":
        known = [one.dollars for one in (self, other) if one.dollars is not None]
        return Spent(
            requests=self.requests + other.requests,
            usage=self.usage + other.usage,
            dollars=sum(known) if known else None,
            models=tuple(dict.fromkeys((*self.models, *other.models))),
            unpriced=tuple(dict.fromkeys((*self.unpriced, *other.unpriced))),
        )


def spent(path: Path, billed: set[str] | None = None) -> tuple[Spent, Spent]:
    """The bill of the session in `path` on every branch of it, and that of its subagents (Claude Code writes them beside it).

    Answers whose ids are in `billed` are left out, the others are added to it: copies of a conversation cost nothing again.
    """
    billed = set() if billed is None else billed
    beside = sorted((path.with_suffix("") / SUBAGENTS).glob("**/*.jsonl"))
    return _spent([path], billed), _spent(beside, billed)


def _spent(paths: Iterable[Path], billed: set[str]) -> Spent:
    answers: dict[str, _Answer] = {}
    for path in paths:
        for line in read_lines(path):
            if b'"assistant"' in line:
                _note(line, answers)
    new = {id: answer for id, answer in answers.items() if id not in billed}
    billed.update(new)
    return _bill(new)


def _note(line: bytes, answers: dict[str, _Answer]) -> None:
    """Of an answer that is told in several records the last one counts."""
    try:
        record = _records.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return
    answer = record.message
    if (
        record.type == "assistant"
        and answer is not None
        and answer.usage is not None
        and answer.model != SYNTHETIC_MODEL
    ):
        answers[answer.id or record.uuid or ""] = answer


def _bill(answers: Mapping[str, _Answer]) -> Spent:
    usage, dollars = Usage(), 0.0
    models: dict[str, bool] = {}
    for answer in answers.values():
        counted, model = answer.usage or _Counted(), answer.model or "unknown model"
        price = _price(model, counted)
        usage += _usage(counted)
        dollars += price or 0.0
        models[model] = price is not None
    return Spent(
        requests=len(answers),
        usage=usage,
        dollars=dollars if any(models.values()) else None,
        models=tuple(models),
        unpriced=tuple(model for model, priced in models.items() if not priced),
    )


def _usage(counted: _Counted) -> Usage:
    return Usage(
        input=counted.input_tokens or 0,
        output=counted.output_tokens or 0,
        cache_read=counted.cache_read_input_tokens or 0,
        cache_creation=counted.cache_creation_input_tokens or 0,
    )


def _price(model: str, counted: _Counted) -> float | None:
    long_lived = bool(counted.cache_creation and counted.cache_creation.ephemeral_1h_input_tokens)
    return cost(model, _usage(counted), ttl="1h" if long_lived else "5m")
