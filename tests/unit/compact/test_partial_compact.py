"""Where a conversation may be parted: every cut leaves two sides that the API takes, and nothing that belongs together is parted."""

from hypothesis import given
from hypothesis import strategies as st

from agent.compact.partial_compact import DIRECTIONS, Part, cut_points, name_of, split_at
from agent.protocol.blocks import Image, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message
from agent.transcript.entries import MessageEntry
from agent.transcript.invariants import repair

MODEL = "claude-sonnet-5-5"
PICTURE = Image(source={"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="})


def turn(number: int, steps: int, *, thinks: bool, calls: int, picture: bool, ended: bool) -> list[Message]:
    """A prompt, `steps` rounds of `calls` calls with their results, and an answer unless the turn did not end."""
    messages = [Message("user", (Text(text=f"prompt {number}"), *([PICTURE] if picture else [])))]
    thought = (Thinking(thinking="hm", signature="sig"),) if thinks else ()
    for step in range(steps):
        ids = [f"t{number}-{step}-{call}" for call in range(calls)]
        uses = tuple(ToolUse(id=id, name="Read", input={"file_path": f"/{id}"}) for id in ids)
        messages.append(Message("assistant", (*thought, *uses)))
        messages.append(Message("user", tuple(ToolResult(tool_use_id=id, content="found") for id in ids)))
    return [*messages, Message("assistant", (*thought, Text(text="done")))] if ended else messages


@st.composite
def views(draw: st.DrawFn) -> tuple[MessageEntry, ...]:
    """Conversations of one to five turns; only the last may be without its end."""
    messages: list[Message] = [user_message("what stands before the first prompt")]
    count = draw(st.integers(1, 5))
    for number in range(count):
        messages += turn(
            number,
            draw(st.integers(0, 3)),
            thinks=draw(st.booleans()),
            calls=draw(st.integers(1, 3)),
            picture=draw(st.booleans()),
            ended=number < count - 1 or draw(st.booleans()),
        )
    return tuple(
        MessageEntry(
            uuid=f"u{at}", parent_uuid=None, message=message, model=MODEL if message.role == "assistant" else ""
        )
        for at, message in enumerate(messages)
    )


@given(views())
def test_both_sides_of_every_cut_are_what_the_api_takes(view: tuple[MessageEntry, ...]) -> None:
    for direction in DIRECTIONS:
        for at in cut_points(view, direction):
            split = split_at(view, Part(direction, at))
            kept = [entry.message for entry in split.kept]
            summary = user_message("the summary")
            after = [*kept, summary] if split.kept_first else [summary, *kept]
            legal, notices = repair([*after, user_message("go on")])
            assert notices == ()
            assert {call.id for m in kept for call in m.tool_uses} == {
                r.tool_use_id for m in kept for r in m.tool_results
            }
            assert legal[0].role == "user"
            assert any(entry.message.role == "assistant" for entry in split.history)


@given(views())
def test_the_two_directions_are_each_others_complement(view: tuple[MessageEntry, ...]) -> None:
    for at in set(cut_points(view, "from")) & set(cut_points(view, "up-to")):
        later, earlier = split_at(view, Part("from", at)), split_at(view, Part("up-to", at))
        assert later.kept == earlier.history == view[:at]  # to the byte: what is before M stays in the cache
        assert [entry.uuid for entry in later.history] == [entry.uuid for entry in earlier.kept]


@given(views())
def test_kept_answers_lose_the_thinking_that_was_bound_to_what_is_summarised_and_nothing_else(
    view: tuple[MessageEntry, ...],
) -> None:
    for at in cut_points(view, "up-to"):
        for was, now in zip(view[at:], split_at(view, Part("up-to", at)).kept, strict=True):
            assert now.uuid == was.uuid
            assert list(now.message.blocks) == [b for b in was.message.blocks if not isinstance(b, Thinking)]


@given(views())
def test_a_thinking_loop_that_did_not_end_is_kept_whole(view: tuple[MessageEntry, ...]) -> None:
    last = view[-1].message
    if last.role == "assistant" and not last.tool_uses:
        return
    prompt = max(at for at, entry in enumerate(view) if entry.message.text.startswith("prompt"))
    thinks = any(isinstance(block, Thinking) for entry in view[prompt:] for block in entry.message.blocks)
    assert not thinks or all(at <= prompt for at in cut_points(view, "up-to"))


@given(views())
def test_a_picture_stays_with_the_answer_that_has_seen_it(view: tuple[MessageEntry, ...]) -> None:
    for direction in DIRECTIONS:
        for at in cut_points(view, direction):
            assert PICTURE not in view[at - 1].message.blocks


def test_a_message_is_named_by_its_words_or_its_first_call() -> None:
    assert name_of(Message("assistant", (Text(text="two\nlines"),))) == "two lines"
    call = ToolUse(id="t", name="Bash", input={"command": "make  all"})
    assert name_of(Message("assistant", (call,))) == "Bash make all"
    assert name_of(user_message("x" * 300)).endswith("x…")
