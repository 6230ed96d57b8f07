"""A summariser that does everything wrong, asked by hand, by the threshold and by a refusal of the API: nobody is stuck, and no word is lost."""

import asyncio
import json
from pathlib import Path

import pytest

from agent.protocol.events import CompactFailed, CompactFinished, CompactProgress, CompactStarted, PromptAccepted
from agent.rehearsal.replies import Fault, Reply
from agent.rehearsal.script import (
    breaks,
    drop,
    empty,
    fail,
    html,
    reply,
    say,
    stall,
    summary,
    text,
    thinking,
    too_long,
    tool,
)
from tests.support.patience import PATIENCE
from tests.walks.conftest import Walk, finished, of, used

FINAL = {"x-should-retry": "false"}  # so that a test need not wait for another attempt
PAGE = "<html><head><title>504</title></head><body><h1>Gateway Time-out</h1></body></html>"
NO_SUMMARY: dict[str, Reply] = {
    "a tool call": reply(tool("Bash", {"command": "touch pwned.txt"})),
    "a tool call after a summary": reply(text("<summary>S</summary>"), tool("Bash", {"command": "touch pwned.txt"})),
    "thinking only": reply(thinking("what to write?")),
    "blank": say(" \n\t "),
    "nothing at all": reply(),
    "an analysis only": say("<analysis>it was long</analysis>"),
    "cut at max_tokens": say("<summary>1. Primary Request: half a senten", stop_reason="max_tokens"),
    "cut at the window": say("<summary>1. Primary", stop_reason="model_context_window_exceeded"),
    "huge": summary("word " * 20_000),
    "a refusal": say("I cannot help with that.", stop_reason="refusal"),
}
UNREACHABLE: dict[str, Reply] = {
    "an HTML 504": Reply(fault=Fault(504, html=PAGE, headers=FINAL)),
    "a 500": fail(500, headers=FINAL),
    "an invalid request": fail(400, message="messages.3: something we have never heard of"),
    "a rejected key": fail(401),
    "no stream": empty(200),
}
LOST: dict[str, Reply] = {  # each is tried again, with a pause
    "a line closed": drop(900),
    "a line reset": drop(900, rst=True),
    "an error in mid-stream": breaks(),
}
TOO_LONG: dict[str, Reply] = {
    "tokens": too_long(21_500, 20_000),
    "input and max_tokens": fail(
        400,
        message="input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length",
    ),
    "input and max_tokens without ticks": fail(
        400, message="input length and max_tokens exceed context limit: 190000 + 20000 > 204648"
    ),
    "a body too large, as HTML": html(413),
    "a body too large": fail(413),
    "media": fail(400, message="Too much media: 0 document pages + 102 images > 100"),
    "Bedrock": fail(400, message="Input is too long for requested model."),
    "a gateway": fail(400, message="capability_rejected: prompt_too_long"),
    "another gateway": fail(400, message="litellm.ContextWindowExceededError: too big"),
    "a count": fail(400, message="prompt token count of 21500 exceeds the limit of 20000"),
}
TRIGGERS = ("manual", "auto", "reactive")
ROUNDS = 5


class Room:
    """A conversation of some rounds and facts, a hook that counts PostCompact, and a summariser of one kind."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.marks = walk.home / "post.txt"
        command = {"type": "command", "command": f"echo x >> {self.marks}"}
        (walk.home / ".claude").mkdir(exist_ok=True)
        (walk.home / ".claude" / "settings.json").write_text(
            json.dumps({"hooks": {"PostCompact": [{"hooks": [command]}]}}), encoding="utf-8"
        )
        self.before = ""

    async def fill(self) -> None:
        for number in range(ROUNDS):
            await self.walk.say(f"request {number} FACT-{number}")
        self.before = self.walk.transcript_text()

    async def trigger(self, how: str):
        return await self.walk.say("/compact" if how == "manual" else "the last request FACT-last")

    @property
    def post_compact_hooks(self) -> int:
        return self.marks.read_text(encoding="utf-8").count("x") if self.marks.exists() else 0


@pytest.fixture
def room(make_walk):
    """Builds the conversation; `how` says who will ask for the compaction, `bad` is every answer of the summariser."""

    async def build(how: str, *bad: Reply) -> Room:
        last = say("answered", usage=used(14_000)) if how == "auto" else say("answered")
        refused = [too_long(21_500, 20_000)] if how == "reactive" else []
        walk = await make_walk(
            *[say(f"answer {number}: " + "word " * 60) for number in range(ROUNDS - 1)],
            last,
            *[one.when(compaction=True) for one in bad[:-1]],
            bad[-1].when(compaction=True, repeat=0),
            *refused,
            say("on it"),
            say("still here"),
            window=20_000,
        )
        made = Room(walk)
        await made.fill()
        return made

    return build


def status_is_null(events) -> bool:
    """Whether every `compacting` was ended, by one word."""
    kinds = [type(event) for event in events if isinstance(event, CompactStarted | CompactFinished | CompactFailed)]
    return kinds in ([CompactStarted, CompactFinished], [CompactStarted, CompactFailed])


async def assert_unchanged_and_usable(room: Room, events, how: str) -> None:
    """The compaction failed: the history is what it was, no hook was told, and the session goes on with all of it."""
    failed = of(events, CompactFailed)[0]
    assert failed.kind == "failed"
    assert "<" not in failed.reason
    assert "\n" not in failed.reason
    assert room.post_compact_hooks == 0
    now = room.walk.transcript_text()
    if how == "manual":
        assert now == room.before
        assert finished(events).is_error
    else:
        assert now.startswith(room.before)
        assert finished(events).text == "on it"
    assert "compact_boundary" not in now
    assert not finished(await room.walk.say("and?")).is_error
    for number in range(ROUNDS):
        assert f"FACT-{number}" in room.walk.texts()[-1]
        assert number == ROUNDS - 1 or f"answer {number}" in room.walk.texts()[-1]


async def assert_extracts_stand_in(room: Room, events, how: str) -> None:
    """The next request could not have been sent: extracts from the record stand for the history, and every request is among them."""
    receipt = of(events, CompactFinished)[0].receipt
    assert receipt.extractive
    assert room.post_compact_hooks == 1
    assert room.walk.transcript_text().startswith(room.before)
    assert how == "manual" or finished(events).text == "on it"
    assert not finished(await room.walk.say("and?")).is_error
    for number in range(ROUNDS):
        assert f"FACT-{number}" in room.walk.texts()[-1]


@pytest.mark.parametrize("how", TRIGGERS)
@pytest.mark.parametrize("bad", NO_SUMMARY)
async def test_what_is_no_summary_is_refused_after_one_more_try(room, project: Path, how, bad):
    place = await room(how, NO_SUMMARY[bad])
    events = await place.trigger(how)
    assert status_is_null(events)
    assert len(place.walk.compactions()) == 2
    assert not (project / "pwned.txt").exists()
    if how == "reactive":
        await assert_extracts_stand_in(place, events, how)
    else:
        await assert_unchanged_and_usable(place, events, how)


@pytest.mark.parametrize("how", TRIGGERS)
@pytest.mark.parametrize("bad", UNREACHABLE)
async def test_a_summariser_that_cannot_be_reached(room, how, bad):
    place = await room(how, UNREACHABLE[bad])
    events = await place.trigger(how)
    assert status_is_null(events)
    assert len(place.walk.compactions()) <= 2
    if how != "reactive":
        await assert_unchanged_and_usable(place, events, how)
    elif bad == "a rejected key":  # whatever is sent, nobody answers: the history stays for who has a key
        assert of(events, CompactFailed) and finished(events).is_error
        assert "compact_boundary" not in place.walk.transcript_text()
    else:
        await assert_extracts_stand_in(place, events, how)


@pytest.mark.parametrize(("bad", "how"), zip(LOST, TRIGGERS, strict=True))
async def test_a_line_that_breaks_is_tried_three_times_in_all(room, how, bad):
    place = await room(how, LOST[bad])
    events = await place.trigger(how)
    assert status_is_null(events)
    assert len(place.walk.compactions()) == 3
    assert sum("Trying again" in event.note for event in of(events, CompactProgress)) == 2
    if how == "reactive":
        await assert_extracts_stand_in(place, events, how)
    else:
        await assert_unchanged_and_usable(place, events, how)


@pytest.mark.parametrize(("how", "times"), [("manual", 1), ("manual", 3), *[(how, 4) for how in TRIGGERS]])
@pytest.mark.parametrize("bad", TOO_LONG)
async def test_too_long_itself_is_shortened_three_times_and_then_extracted(room, how, bad, times):
    place = await room(how, *[TOO_LONG[bad]] * times, summary("S-short"))
    events = await place.trigger(how)
    assert status_is_null(events)
    sizes = [len(json.dumps(body["messages"])) for body in place.walk.compactions()]
    assert len(sizes) <= 4  # MAX_PTL_RETRIES = 3
    assert sizes == sorted(set(sizes), reverse=True)  # each is smaller than the one before
    if times == 4:
        await assert_extracts_stand_in(place, events, how)
        return
    assert len(of(events, CompactFinished)) == 1
    assert place.post_compact_hooks == 1
    assert not finished(await place.walk.say("and?")).is_error
    for number in range(ROUNDS):
        assert f"FACT-{number}" in place.walk.texts()[-1]


@pytest.mark.parametrize("how", TRIGGERS)
@pytest.mark.parametrize("when", ["before a word", "in the middle"])
async def test_esc_ends_a_stall_and_nothing_has_happened(room, how, when):
    words = 2 if when == "in the middle" else 0
    place = await room(how, stall(3600, after_words=words, of=summary("S " * 200)))
    walk = place.walk
    events = []

    async def asking():
        async for event in walk.session.prompt("/compact" if how == "manual" else "the last request FACT-last"):
            events.append(event)
            if isinstance(event, CompactProgress if words else CompactStarted):
                walk.session.interrupt()

    await asyncio.wait_for(asking(), PATIENCE)
    assert status_is_null(events)
    assert of(events, CompactFailed)[0].kind == "cancelled"
    assert finished(events).terminal_reason == "aborted_streaming"
    assert place.post_compact_hooks == 0
    now = walk.transcript_text()
    if how == "reactive":  # the prompt had been accepted: it is on record
        assert now.startswith(place.before)
        assert "FACT-last" in now
    else:  # it had not: the face still has it
        assert now == place.before
        assert of(events, PromptAccepted) == []
    walk.api.api.script.replies[ROUNDS] = summary("S").when(compaction=True, repeat=0)
    assert not finished(await walk.say("and?")).is_error
    for number in range(ROUNDS):
        assert f"FACT-{number}" in walk.texts()[-1]


async def test_both_ways_to_ask_share_the_tries(room):
    place = await room("manual", drop(900), drop(900), say(" "), drop(900), summary("too late"))
    events = await place.trigger("manual")
    assert len(place.walk.compactions()) == 4
    await assert_unchanged_and_usable(place, events, "manual")
