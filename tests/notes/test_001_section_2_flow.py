"""Design note 001, section 2: the eleven steps, the boundary's metadata, and the event that is logged (tengu_compact)."""

import json

import pytest

from agent.protocol.events import CompactFailed, CompactFinished, CompactStarted
from agent.rehearsal.script import reply, say, summary, too_long, tool
from tests.walks.conftest import finished, of, used

FIELDS = {
    "pre_compact_token_count",
    "post_compact_token_count",
    "true_post_compact_token_count",
    "auto_compact_threshold",
    "will_retrigger_next_turn",
    "is_auto_compact",
    "query_source",
    "permission_mode",
    "cache_read",
    "cache_creation",
    "cache_read_share",
    "cache_fragmentation",
    "retries",
    "ptl_retries",
    "is_recompaction",
    "turns_since_previous",
    "previous_id",
}
PRIVATE = ("FACT-1", "SUMMARY-1")


def logged(walk) -> list[dict[str, object]]:
    """The compact events of the local log."""
    lines = [
        line for file in (walk.home / ".ccagent" / "logs").glob("*.jsonl") for line in file.read_text().splitlines()
    ]
    return [record for record in map(json.loads, lines) if record["event"] == "compact"]


async def test_step_1_checks_come_before_everything(make_walk) -> None:
    walk = await make_walk()
    events = await walk.say("/compact")
    assert of(events, CompactStarted) == []
    [failed] = of(events, CompactFailed)
    assert (failed.reason, failed.kind) == ("Not enough messages to compact.", "nothing")
    assert walk.bodies() == []


async def test_step_8_the_boundary_records_trigger_and_tokens(make_walk) -> None:
    walk = await make_walk(say("one " * 900, usage=used(90_000)), summary("S"))
    await walk.say("first")
    receipt = of(await walk.say("/compact"), CompactFinished)[0].receipt
    record = next(json.loads(line) for line in walk.transcript_text().splitlines() if "compact_boundary" in line)
    metadata = record["compactMetadata"]
    assert metadata["trigger"] == "manual"
    assert metadata["preTokens"] == receipt.pre_tokens == 90_000
    assert receipt.boundary == record["uuid"]


async def test_step_9_the_summary_is_a_user_message_seen_in_the_transcript_only(make_walk) -> None:
    walk = await make_walk(say("one " * 900), summary("SUMMARY-1"), say("two"))
    await walk.say("first")
    await walk.compact()
    record = next(json.loads(line) for line in walk.transcript_text().splitlines() if "SUMMARY-1" in line)
    assert record["type"] == record["message"]["role"] == "user"
    assert record["isCompactSummary"] is True
    assert record["isVisibleInTranscriptOnly"] is True


async def test_step_10_the_event_has_every_field_and_no_word_of_anyone(make_walk) -> None:
    walk = await make_walk(say("one " * 900, usage=used(14_000)), summary("SUMMARY-1"), say("two"), window=20_000)
    await walk.say("first FACT-1")
    assert len(of(await walk.say("second"), CompactFinished)) == 1
    (event,) = logged(walk)
    assert set(event) >= FIELDS
    assert event["pre_compact_token_count"] == 14_000
    assert event["post_compact_token_count"] <= event["true_post_compact_token_count"] < 13_400
    assert event["auto_compact_threshold"] == 13_400
    assert (event["is_auto_compact"], event["query_source"]) == (True, "repl_main_thread")
    assert (event["is_recompaction"], event["previous_id"], event["turns_since_previous"]) == (False, None, None)
    assert event["will_retrigger_next_turn"] is False
    assert event["permission_mode"] == "default"
    assert not any(word in json.dumps(event) for word in PRIVATE)


async def test_step_10_the_event_follows_a_chain_of_compactions(make_walk) -> None:
    turns = [say("one " * 900), summary("S"), say("two " * 900), say("three " * 900), summary("S")]
    walk = await make_walk(*turns)
    for line in ("first", "/compact", "second", "third", "/compact"):
        await walk.say(line)
    first, second = logged(walk)
    assert second["is_recompaction"] is True
    assert second["turns_since_previous"] == 2
    assert second["previous_id"] in walk.transcript_text()
    assert first["previous_id"] is None


async def test_step_10_retries_and_the_share_of_the_cache_are_told(make_walk) -> None:
    walk = await make_walk(
        *[say(f"answer {n} " + "word " * 400) for n in range(4)], too_long(201_000, 200_000), say(" "), summary("S")
    )
    for number in range(4):
        await walk.say(f"question {number}")
    await walk.compact()
    (event,) = logged(walk)
    assert event["ptl_retries"] == 1
    assert event["retries"] == 1
    asked = [request.usage for request in walk.api.requests[-2:]]
    read = sum(usage["cache_read_input_tokens"] for usage in asked)
    assert event["cache_read"] == read


async def test_it_never_retriggers_after_success(make_walk, project) -> None:
    """Files that would fill the window at once are shed: the next prompt compacts nothing."""
    lines = "".join(f"value_{n} = 'some text that fills the window'\n" for n in range(220))
    for name in ("a", "b", "c"):
        (project / f"{name}.py").write_text(lines, encoding="utf-8")
    reads = [tool("Read", {"file_path": str(project / f"{name}.py")}) for name in ("a", "b", "c")]
    walk = await make_walk(
        reply(*reads), say("read", usage=used(8_000)), summary("S"), say("two"), say("three"), window=20_000
    )
    await walk.open(env={"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "30"})
    await walk.say("read them")
    assert len(of(await walk.say("and now"), CompactFinished)) == 1
    (event,) = logged(walk)
    assert event["will_retrigger_next_turn"] is False
    assert event["true_post_compact_token_count"] < event["auto_compact_threshold"] == 6_000
    assert of(await walk.say("third"), CompactStarted) == []


@pytest.mark.parametrize("pause", [0.0, 0.01])
async def test_step_11_the_session_goes_on(make_walk, pause) -> None:
    walk = await make_walk(say("one " * 900), summary("S").slow(pause), say("two"))
    await walk.say("first")
    await walk.compact()
    assert finished(await walk.say("second")).text == "two"


async def test_it_never_retriggers_though_the_api_counts_more_than_we_estimate(make_walk) -> None:
    """A tokenizer that makes a quarter more tokens of everything: a summary is measured as the API will count it."""
    walk = await make_walk(
        say("one", usage=used(3_100)),
        say("two", usage=used(3_120)),
        say("word " * 9_000, usage={"input_tokens": 3_150, "output_tokens": 10_500}),
        summary("word " * 6_300),
        summary("S"),
        say("on"),
        say("and on"),
    )
    await walk.open(env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "20000"})
    for line in ("first", "second", "third"):
        await walk.say(line)
    assert len(of(await walk.say("fourth"), CompactFinished)) == 1
    (event,) = logged(walk)
    assert event["will_retrigger_next_turn"] is False
    assert event["retries"] == 1  # the first summary would have filled the window again
    assert of(await walk.say("fifth"), CompactStarted) == []


async def test_where_none_can_be_under_the_threshold_none_follows_and_the_event_says_so(make_walk, project) -> None:
    (project / "CLAUDE.md").write_text("be kind and careful\n" * 200, encoding="utf-8")
    walk = await make_walk(say("one " * 1_500), summary("S"), say("on").times(2))
    await walk.open(env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "4000"})
    await walk.say("first")
    assert len(of(await walk.say("/compact"), CompactFinished)) == 1
    (event,) = logged(walk)
    assert event["true_post_compact_token_count"] >= event["auto_compact_threshold"]
    assert event["will_retrigger_next_turn"] is False
    assert of(await walk.say("second"), CompactStarted) == []
