"""Append, branch, compact, undo, rewind, resume, fork and crash in any order: the views are always those of a simple model."""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agent.protocol.blocks import Text, block_from_json
from agent.protocol.messages import Message, user_message
from agent.transcript.entries import AttachmentEntry, MessageEntry
from agent.transcript.view import model_view, screen_view
from tests.unit.transcript.transcript_support import calls, create, fork, reopen, results, wire

THOUGHT = block_from_json(b'{"thinking": "\\u2028  \xf0\x9f\x98\x80", "type":"thinking","signature":"c2ln","x":1.0}')


class Sessions(RuleBasedStateMachine):
    """`views` is the model: for every leaf there ever was, the uuids and bytes of what the model then saw."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.count = 0

    @initialize()
    def start(self) -> None:
        self.transcript = create(self.folder / "s0.jsonl", "0")
        self.views: dict[str | None, list[tuple[str, bytes]]] = {None: []}
        self.leaf: str | None = None
        self.before: tuple[int, str | None] | None = None
        self.damaged = False

    def teardown(self) -> None:
        self.transcript.close()
        shutil.rmtree(self.folder)

    def _next(self) -> int:
        self.count += 1
        return self.count

    def _write(self) -> None:
        """Remembers the state before a write, so that a crash can go back to it."""
        size = self.transcript.path.stat().st_size if self.transcript.path.exists() else 0
        self.before = (size, self.leaf)

    @rule(kind=st.sampled_from(["prompt", "thought", "call", "results", "attachment"]))
    def append(self, kind: str) -> None:
        self._write()
        number = self._next()
        message = {
            "prompt": user_message(f"prompt {number}"),
            "thought": Message("assistant", (THOUGHT, Text(text=f"{number}"))),
            "call": calls(f"t{number}"),
            "results": results(f"t{number - 1}"),
            "attachment": user_message(f"file {number}"),
        }[kind]
        old = self.views[self.leaf]
        if kind == "attachment":
            self.leaf = self.transcript.append_attachment("file", message).uuid
        else:
            self.leaf = self.transcript.append_message(message, message_id=f"m{number}").uuid
        self.views[self.leaf] = [*old, (self.leaf, wire([message]))]

    @rule()
    def title(self) -> None:
        self.before = None
        self.transcript.append_meta("custom-title", {"customTitle": f"title {self._next()}"})

    @rule(data=st.data(), attachments=st.integers(0, 2), kept_first=st.booleans())
    def compact(self, data: st.DataObject, attachments: int, kept_first: bool) -> None:
        self._write()
        old = self.views[self.leaf]
        start = data.draw(st.integers(0, len(old)))
        kept = old[:start] if kept_first else old[start:]
        summary = user_message(f"summary {self._next()}")
        files = [user_message(f"file {self._next()}") for _ in range(attachments)]
        cut = self.transcript.mark_boundary(
            trigger="auto",
            pre_tokens=2,
            post_tokens=1,
            summary=summary,
            kept=[uuid for uuid, _bytes in kept],
            attachments=files,
            kept_first=kept_first,
        )
        assert cut.logical_parent_uuid == self.leaf
        self.leaf = self.transcript.leaf
        added = self.transcript.entries()[len(self.transcript.entries()) - self._tail_length(1 + attachments) :]
        new = [
            (entry.uuid, wire([entry.message]))
            for entry in added
            if isinstance(entry, MessageEntry | AttachmentEntry) and entry.message is not None
        ]
        assert [told for _uuid, told in new] == [wire([message]) for message in (summary, *files)]
        opening = [*kept, new[0]] if kept_first else [new[0], *kept]
        self.views[self.leaf] = [*opening, *new[1:]]

    def _tail_length(self, batch: int) -> int:
        return batch + len(self.transcript.entries().metadata)

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        """Undo, redo and rewind are all this."""
        self._write()
        self.leaf = data.draw(st.sampled_from(sorted(self.views, key=str)))
        self.transcript.move_leaf(self.leaf)

    @rule()
    @precondition(lambda self: self.transcript.path.exists())
    def resume(self) -> None:
        path = self.transcript.path
        self.transcript.close()
        before = path.read_bytes()
        self.transcript = reopen(path, f"r{self._next()}")
        assert path.read_bytes() == before
        assert bool(self.transcript.notices) <= self.damaged

    @rule(share=st.floats(0, 1))
    @precondition(lambda self: self.before is not None)
    def crash(self, share: float) -> None:
        """The last write reached the disk only in part."""
        assert self.before is not None
        size, leaf = self.before
        path = self.transcript.path
        written = path.stat().st_size - size
        metadata = sum(len(self.transcript.entries().line(at)) for at in self.transcript.entries().metadata.values())
        if written - metadata < 2:
            return
        self.transcript.close()
        os.truncate(path, size + int(share * (written - metadata - 2)))
        self.transcript = reopen(path, f"c{self._next()}")
        self.leaf = leaf
        self.before = None
        self.damaged = True
        self.views = {at: view for at, view in self.views.items() if self.transcript.entries().chain.position(at) >= 0}
        self.views[None] = []

    @rule()
    @precondition(lambda self: self.transcript.path.exists())
    def branch(self) -> None:
        path = self.transcript.path
        screen = {entry.uuid for entry in screen_view(self.transcript.entries(), self.leaf)}
        self.transcript.close()
        before = path.read_bytes()
        self.transcript = fork(path, self.folder / f"s{self._next()}.jsonl", f"f{self.count}")
        assert path.read_bytes() == before
        assert bool(self.transcript.notices) <= self.damaged
        self.damaged = False
        self.views = {at: view for at, view in self.views.items() if at is None or at in screen}
        self.before = None

    @invariant()
    def the_model_sees_what_it_should(self) -> None:
        assert self.transcript.leaf == self.leaf
        view = model_view(self.transcript.entries(), self.leaf)
        assert [(entry.uuid, wire([entry.message])) for entry in view] == self.views[self.leaf]

    @invariant()
    def the_person_sees_all_of_it_once(self) -> None:
        screen = [entry.uuid for entry in screen_view(self.transcript.entries(), self.leaf)]
        assert len(screen) == len(set(screen))
        assert {uuid for uuid, _bytes in self.views[self.leaf]} <= set(screen)


Sessions.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestSessions = Sessions.TestCase
