"""Rounds cover the history; no legal cut separates what belongs together."""

from hypothesis import given
from hypothesis import strategies as st

from agent.protocol.blocks import Image, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message
from agent.transcript.cuts import legal_cuts
from agent.transcript.invariants import repair
from agent.transcript.rounds import group_rounds
from tests.unit.transcript.transcript_support import calls, results, said

SIGNED = Thinking(thinking="hm", signature="c2ln")
PICTURE = Image(source={"type": "base64", "media_type": "image/png", "data": "aGk="})

steps = st.sampled_from(["prompt", "answer", "call", "parallel", "meta"])


def history(plan: list[str]) -> list[Message]:
    """A conversation of these steps; calls are answered at once."""
    out: list[Message] = []
    for at, step in enumerate(plan):
        if step == "answer":
            out.append(said(f"{at}"))
        elif step in ("call", "parallel"):
            names = [f"{at}a", f"{at}b"] if step == "parallel" else [f"{at}a"]
            out += [calls(*names), *(results(name) for name in names)]
        else:
            out.append(user_message(f"{step} {at}"))
    return out


def test_a_round_is_a_prompt_with_its_answer_and_in_a_loop_each_further_answer() -> None:
    messages = [
        user_message("1"), calls("a"), results("a"), calls("b"), results("b"), said("done"), user_message("2"), said("ok"),
    ]  # fmt: skip
    assert group_rounds(messages) == [range(0, 3), range(3, 5), range(5, 6), range(6, 8)]


def test_a_prompt_and_what_is_attached_to_it_are_one_round() -> None:
    messages = [
        user_message("summary"),
        user_message("file"),
        said("ok"),
        user_message("a"),
        user_message("b"),
        said("c"),
    ]
    assert group_rounds(messages) == [range(0, 3), range(3, 6)]


def test_results_of_one_batch_told_in_several_messages_stay_in_one_round() -> None:
    messages = [user_message("1"), calls("a", "b"), results("a"), results("b"), said("done")]
    assert group_rounds(messages) == [range(0, 4), range(4, 5)]


def test_no_messages_have_no_rounds() -> None:
    assert group_rounds([]) == []


@given(st.lists(steps, max_size=12))
def test_rounds_cover_everything_in_order_and_never_part_a_call_from_its_result(plan: list[str]) -> None:
    messages = history(plan)
    rounds = group_rounds(messages)
    assert [at for part in rounds for at in part] == list(range(len(messages)))
    for part in rounds:
        inside = [messages[at] for at in part]
        asked = {use.id for message in inside for use in message.tool_uses}
        told = {result.tool_use_id for message in inside for result in message.tool_results}
        assert asked == told


@given(st.lists(steps, max_size=12))
def test_what_follows_a_cut_needs_no_repair_but_a_first_user_message(plan: list[str]) -> None:
    messages = history(plan)
    for at in legal_cuts(messages):
        _legal, notices = repair(messages[at:])
        assert all("note put before" in notice for notice in notices)
        assert all("note put before" in notice for notice in repair(messages[:at])[1])


def test_a_call_answered_late_pins_everything_between() -> None:
    messages = [user_message("1"), calls("a"), user_message("wait"), said("yes"), results("a"), said("done")]
    assert legal_cuts(messages) == {1, 5}


def test_thinking_in_the_running_loop_pins_the_whole_loop() -> None:
    thinking = Message("assistant", (SIGNED, ToolUse(id="a", name="Read", input={})))
    messages = [user_message("0"), said("x"), user_message("1"), thinking, results("a"), calls("b"), results("b")]
    assert legal_cuts(messages) == {1, 2}
    assert legal_cuts([*messages, said("done"), user_message("2")]) == {1, 2, 3, 5, 7, 8}


def test_without_thinking_a_running_loop_may_be_cut_between_its_rounds() -> None:
    messages = [user_message("1"), calls("a"), results("a"), calls("b"), results("b")]
    assert legal_cuts(messages) == {1, 3}


def test_a_picture_stays_with_the_answer_to_it() -> None:
    shown = Message("user", (PICTURE, Text(text="what is it?")))
    read = Message("user", (ToolResult(tool_use_id="a", content=[PICTURE]),))
    messages = [user_message("0"), said("x"), shown, calls("a"), read, said("a cat"), user_message("thanks")]
    assert legal_cuts(messages) == {1, 2, 6}
