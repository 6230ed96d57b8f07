"""Prompts, tool results, interrupts, compactions good and bad, undo, redo, rewind, resume and kill in any order: requests legal, no word lost."""

import asyncio
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agent.protocol.events import (
    CompactFailed,
    CompactFinished,
    CompactStarted,
    Event,
    Interrupted,
    PromptAccepted,
    PromptFinished,
)
from agent.protocol.results import Subtype
from agent.rehearsal.replies import Reply
from agent.rehearsal.script import Script, fail, reply, say, summary, text, thinking, too_long, tool
from agent.rehearsal.server import Rehearsal
from tests.support.patience import PATIENCE
from tests.walks.conftest import Walk, asks_summary, of
from tests.walks.test_bad_summariser import NO_SUMMARY, UNREACHABLE

WINDOW = 20_000  # auto-compact at 13,400, blocking at 15,400
GOOD = {
    "a summary": summary("1. Primary Request and Intent: to see that nothing is lost.\n8. Current Work: none."),
    "a long summary": summary("1. Primary Request and Intent: " + "to see that nothing is lost. " * 60),
}
TOO_LONG = too_long(21_500, WINDOW)
SUMMARISERS = {**GOOD, **NO_SUMMARY, **UNREACHABLE, "too long": TOO_LONG}
ANSWERS = ("read much", "text", "thinking", "read", "read twice", "read much", "write", "nothing", "refused", "failed")
ASKED = st.sampled_from([*GOOD, *GOOD, *GOOD, *GOOD, *SUMMARISERS])  # half of them are good
STOP = st.sampled_from([None] * 30 + list(range(30)))
WORD = re.compile(r"FACT-\d+-")


class Conversations(RuleBasedStateMachine):
    """A session in a 20,000-token window; `accepted` are the words that a person was told are taken."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.project, home = self.folder / "project", self.folder / "home"
        self.project.mkdir()
        home.mkdir()
        subprocess.run(["git", "init", "-q", "-b", "main", str(self.project)], check=True)
        lines = "".join(f"line {number} of a log that goes on and on\n" for number in range(1_000))
        (self.project / "small.log").write_text(lines[:1_500], encoding="utf-8")
        (self.project / "large.log").write_text(lines[:16_000], encoding="utf-8")
        self.api = Rehearsal(Script(), window=WINDOW)
        self.walk = Walk(self.project, home, self.api)
        self.number = 0
        self.accepted: set[str] = set()
        self.erased: set[str] = set()
        self.exact = False
        self.answered = False

    @initialize(auto=st.sampled_from(["auto", "auto", "off"]))
    def start(self, auto: str) -> None:
        self._do(self.api.start())
        self._do(self.walk.open())
        self._say(f"/autocompact {auto}")

    def teardown(self) -> None:
        if self.walk.session is not None:
            self._do(self.walk.session.close())
        self._do(self.api.close())
        self.loop.close()
        shutil.rmtree(self.folder)

    # ---- what a person does

    @rule(
        answer=st.sampled_from(ANSWERS),
        summariser=ASKED,
        stop_at=STOP,
        queued=st.booleans(),
    )
    def prompt(self, answer: str, summariser: str, stop_at: int | None, queued: bool) -> None:
        self.number += 1
        self._play(answer, summariser)
        events = self._say(f"FACT-{self.number}- you must keep this", stop_at=stop_at, queued=queued)
        ended = of(events, PromptFinished)
        assert len(ended) >= 1
        self.exact = answer not in ("nothing", "failed") and ended[-1].result.subtype is Subtype.SUCCESS
        if ended[-1].result.subtype is Subtype.SUCCESS:
            self.answered = True
            sent = [body for body in self.walk.bodies() if not asks_summary(body)][-1]
            told = msgspec.json.encode(sent["messages"]).decode()
            assert {word for word in self._on_the_chain() if word not in told} == set()

    @rule(
        summariser=ASKED,
        stop_at=STOP,
        queued=st.booleans(),
        part=st.sampled_from(["", "", "", "", "from", "up-to"]),
        message=st.integers(1, 20),
    )
    @precondition(lambda self: self.answered)
    def compact(self, summariser: str, stop_at: int | None, queued: bool, part: str, message: int) -> None:
        self._play("text", summariser)
        before = self._file()
        line = f"/compact {part} {message}" if part else "/compact"
        events = self._say(line, stop_at=stop_at, queued=queued)
        self.exact = False
        self.answered = not of(events, CompactFinished)
        if not of(events, CompactFinished) and not of(events, PromptAccepted):
            assert self._file() == before
        if summariser in GOOD and of(events, CompactStarted) and not of(events, Interrupted):
            assert of(events, CompactFinished) or "it is unchanged" in of(events, PromptFinished)[0].result.error

    @rule(direction=st.sampled_from(["from", "up-to"]), place=st.integers(0, 19), summariser=ASKED, stop_at=STOP)
    @precondition(lambda self: self._file())
    def compact_a_part(self, direction: str, place: int, summariser: str, stop_at: int | None) -> None:
        choices = self.walk.session.complete(f"/compact {direction} ")
        if not choices:
            return
        self._play("text", summariser)
        before = self._file()
        events = self._say(choices[place % len(choices)].text, stop_at=stop_at, whole=False)
        self.exact = self.answered = False
        if not of(events, CompactFinished):
            assert self._file() == before

    @rule(command=st.sampled_from(["/compact undo", "/compact redo", "/rewind undo"]))
    @precondition(lambda self: "compact_boundary" in self._file())
    def back_and_forth(self, command: str) -> None:
        self._say(command)
        self.exact = False

    @rule(point=st.integers(1, 6))
    @precondition(lambda self: len(self._on_the_chain()) > 2)
    def rewind(self, point: int) -> None:
        self._say(f"/rewind {point}")
        self.exact = False

    @rule()
    def resume(self) -> None:
        self._reopen(self._file())

    @rule(answer=st.sampled_from(ANSWERS), summariser=ASKED, kill_at=st.integers(0, 40))
    @precondition(lambda self: self._file())
    def kill(self, answer: str, summariser: str, kill_at: int) -> None:
        """The process dies at some event: what the disk had then is all there is."""
        self.number += 1
        self._play(answer, summariser)
        on_disk = [self._file()]

        def look(events: list[Event]) -> None:
            if len(events) == kill_at:
                on_disk.append(self._file())

        self._say(f"FACT-{self.number}- you must keep this", each=look)
        if len(on_disk) == 1:
            on_disk.append(self._file())
        self._reopen(on_disk[-1])
        gone = {word for word in self.accepted if word not in on_disk[-1]}
        assert gone <= {f"FACT-{self.number}-"}
        self.accepted -= gone
        self.exact = False

    # ---- what must hold

    @invariant()
    def every_request_was_legal(self) -> None:
        self.api.check()

    @invariant()
    def no_word_is_lost(self) -> None:
        if self.walk.session is None:
            return
        file = self._file()
        assert {word for word in self.accepted if word not in file} == set()
        shown = [event.text for event in self.walk.session.history() if isinstance(event, PromptAccepted)]
        assert [word for text in shown for word in WORD.findall(text)] == self._on_the_chain()

    @invariant()
    def the_reading_is_sane(self) -> None:
        if self.walk.session is None:
            return
        reading = self.walk.session.reading()
        assert reading.used is not None
        assert 0 < reading.used < 3 * WINDOW
        if self.exact and self.walk.bodies():
            usage = [request.usage for request in self.api.requests if not asks_summary(dict(request.body))][-1]
            counted = sum(value for value in usage.values() if isinstance(value, int))
            assert counted <= reading.used <= 1.3 * counted + 500, (counted, reading)

    # ---- inside

    def _do(self, work):
        return self.loop.run_until_complete(asyncio.wait_for(work, PATIENCE))

    def _play(self, answer: str, summariser: str) -> None:
        path = str(self.project / ("large.log" if answer == "read much" else "small.log"))
        read = tool("Read", {"file_path": path})
        fresh = tool("Write", {"file_path": str(self.project / f"{self.number}.txt"), "content": "written\n"})
        thought = thinking("what is it about?")
        first: list[Reply] = {
            "text": [],
            "thinking": [reply(thought, text("an answer after some thinking"))],
            "read": [reply(thought, read)],
            "read twice": [reply(text("let me see"), read, read), reply(thought, read)],
            "read much": [reply(read)] * 3,
            "write": [reply(fresh)],
            "nothing": [reply()],
            "refused": [TOO_LONG],
            "failed": [fail(500, headers={"x-should-retry": "false"})],
        }[answer]
        asked = SUMMARISERS[summariser].when(compaction=True, repeat=0)
        self.api.api.script = Script([*first, say(f"answer {self.number} in a few words").times(0), asked])

    def _say(
        self,
        line: str,
        *,
        stop_at: int | None = None,
        queued: bool = False,
        whole: bool = True,
        each=lambda events: None,
    ):
        """All events of one prompt; every compaction that began was ended, and what was queued was taken once or given back."""
        events = self._do(self._stream(line, stop_at, queued, each))
        waiting = []
        while (text := self.walk.session.unqueue()) is not None:
            waiting.append(text)
        taken = [event.text for event in of(events, PromptAccepted)]
        self.accepted |= {word for text in taken for word in WORD.findall(text)}
        assert len([text for text in (*taken, *waiting) if "queued" in text]) <= 1
        if queued and of(events, CompactStarted) and not of(events, Interrupted):
            refused = [
                event for event in of(events, PromptFinished) if event.result.terminal_reason == "blocking_limit"
            ]
            assert refused or any("queued" in text for text in taken)
        kinds = [type(e) for e in events if isinstance(e, CompactStarted | CompactFinished | CompactFailed)]
        assert kinds.count(CompactStarted) <= kinds.count(CompactFinished) + kinds.count(CompactFailed)
        assert not kinds or kinds[-1] is not CompactStarted
        assert isinstance(events[-1], PromptFinished)
        for event in of(events, CompactFinished):
            assert not whole or event.receipt.post_tokens < self.walk.session.reading().tiers.threshold
        return events

    async def _stream(self, line: str, stop_at: int | None, queued: bool, each) -> list[Event]:
        session = self.walk.session
        events: list[Event] = []
        async for event in session.prompt(line):
            each(events)
            events.append(event)
            if hasattr(event, "ask"):
                self.walk.yes(event)
            if len(events) == stop_at:
                session.interrupt()
            if queued and isinstance(event, CompactStarted):
                queued = False
                self.number += 1
                session.queue(f"FACT-{self.number}- queued, you must keep this")
        each(events)
        return events

    def _reopen(self, content: str) -> None:
        """Another process goes on with what is on the disk."""
        session = self.walk.session
        path = Path(session.status().transcript)
        self._do(session.close())
        self.walk.session = None
        if content:
            path.write_text(content, encoding="utf-8")
            self._do(self.walk.open(resume=path.stem))
        else:
            path.unlink(missing_ok=True)
            self._do(self.walk.open())

    def _file(self) -> str:
        path = Path(self.walk.session.status().transcript) if self.walk.session else None
        return path.read_text(encoding="utf-8") if path and path.exists() else ""

    def _on_the_chain(self) -> list[str]:
        """The words of the prompts that lead to where the conversation ends, read from the file without any code of ours."""
        records = [json.loads(line) for line in self._file().splitlines()]
        leaf, known = None, {}
        for record in records:
            if record["type"] == "leaf":
                leaf = record["leafUuid"]
            elif "uuid" in record:
                known[record["uuid"]] = record
                leaf = record["uuid"]
        words: list[str] = []
        while leaf is not None:
            record = known[leaf]
            if record["type"] == "user" and not record.get("isMeta") and not record.get("isCompactSummary"):
                words += WORD.findall(json.dumps(record["message"]))[:1]
            leaf = record.get("parentUuid") or record.get("logicalParentUuid")
        return words[::-1]


Conversations.TestCase.settings = settings(max_examples=24, stateful_step_count=16, deadline=None, derandomize=True)
TestConversations = Conversations.TestCase
