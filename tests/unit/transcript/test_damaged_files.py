"""Whatever happened to a file: the rest of the conversation is there, the damage is named, and loading changes no byte."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.protocol.messages import user_message
from agent.transcript.invariants import repair
from agent.transcript.ledger import notices_of
from agent.transcript.view import model_view, screen_view
from tests.unit.transcript.transcript_support import (
    assistant,
    boundary,
    create,
    ledger_of,
    record,
    reopen,
    said,
    seen,
    texts,
    user,
    write,
)

TURNS = 20

Damage = Callable[[list[bytes]], list[bytes]]


def _put(at: int, line: bytes) -> Damage:
    return lambda lines: [*lines[:at], line, *lines[at:]]


def _swap(at: int, line: bytes) -> Damage:
    return lambda lines: [*lines[:at], line, *lines[at + 1 :]]


def _pretty(lines: list[bytes]) -> list[bytes]:
    spread = json.dumps(json.loads(lines[7]), indent=2).encode().splitlines(keepends=True)
    return [*lines[:7], *spread, b"\n", *lines[8:]]


def _hung_on(at: int, parent: str) -> Damage:
    """The record at `at` names another parent."""
    return lambda lines: [
        *lines[:at], json.dumps(json.loads(lines[at]) | {"parentUuid": parent}).encode() + b"\n", *lines[at + 1 :]
    ]  # fmt: skip


HUGE = json.dumps(
    {"type": "progress", "uuid": "huge", "parentUuid": None, "isSidechain": True, "data": "x" * 12_000_000}
)
DEEP = b'{"type":"user","uuid":"deep","toolUseResult":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"

CORPUS: dict[str, tuple[Damage, set[int], str]] = {
    "last line cut in half": (lambda lines: [*lines[:-1], lines[-1][:150]], {39}, "cut off"),
    "garbage line": (_swap(20, b"\xff\xfe garbage {\n"), {20}, "1 line could not be read"),
    "empty lines": (_put(20, b"\n\n  \n"), set(), ""),
    "nul bytes": (_put(20, b"\0" * 512 + b"\n"), set(), ""),
    "nuls before a record": (lambda lines: [*lines[:20], b"\0" * 64 + lines[20], *lines[21:]], set(), ""),
    "a number": (_put(5, b"42\n"), set(), "1 line could not be read"),
    "a list and null": (_put(5, b"[1]\nnull\n"), set(), "2 lines could not be read"),
    "an object that is no record": (_put(5, b'{"a": 1}\n'), set(), "1 line could not be read"),
    "pretty-printed record": (_pretty, {7}, "lines could not be read"),
    "too deep": (_put(5, DEEP), set(), "1 line could not be read"),
    "windows line ends": (lambda lines: [line.replace(b"\n", b"\r\n") for line in lines], set(), ""),
    "two records fused": (lambda lines: [*lines[:10], lines[10].rstrip(), *lines[11:]], set(), ""),
    "a torn record fused with the next": (lambda lines: [*lines[:10], lines[10][:90], *lines[11:]], {10}, "1 line could not be read"),
    "every record twice": (lambda lines: [line for line in lines for _ in range(2)], set(), "40 duplicate records"),
    "the whole file twice": (lambda lines: lines * 2, set(), "40 duplicate records"),
    "bad utf-8 in a text": (lambda lines: [line.replace(b"prompt", b"prom\xffpt") for line in lines], set(), ""),
    "a record that is its own parent": (_hung_on(12, "id-13"), set(), "1 record named themselves as parent"),
    "a record whose parent is nowhere": (_hung_on(12, "nobody"), set(), "parent of 1 record is missing"),
    "a record that hangs on its own grandchild": (_hung_on(10, "id-13"), set(), "closed a circle"),
    "a huge line": (_put(20, HUGE.encode() + b"\n"), set(), ""),
    "a huge garbage line": (_put(20, b"{" + b"\xf0\x9f" * 4_000_000 + b"\n"), set(), "1 line could not be read"),
    "cut in the middle of a character": (lambda lines: [*lines[:-1], lines[-1].replace(b"answer 39", "é".encode())[:-60] + b"\xc3"], {39}, "cut off"),
    "the first record lost": (lambda lines: lines[1:], {0}, "parent of 1 record is missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", CORPUS)
def test_everything_else_is_there_and_the_damage_is_named(name: str, tmp_path: Path) -> None:
    damage, lost, notice = CORPUS[name]
    path = session(tmp_path / "s.jsonl")
    data = b"".join(damage(path.read_bytes().splitlines(keepends=True)))
    path.write_bytes(data)
    transcript = reopen(path)
    expected = [f"{'prompt' if at % 2 == 0 else 'answer'} {at}" for at in range(2 * TURNS) if at not in lost]
    assert [text.replace("prom\ufffdpt", "prompt") for text in seen(transcript)] == expected
    assert notice in " ".join(transcript.notices)
    assert bool(notice) == bool(transcript.notices)
    assert path.read_bytes() == data
    transcript.append_message(user_message("next"))
    transcript.close()
    assert path.read_bytes().startswith(data)
    assert seen(reopen(path))[-1] == "next"


def session(path: Path) -> Path:
    """A whole session of prompts and answers, closed."""
    transcript = create(path)
    for at in range(2 * TURNS):
        transcript.append_message(user_message(f"prompt {at}") if at % 2 == 0 else said(f"answer {at}"))
    transcript.close()
    return path


def test_after_a_torn_tail_every_later_line_parses(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl")
    path.write_bytes(path.read_bytes()[:-30])
    transcript = reopen(path)
    transcript.append_message(user_message("next"))
    transcript.append_message(said("ok"))
    assert [json.loads(line)["message"]["content"][0]["text"] for line in path.read_bytes().splitlines()[-2:]] == [
        "next",
        "ok",
    ]


def test_a_record_without_its_newline_counts(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl")
    path.write_bytes(path.read_bytes()[:-1])
    transcript = reopen(path)
    assert transcript.notices == () and len(seen(transcript)) == 2 * TURNS
    transcript.append_message(user_message("next"))
    assert path.read_bytes().count(b"\n") == 2 * TURNS + 1


def test_two_writers_at_once_leave_two_branches_and_each_is_whole(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    leaf = json.loads(lines[-1])["uuid"]
    one = [user("a1", leaf), assistant("a2", "a1"), user("a3", "a2"), assistant("a4", "a3")]
    other = [user("b1", leaf), assistant("b2", "b1"), user("b3", "b2"), assistant("b4", "b3")]
    mixed = [json.dumps(record).encode() + b"\n" for pair in zip(one, other, strict=True) for record in pair]
    path.write_bytes(b"".join([*lines, *mixed]))
    transcript = reopen(path)
    assert transcript.notices == ()
    assert seen(transcript)[2 * TURNS :] == ["b1", "b2", "b3", "b4"]
    assert texts(transcript.entries(), "a4")[2 * TURNS :] == ["a1", "a2", "a3", "a4"]
    assert len(seen(transcript)) == 2 * TURNS + 4


def test_two_writers_whose_bytes_ran_into_each_other_lose_only_the_torn_records(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    torn, whole = lines[11][:80] + lines[12], lines[11][80:]  # one writer's record stands inside the other's
    path.write_bytes(b"".join([*lines[:11], torn, whole, *lines[13:]]))
    transcript = reopen(path)
    assert len(seen(transcript)) == 2 * TURNS - 1
    assert "2 lines could not be read" in transcript.notices[0]


def test_records_that_name_themselves_or_nobody_hang_on_the_one_before() -> None:
    ledger = ledger_of(user("u1", None), assistant("a1", "a1"), user("u2", "gone"), assistant("a2", "u2"))
    assert texts(ledger, "a2") == ["u1", "a1", "u2", "a2"]
    assert len(notices_of(ledger)) == 2


def test_a_circle_is_opened() -> None:
    ledger = ledger_of(
        user("u0", None), user("u1", "a2"), assistant("a1", "u1"), user("u2", "a1"), assistant("a2", "u2")
    )
    assert texts(ledger, "a2") == ["u0", "u1", "a1", "u2", "a2"]
    assert "circle" in notices_of(ledger)[0]


def test_a_record_written_before_its_parent_finds_it() -> None:
    ledger = ledger_of(user("u1", None), user("r1", "a1"), assistant("a1", "u1"), assistant("a2", "r1"))
    assert texts(ledger, "a2") == ["u1", "a1", "r1", "a2"]
    assert notices_of(ledger) == ()


def test_a_boundary_whose_logical_parent_is_its_own_descendant_ends() -> None:
    cut = record("system", "cut", None, subtype="compact_boundary", logicalParentUuid="a1", compactMetadata={})
    ledger = ledger_of(user("u0", None), cut, user("sum", "cut", isCompactSummary=True), assistant("a1", "sum"))
    assert [entry.uuid for entry in screen_view(ledger, "a1")] == ["u0", "cut", "sum", "a1"]


def test_an_anchor_that_hangs_on_what_it_anchors_ends() -> None:
    cut = boundary("cut", None, preservedMessages={"anchorUuid": "sum", "uuids": ["a1"]})
    ledger = ledger_of(user("u0", None), cut, assistant("a1", None), user("sum", "a1", isCompactSummary=True))
    assert texts(ledger, "sum") == ["a1", "sum"]


names = st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])
kinds = st.sampled_from(["user", "assistant", "summary", "boundary", "system", "leaf", "sidechain"])
records = st.lists(
    st.tuples(kinds, names, st.none() | names, names, st.lists(names, max_size=3), st.integers(0, 3)), max_size=14
)


def _graph(kind: str, uuid: str, parent: str | None, other: str, kept: list[str], batch: int) -> dict[str, object]:
    match kind:
        case "assistant":
            return assistant(uuid, parent, id=other)
        case "boundary":
            metadata: dict[str, object] = {"batchRecords": batch}
            if kept:
                metadata["preservedMessages"] = {"anchorUuid": other, "uuids": kept}
            else:
                metadata["preservedSegment"] = {"anchorUuid": uuid, "headUuid": other, "tailUuid": parent or other}
            return record(
                "system", uuid, parent, subtype="compact_boundary", logicalParentUuid=other, compactMetadata=metadata
            )
        case "leaf":
            return {"type": "leaf", "leafUuid": parent}
        case "system":
            return record("system", uuid, parent, subtype="informational")
        case _:
            return user(uuid, parent, isCompactSummary=kind == "summary", isSidechain=kind == "sidechain")


@given(records)
@settings(max_examples=500, deadline=None)
def test_no_graph_hangs_a_walk_or_shows_a_record_twice(
    plan: list[tuple[str, str, str | None, str, list[str], int]],
) -> None:
    ledger = ledger_of(*(_graph(*step) for step in plan))
    for leaf in [None, "nobody", ledger.chain.leaf_uuid, *"abcdefg"]:
        model = [entry.uuid for entry in model_view(ledger, leaf)]
        screen = [entry.uuid for entry in screen_view(ledger, leaf)]
        assert len(model) == len(set(model))
        assert len(screen) == len(set(screen))
    notices_of(ledger)


def test_a_body_that_is_nested_too_deep_or_counts_too_high_bricks_nothing(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl")
    with path.open("ab") as file:
        for number, odd in enumerate(
            (b"1e999", b"NaN", b"9" * 5_000, b"[" * 900 + b"]" * 900, b"[" * 9_000 + b"]" * 9_000)
        ):
            call = b'{"type":"tool_use","id":"t%d","name":"Read","input":{"x":%s}}' % (number, odd)
            message = b'{"id":"m%d","role":"assistant","content":[%s]}' % (number, call)
            file.write(b'{"type":"assistant","uuid":"odd%d","parentUuid":"id-40","message":%s}\n' % (number, message))
    transcript = reopen(path)
    view = model_view(transcript.entries(), transcript.leaf)
    repair([entry.message for entry in view])
    transcript.append_message(user_message("next"))
    assert seen(transcript)[-1] == "next" and len(seen(transcript)) >= 2 * TURNS


def test_a_file_of_only_garbage_is_an_empty_conversation(tmp_path: Path) -> None:
    transcript = reopen(write(tmp_path / "s.jsonl", b"hello", b"{", b"\x00\x01"))
    assert seen(transcript) == [] and transcript.leaf is None
    transcript.append_message(user_message("one"))
    assert seen(transcript) == ["one"]
