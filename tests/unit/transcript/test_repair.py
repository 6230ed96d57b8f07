"""A request is legal after repair, whatever the history; a legal one is not touched; every repair is named."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.protocol.blocks import (
    Block,
    Image,
    Opaque,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    block_from_json,
    block_to_json,
)
from agent.protocol.messages import Message, user_message
from agent.rehearsal.models import MODELS
from agent.rehearsal.prompt import Prompt
from agent.rehearsal.rules.check import broken
from agent.transcript.invariants import BEGINNING, UNANSWERED, repair
from tests.unit.transcript.transcript_support import calls, results, said, wire

SIGNED = block_from_json(b'{"signature":"c2ln",  "type":"thinking","thinking":"\\u2028 \xf0\x9f\x98\x80  "}')
OTHER_MODEL = next(model for model in MODELS if model.id == "claude-opus-5")  # takes the system role

ids = st.sampled_from(["a", "b", "c", "d", "bad.id:1"])
tools = st.sampled_from(["Read", "", "Read.file \x1b[2J", "N" * 201])  # models call what there is not
words = st.sampled_from(["hello", "", " \n\t", "x"])
image = Image(source={"type": "base64", "media_type": "image/png", "data": "aGk="})
texts = st.builds(lambda text: Text(text=text), words)
contents = st.one_of(words, st.lists(st.one_of(texts, st.just(image)), max_size=2))
blocks = st.one_of(
    texts,
    st.just(SIGNED),
    st.just(Thinking(thinking="half")),
    st.just(RedactedThinking(data="ZGF0YQ==")),
    st.builds(lambda name, tool: ToolUse(id=name, name=tool, input={}), ids, tools),
    st.builds(
        lambda name, content, bad: ToolResult(tool_use_id=name, content=content, is_error=bad),
        ids,
        contents,
        st.booleans(),
    ),
    st.builds(
        lambda name: _opaque({"type": "tool_result", "tool_use_id": name, "content": [{"type": "tool_reference"}]}), ids
    ),
    st.just(Opaque(kind="tool_use", raw=b'{"type":"tool_use","id":"z","name":"Read","input":"{\\"cut"}')),
)
messages = st.builds(
    lambda role, content: Message(role=role, blocks=tuple(content)),
    st.sampled_from(["user", "assistant", "user", "assistant", "system"]),
    st.lists(blocks, max_size=4),
)
histories = st.lists(messages, max_size=8)


def _opaque(block: dict[str, object]) -> Block:
    return Opaque(kind="tool_result", raw=msgspec.json.encode(block))


def refusals(history: tuple[Message, ...]) -> list[str]:
    """What the strict loopback API would say of `history`, followed by a new prompt."""
    sent = [*history, user_message("next")]
    body = {
        "model": OTHER_MODEL.id,
        "max_tokens": 100,
        "messages": [
            {"role": message.role, "content": [msgspec.json.decode(block_to_json(block)) for block in message.blocks]}
            for message in sent
        ],
    }
    return [f"{refusal.rule}: {refusal}" for refusal in broken(Prompt(body, {}, OTHER_MODEL))]


@given(histories)
@settings(max_examples=400, deadline=None)
def test_whatever_the_history_the_request_is_legal_and_a_second_repair_finds_nothing(history: list[Message]) -> None:
    legal, _notices = repair(history)
    assert refusals(legal) == []
    assert own_judgement(legal) == []
    again, notices = repair(legal)
    assert again == legal and notices == ()
    assert all(one is other for one, other in zip(again, legal, strict=True))
    assert wire(repair(history)[0]) == wire(legal)


@given(histories)
@settings(max_examples=200, deadline=None)
def test_every_signed_thought_goes_whole_or_byte_for_byte(history: list[Message]) -> None:
    given_bytes = {block_to_json(block) for message in history for block in message.blocks}
    legal, _notices = repair(history)
    thoughts = [
        block for message in legal for block in message.blocks if isinstance(block, Thinking | RedactedThinking)
    ]
    assert {block_to_json(block) for block in thoughts} <= given_bytes


def own_judgement(history: tuple[Message, ...]) -> list[str]:
    """The rules once more, written without looking at the repair or the loopback API."""
    wrong = []
    if history and history[0].role != "user":
        wrong.append("first")
    for at, message in enumerate(history):
        after = history[at + 1] if at + 1 < len(history) else None
        if not message.blocks:
            wrong.append("empty")
        if any(isinstance(block, Text) and not block.text.strip() for block in message.blocks):
            wrong.append("blank")
        if message.role == "assistant" and isinstance(message.blocks[-1], Thinking | RedactedThinking):
            wrong.append("ends in thinking")
        if after is not None and after.role == message.role != "system":
            wrong.append("two of one role")
        asked = [block.id for block in message.blocks if isinstance(block, ToolUse)]
        told = _told(after)
        if told != asked or (at == 0 and _told(message)):
            wrong.append(f"calls {asked}, results {told}")
        opening = after.blocks[: len(told)] if after else ()
        if not all(isinstance(block, ToolResult | Opaque) for block in opening):
            wrong.append("results not first")
    return wrong


def _told(message: Message | None) -> list[str]:
    blocks = message.blocks if message else ()
    odd = [block for block in blocks if isinstance(block, Opaque) and block.kind == "tool_result"]
    known = {id(block): msgspec.json.decode(block.raw)["tool_use_id"] for block in odd}
    known |= {id(block): block.tool_use_id for block in blocks if isinstance(block, ToolResult)}
    return [known[id(block)] for block in blocks if id(block) in known]


def test_a_legal_history_comes_back_as_the_very_same_messages() -> None:
    history = [user_message("go"), calls("a", "b"), results("a", "b"), said("done"), user_message("more")]
    legal, notices = repair(history)
    assert notices == ()
    assert all(one is other for one, other in zip(legal, history, strict=True))


def test_interrupted_parallel_calls_are_answered_first_and_then_the_prompt_follows() -> None:
    legal, notices = repair([user_message("go"), calls("a", "b", "c"), user_message("stop, do this")])
    last = legal[-1]
    assert [block.tool_use_id for block in last.tool_results] == ["a", "b", "c"]
    assert all(block.is_error and block.content == UNANSWERED for block in last.tool_results)
    assert isinstance(last.blocks[-1], Text) and last.blocks[-1].text == "stop, do this"
    assert notices == ("History: 3 tool calls without a result answered with an error.",)


def test_a_call_at_the_very_end_is_answered() -> None:
    legal, _notices = repair([user_message("go"), calls("a")])
    assert [message.role for message in legal] == ["user", "assistant", "user"]
    assert legal[-1].tool_results[0].is_error


def test_results_are_sorted_by_their_calls_and_only_the_missing_one_is_made_up() -> None:
    mixed = Message(role="user", blocks=(Text(text="and"), *results("c", "a").blocks))
    legal, _notices = repair([user_message("go"), calls("a", "b", "c"), mixed])
    assert [(block.tool_use_id, block.is_error) for block in legal[-1].tool_results] == [
        ("a", False),
        ("b", True),
        ("c", False),
    ]
    assert legal[-1].blocks[-1] == Text(text="and")


def test_results_in_several_messages_become_one_message() -> None:
    legal, notices = repair([user_message("go"), calls("a", "b"), results("b"), results("a"), said("ok")])
    assert wire(legal) == wire([user_message("go"), calls("a", "b"), results("a", "b"), said("ok")])
    assert notices == ()


def test_strays_and_second_results_go() -> None:
    twice = Message(role="user", blocks=(*results("a").blocks, *results("a").blocks))
    legal, notices = repair([results("x"), user_message("go"), calls("a"), twice, said("ok"), results("a")])
    assert wire(legal) == wire([user_message("go"), calls("a"), results("a"), said("ok")])
    assert notices == ("History: 3 tool results without a call left out.",)


def test_a_result_whose_shape_is_unknown_still_answers_its_call() -> None:
    odd = _opaque(
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "tool_reference", "tool_name": "X"}]}
    )
    legal, notices = repair([user_message("go"), calls("a"), Message(role="user", blocks=(odd,))])
    assert legal[-1].blocks == (odd,)
    assert notices == ()


def test_blank_answers_do_not_brick_the_session() -> None:
    history = [user_message("1"), Message("assistant", ()), user_message("2"), said("\n\n"), user_message("3")]
    legal, _notices = repair(history)
    assert [message.text for message in legal] == ["1\n2\n3"]


def test_blank_text_inside_a_result_goes_and_an_empty_error_says_so() -> None:
    blank = ToolResult(tool_use_id="a", content=[Text(text=" ")], is_error=True)
    legal, _notices = repair([user_message("go"), calls("a"), Message("user", (blank,))])
    assert legal[-1].blocks == (ToolResult(tool_use_id="a", content="(no output)", is_error=True),)


def test_an_answer_that_is_only_thinking_goes_and_its_neighbours_join() -> None:
    legal, notices = repair([user_message("1"), Message("assistant", (SIGNED,)), user_message("2")])
    assert [message.text for message in legal] == ["1\n2"]
    assert notices == ("History: 1 unfinished piece of thinking left out.",)


def test_thinking_without_a_signature_goes_and_signed_thinking_stays() -> None:
    answer = Message("assistant", (Thinking(thinking="half"), SIGNED, Text(text="so")))
    legal, _notices = repair([user_message("1"), answer])
    assert legal[1].blocks == (SIGNED, Text(text="so"))


def test_a_history_that_begins_with_an_answer_gets_a_marker() -> None:
    legal, notices = repair([said("hello")])
    assert [message.text for message in legal] == [BEGINNING, "hello"]
    assert notices == ("History: a note put before an answer that stood first.",)


def test_a_compaction_block_may_come_first() -> None:
    block = Opaque(kind="compaction", raw=b'{"type":"compaction","content":"summary"}')
    legal, notices = repair([Message("assistant", (block,)), user_message("go")])
    assert legal[0].blocks == (block,) and notices == ()


def test_a_call_whose_input_is_no_object_goes_with_its_result() -> None:
    cut = Opaque(kind="tool_use", raw=b'{"type":"tool_use","id":"a","name":"Read","input":"{\\"cut"}')
    legal, notices = repair([user_message("go"), Message("assistant", (Text(text="x"), cut)), results("a")])
    assert wire(legal) == wire([user_message("go"), said("x")])
    assert "History: 1 tool call without valid input left out." in notices


@pytest.mark.parametrize(
    "raw", [b'{"type":"thinking"}', b'{"type":"redacted_thinking","data":7}', b'{"type":"text","text":null}']
)
def test_a_block_of_a_damaged_record_goes(raw: bytes) -> None:
    answer = Message("assistant", (block_from_json(raw), Text(text="x")))
    legal, notices = repair([user_message("go"), answer])
    assert wire(legal) == wire([user_message("go"), said("x")])
    assert notices == ("History: 1 damaged block left out.",)


def test_a_repeated_call_goes() -> None:
    legal, notices = repair([user_message("go"), calls("a"), results("a"), calls("a"), results("a"), said("ok")])
    assert wire(legal) == wire([user_message("go"), calls("a"), results("a"), said("ok")])
    assert "History: 1 repeated tool call left out." in notices


def test_an_id_of_another_vendor_is_renamed_in_call_and_result() -> None:
    legal, _notices = repair([user_message("go"), calls("functions.Read:0"), results("functions.Read:0")])
    assert legal[1].tool_uses[0].id == legal[2].tool_results[0].tool_use_id == "functions_Read_0"


@pytest.mark.parametrize(
    "history",
    [[said("first")], [user_message("go"), calls("a")], [user_message("go"), said(" ")], [results("a")]],
    ids=["answer first", "open call", "blank", "stray"],
)
def test_both_judges_can_say_no(history: list[Message]) -> None:
    assert refusals(tuple(history)) != []
    assert own_judgement(tuple(history)) != []


def test_a_call_under_a_name_that_the_api_would_refuse_for_ever_is_renamed() -> None:
    call = ToolUse(id="a", name="functions.Read", input={"x": 1})
    legal, notices = repair([user_message("go"), Message("assistant", (call,)), results("a")])
    assert legal[1].blocks == (ToolUse(id="a", name="functions_Read", input={"x": 1}),)
    assert notices == ("History: 1 name of called tools changed to what the API accepts.",)
