"""What a transcript says was asked of models, and what of it was paid."""

import json
from pathlib import Path

from agent.session.audit.charges import Elsewhere, charges
from agent.session.audit.spending import spent
from agent.session.totals import Totals

OPUS = "claude-opus-5-5"
REHEARSED = f"msg_01{7:022d}"


def answer(uuid: str, id: str, output: int, model: str = OPUS) -> dict[str, object]:
    usage = {"input_tokens": 1_000, "output_tokens": output}
    return {
        "type": "assistant",
        "uuid": uuid,
        "message": {"id": id, "role": "assistant", "model": model, "usage": usage},
    }


def boundary(uuid: str, **told: object) -> dict[str, object]:
    metadata = {"trigger": "auto", "preTokens": 9_000, "postTokens": 2_000, **told}
    return {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "compactMetadata": metadata}


def record(folder: Path, *records: dict[str, object]) -> Path:
    path = folder / "s.jsonl"
    path.write_text(
        "".join(json.dumps(each) + "\n" for each in records) + 'no JSON, but an "assistant"\n', encoding="utf-8"
    )
    return path


def test_an_answer_in_several_records_is_one_request_and_the_last_one_counts(tmp_path: Path) -> None:
    path = record(tmp_path, answer("a", "m1", 1), answer("b", "m1", 9), answer("c", "m2", 5), answer("d", "", 3))
    assert [(charge.id, charge.usage.output) for charge in charges(path) if not isinstance(charge, Elsewhere)] == [
        ("m1", 9),
        ("m2", 5),
        ("d", 3),
    ]


def test_a_summary_is_paid_whoever_says_what_it_took(tmp_path: Path) -> None:
    usage = {"input_tokens": 100, "output_tokens": 50}
    path = record(
        tmp_path,
        answer("a", "m1", 10),
        boundary("b1", model="claude-haiku-5-5", usage=usage, costUsd=0.25),
        boundary("b2", costUsd=0.5),  # an earlier version of ours
        boundary("b3"),  # another program's
        boundary("b4", model=OPUS, usage={"input_tokens": 0}, costUsd=0.0),  # extracts from the record
    )
    told = [
        (charge.id, charge.model, charge.dollars)
        for charge in charges(path)
        if not isinstance(charge, Elsewhere) and charge.compaction
    ]
    assert told == [("b1", "claude-haiku-5-5", 0.25), ("b2", "claude-haiku-5-5", 0.5), ("b4", OPUS, 0.0)]
    own, _subagents = spent(path)
    assert (own.requests, own.usage.output, own.summaries) == (3, 60, 0.75)
    totals = Totals(0.0)
    totals.take_up(charges(path), {}.__getitem__)
    assert (totals.turns, totals.compactions, totals.whole.requests) == (1, 3, 3)
    assert totals.cost == own.dollars


def test_what_the_rehearsal_answered_was_not_paid(tmp_path: Path) -> None:
    path = record(tmp_path, answer("a", "m1", 10), answer("b", REHEARSED, 10), boundary("c", costUsd=0.5))
    own, _subagents = spent(path)
    assert (own.rehearsed, own.summaries) == (2, 0.0)
    assert own.pretended > 0.5
    assert own.dollars is not None and own.dollars < 0.5
    totals = Totals(0.0)
    totals.take_up(charges(path), {}.__getitem__)
    assert totals.cost == own.dollars
    assert totals.rehearsed[OPUS].requests == 2


def test_after_undo_and_redo_requests_save_what_the_compactions_took_out_that_stand_there(tmp_path: Path) -> None:
    undo, redo = ({"type": "leaf", "leafUuid": leaf} for leaf in (None, "a"))
    path = record(
        tmp_path,
        boundary("b", costUsd=0.5),
        answer("a", "m1", 1),
        undo,
        answer("c", "m2", 1),
        redo,
        answer("d", "m3", 1),
    )
    totals = Totals(0.0)
    totals.take_up(charges(path), {None: 0, "a": 7_000}.__getitem__)
    assert (totals.saving.tokens, totals.saving.shorter) == (14_000, 7_000)
