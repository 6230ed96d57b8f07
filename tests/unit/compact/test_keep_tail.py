"""What stands word for word after a summary: the latest rounds within their budget, and nothing that the API would refuse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.compact.keep_tail import Split, keep_tail
from agent.compact.tail_policy import TAIL, TailPolicy
from agent.protocol.blocks import Image, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message
from agent.tokens.messages import estimate_message
from agent.transcript.entries import MessageEntry
from agent.transcript.invariants import repair
from tests.unit.compact.ledger_support import Story


def _count(message: Message) -> int:
    return estimate_message(message, "v4.8")


def _split(story: Story, budget: int, *, mid_turn: bool = False) -> Split:
    return keep_tail(story.entries, mid_turn=mid_turn, budget=budget, count=_count)


def _loop(rounds: int) -> Story:
    story = Story().user("the request")
    for n in range(rounds):
        story.bash(f"step {n}", f"result {n} " + "word " * 100)
    return story


def _uuids(entries: tuple[MessageEntry, ...]) -> list[str]:
    return [entry.uuid for entry in entries]


def test_without_a_budget_only_the_open_request_stands() -> None:
    story = Story().user("one").answer("two").user("three")
    assert _uuids(_split(story, 0).kept) == ["u3"]
    assert _split(Story().user("one").answer("two"), 0).kept == ()


def test_the_latest_rounds_stand_and_the_summary_still_sees_them() -> None:
    story = Story().user("one").answer("two").user("three").answer("four")
    split = _split(story, 1_000)
    assert _uuids(split.kept) == ["u3", "u4"]
    assert _uuids(split.history) == ["u1", "u2", "u3", "u4"]
    assert split.replaced == 2
    assert not split.resumes


def test_the_first_round_is_always_summarised() -> None:
    assert _split(Story().user("one").answer("two"), 1_000_000).kept == ()
    assert _uuids(_split(_loop(3), 1_000_000).kept) == ["u4", "u5", "u6", "u7"]


def test_in_a_loop_the_request_stands_before_its_latest_rounds() -> None:
    split = _split(_loop(9), 350, mid_turn=True)
    assert _uuids(split.kept) == ["u1", "u16", "u17", "u18", "u19"]
    assert split.resumes


def test_a_request_within_the_tail_stands_once() -> None:
    story = Story().user("old").answer("done").user("new").bash("ls", "a")
    assert _uuids(_split(story, 10_000, mid_turn=True).kept) == ["u3", "u4", "u5"]


def test_one_huge_round_ends_the_tail() -> None:
    story = _loop(3).bash("cat big", "word " * 50_000).bash("ls", "a b")
    assert _uuids(_split(story, 2_000, mid_turn=True).kept) == ["u1", "u10", "u11"]


def test_what_an_earlier_compaction_put_in_is_not_kept() -> None:
    story = Story()
    story.entries.append(
        MessageEntry(uuid="s", parent_uuid="b", message=user_message("the old summary"), is_compact_summary=True)
    )
    kept = Story().user("kept").answer("kept too").entries
    ledger = MessageEntry(uuid="l", parent_uuid="s", message=user_message("the old ledger"), is_meta=True)
    files = MessageEntry(uuid="f", parent_uuid="l", message=user_message("old file"), is_meta=True)
    after = [MessageEntry(uuid="p", parent_uuid="f", message=user_message("next"))]
    answer = [MessageEntry(uuid="a", parent_uuid="p", message=Message("assistant", (Text(text="ok"),)))]
    story.entries += [*kept, ledger, files, *after, *answer]
    assert _uuids(_split(story, 100_000).kept) == ["p", "a"]


def test_a_picture_stays_with_the_answer_that_has_seen_it() -> None:
    story = Story().user("one").answer("two").user("see").call("Read", "x", file_path="a.png").answer("a cat")
    picture = Message("user", (ToolResult(tool_use_id="toolu_3", content=(Image(source={}),)),))
    story.entries[4] = MessageEntry(uuid="u5", parent_uuid="u4", message=picture)
    tail = _uuids(_split(story, 50).kept)
    assert tail == [] or tail[0] != "u6"


@pytest.mark.parametrize(("model", "parts"), [("claude-sonnet-5-5", True), ("claude-haiku-4-5", False)])
def test_a_loop_of_thinking_is_parted_only_where_its_thinking_goes_anyway(model: str, parts: bool) -> None:
    story = _loop(9)
    for at, entry in enumerate(story.entries):
        if entry.message.role == "assistant":
            thinks = (Thinking(thinking="hm", signature="s"), *entry.message.blocks)
            story.entries[at] = MessageEntry(
                uuid=entry.uuid, parent_uuid=entry.parent_uuid, message=Message("assistant", thinks), model=model
            )
    assert (len(_split(story, 350, mid_turn=True).kept) > 1) is parts


@given(
    st.lists(st.tuples(st.sampled_from("uabt"), st.integers(1, 400)), max_size=30),
    st.integers(0, 3_000),
    st.booleans(),
)
def test_a_tail_behind_a_summary_is_legal_as_it_stands_and_within_its_budget(
    steps: list[tuple[str, int]], budget: int, mid_turn: bool
) -> None:
    story = Story().user("begin")
    for what, size in steps:
        match what:
            case "u":
                story.user("word " * size)
            case "a":
                story.answer("word " * size)
            case "b":
                story.bash("ls", "word " * size)
            case _:
                story.user("word " * size, is_meta=True)
    split = _split(story, budget, mid_turn=mid_turn)
    floor = {entry.uuid for entry in _split(story, 0, mid_turn=mid_turn).kept}
    assert sum(_count(entry.message) for entry in split.kept if entry.uuid not in floor) <= budget
    assert "u1" in _uuids(split.history) or not split.history
    view = [user_message("summary"), *(entry.message for entry in split.kept)]
    calls = [block for message in view for block in message.blocks if isinstance(block, ToolUse | ToolResult)]
    _legal, notices = repair(view)
    assert notices == ()
    assert len(calls) % 2 == 0


@pytest.mark.parametrize("ceiling", [2_700, 13_400, 60_000, 167_000, 967_000])
def test_the_budget_follows_the_window(ceiling: int) -> None:
    budget = TAIL.budget(ceiling, ceiling)
    assert budget <= TAIL.most
    assert budget <= ceiling // 4
    assert budget == 0 or budget >= TAIL.least


def test_a_short_history_keeps_nothing() -> None:
    assert TailPolicy().budget(167_000, 1_000) == 0
