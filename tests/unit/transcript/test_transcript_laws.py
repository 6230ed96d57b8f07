"""What must come out the same whichever way it is done, for any history: resuming, naming, undoing, copying, and reading back."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.protocol.blocks import Block, Text, ToolResult, ToolUse, block_from_json
from agent.protocol.messages import Message, Usage, user_message
from agent.transcript.codec import Stamp, encode_entry
from agent.transcript.decode import decode_entry
from agent.transcript.entries import CompactBoundary, Entry, MessageEntry
from agent.transcript.transcript import Transcript
from agent.transcript.view import model_view, screen_view
from tests.unit.transcript.transcript_support import Numbered, Ticking, calls, results, said, wire

Step = tuple[str, int]

prose = st.text(max_size=30).filter(str.strip) | st.sampled_from(
    ["\u2028 x  ", "\U0001f9ea\u0301", '"\\u00e9"', "a\r\nb\tc", "\x00\x1f"]
)
steps = st.lists(
    st.tuples(
        st.sampled_from(["prompt", "answer", "call", "result", "file", "compact", "back", "title"]), st.integers(0, 9)
    ),
    max_size=14,
)
some = settings(max_examples=60, deadline=None)


class Bench:
    """One transcript under test; clock and ids go on through every resume."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock, self.ids = Ticking(), Numbered()
        self.transcript = Transcript.create(path, session_id="s", **self._place())

    def _place(self) -> dict[str, object]:
        return {"cwd": Path("/p"), "version": "test", "clock": self.clock, "ids": self.ids}

    def resume(self) -> None:
        """Close and open again, if there is a file yet."""
        self.transcript.close()
        if self.path.exists():
            self.transcript = Transcript.open(self.path, **self._place())

    def copy(self, path: Path) -> "Bench":
        """The same conversation in a file of its own."""
        twin = Bench(path)
        twin.transcript = Transcript.fork(self.path, path, session_id="s", **twin._place())
        twin.ids._count = 10_000
        return twin

    def run(self, plan: Sequence[Step]) -> None:
        """Do the steps; a number says how far back, or which text."""
        for kind, number in plan:
            self._step(kind, number)

    def _step(self, kind: str, number: int) -> None:
        transcript = self.transcript
        seen = model_view(transcript.entries(), transcript.leaf)
        match kind:
            case "prompt":
                transcript.append_message(user_message(f"prompt {number}"))
            case "answer":
                transcript.append_message(
                    said(f"answer {number}"), usage=Usage(input=number), message_id=f"m{len(seen)}-{number}"
                )
            case "call":
                transcript.append_message(calls(f"t{number}"), message_id=f"c{len(seen)}-{number}")
            case "result":
                transcript.append_message(results(f"t{number}"))
            case "file":
                transcript.append_attachment("file", user_message(f"file {number}"))
            case "compact":
                self.compact(number)
            case "back":
                transcript.move_leaf(seen[number % len(seen)].uuid if seen else None)
            case "title":
                transcript.append_meta("custom-title", {"customTitle": f"title {number}"})

    def compact(self, keep: int) -> CompactBoundary:
        """A compaction that keeps the last few messages."""
        seen = model_view(self.transcript.entries(), self.transcript.leaf)
        return self.transcript.mark_boundary(
            trigger="manual",
            pre_tokens=2,
            post_tokens=1,
            summary=user_message(f"summary {keep}"),
            kept=[entry.uuid for entry in seen[len(seen) - min(keep, len(seen)) :]],
            attachments=[user_message(f"file {keep}")] if keep % 2 else (),
            cost=keep / 8 if keep % 2 else None,
        )

    def model(self) -> list[bytes]:
        """What the model sees, as bytes."""
        return [wire([entry.message]) for entry in model_view(self.transcript.entries(), self.transcript.leaf)]

    def screen(self) -> list[bytes]:
        """What the person sees, as bytes."""
        return [told for entry in screen_view(self.transcript.entries(), self.transcript.leaf) if (told := bare(entry))]


def bare(entry: Entry) -> bytes:
    """An entry without what tells one copy of it from another."""
    message = getattr(entry, "message", None)
    return wire([message]) if isinstance(message, Message) else b"---" if isinstance(entry, CompactBoundary) else b""


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for one example."""
    path = Path(tempfile.mkdtemp())
    try:
        yield path
    finally:
        shutil.rmtree(path)


@some
@given(steps, st.sets(st.integers(0, 14)))
def test_a_resume_at_any_point_changes_no_byte_and_no_view(plan: list[Step], places: set[int]) -> None:
    with folder() as path:
        straight, resumed = Bench(path / "a" / "s.jsonl"), Bench(path / "b" / "s.jsonl")
        straight.run(plan)
        for at, step in enumerate(plan):
            if at in places:
                resumed.resume()
            resumed.run([step])
        resumed.resume()
        assert (resumed.model(), resumed.screen()) == (straight.model(), straight.screen())
        if plan:
            assert resumed.path.read_bytes() == straight.path.read_bytes()


@some
@given(steps, st.sets(st.integers(0, 14)))
def test_a_title_at_any_point_changes_no_view(plan: list[Step], places: set[int]) -> None:
    with folder() as path:
        plain, named = Bench(path / "a" / "s.jsonl"), Bench(path / "b" / "s.jsonl")
        plain.run(plan)
        for at, step in enumerate(plan):
            named.run([("title", at), step] if at in places else [step])
        assert (named.model(), named.screen()) == (plain.model(), plain.screen())


@some
@given(steps, steps, st.integers(0, 9))
def test_undo_gives_back_what_was_and_redo_what_came_of_it(plan: list[Step], later: list[Step], keep: int) -> None:
    with folder() as path:
        bench = Bench(path / "a" / "s.jsonl")
        bench.run(plan)
        before, was = bench.transcript.leaf, (bench.model(), bench.screen())
        bench.compact(keep)
        bench.run([step for step in later if step[0] != "back"])
        after, became = bench.transcript.leaf, (bench.model(), bench.screen())
        for leaf, expected in ((before, was), (after, became), (before, was)):
            bench.transcript.move_leaf(leaf)
            assert (bench.model(), bench.screen()) == expected
            bench.resume()
            assert (bench.model(), bench.screen()) == expected


@some
@given(steps, steps)
def test_a_copy_goes_on_as_the_original_would_and_neither_sees_the_other(plan: list[Step], later: list[Step]) -> None:
    with folder() as path:
        original, twin = Bench(path / "a" / "s.jsonl"), Bench(path / "b" / "s.jsonl")
        for bench in (original, twin):
            bench.run([("prompt", 0), *plan])
        copy = original.copy(path / "c" / "s.jsonl")
        assert (copy.model(), copy.screen()) == (original.model(), original.screen())
        was = original.path.read_bytes()
        copy.run(later)
        assert original.path.read_bytes() == was
        original.run(later)
        twin.run(later)
        assert (copy.model(), copy.screen()) == (original.model(), original.screen()) == (twin.model(), twin.screen())


@some
@given(steps)
def test_the_model_sees_nothing_that_the_person_does_not(plan: list[Step]) -> None:
    with folder() as path:
        bench = Bench(path / "a" / "s.jsonl")
        bench.run(plan)
        entries = bench.transcript.entries()
        seen = model_view(entries, bench.transcript.leaf)
        screen = {entry.uuid: bare(entry) for entry in screen_view(entries, bench.transcript.leaf)}
        assert [wire([entry.message]) for entry in seen] == [screen[entry.uuid] for entry in seen]
        last = max(
            (at for at, entry in enumerate(screen_order(bench)) if isinstance(entry, CompactBoundary)), default=-1
        )
        since = [entry.uuid for entry in screen_order(bench)[last + 1 :] if bare(entry)]
        assert [entry.uuid for entry in seen if entry.uuid in set(since)] == since


def screen_order(bench: Bench) -> Sequence[Entry]:
    return screen_view(bench.transcript.entries(), bench.transcript.leaf)


# ---- round trips


@some
@given(steps)
def test_every_record_reads_back_to_its_own_bytes(plan: list[Step]) -> None:
    with folder() as path:
        bench = Bench(path / "a" / "s.jsonl")
        bench.run([("prompt", 0), *plan])
        for line in bench.path.read_bytes().splitlines(keepends=True):
            assert encode_entry(decode_entry(line), Stamp(session_id="s", cwd="/p", version="test")) == line


raw_thinking = st.builds(
    lambda words, signature, spaced: json.dumps(
        {"signature": signature, "type": "thinking", "thinking": words, "later": [1.0, None]},
        ensure_ascii=spaced,
        separators=(" , ", ": ") if spaced else (",", ":"),
    ).encode("utf-8", "replace"),
    prose.filter(lambda text: text.isprintable()),
    st.text("abcXYZ+/=", min_size=1, max_size=20),
    st.booleans(),
)
blocks = st.one_of(
    st.builds(lambda text: Text(text=text), prose),
    raw_thinking.map(block_from_json),
    st.builds(lambda text: ToolUse(id="t", name="Bash", input={"command": text, "n": [1, {"x": text}]}), prose),
    st.builds(lambda text: ToolResult(tool_use_id="t", content=text), prose),
    st.builds(lambda text: block_from_json(msgspec.json.encode({"type": "novel", "x": text})), prose),
)


@given(st.lists(blocks, min_size=1, max_size=5), st.sampled_from(["user", "assistant"]))
@settings(max_examples=150, deadline=None)
def test_what_is_recorded_is_replayed_byte_for_byte(content: list[Block], role: str) -> None:
    message = Message("assistant" if role == "assistant" else "user", tuple(content))
    with folder() as path:
        bench = Bench(path / "a" / "s.jsonl")
        bench.transcript.append_message(message, message_id="m", usage=Usage(input=1), stop_reason="end_turn")
        live = bench.model()
        assert live == [wire([message])]
        bench.resume()
        assert bench.model() == live
        assert bench.copy(path / "b" / "s.jsonl").model() == live
        (line,) = bench.path.read_bytes().splitlines(keepends=True)
        entry = decode_entry(line)
        assert isinstance(entry, MessageEntry)
        assert encode_entry(entry, Stamp(session_id="s", cwd="/p", version="test")) == line
