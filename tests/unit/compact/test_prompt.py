"""The compaction prompt: preamble first, nine sections, the person's and the hooks' instructions."""

from collections.abc import Sequence

import msgspec

from agent.compact.extractive import extractive_summary
from agent.compact.prompt import SECTIONS, compact_prompt
from agent.compact.transcript_text import transcript_request
from agent.protocol.blocks import Text, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message
from agent.tokens.features import estimate_text
from agent.transcript.entries import MessageEntry

HISTORY = (
    user_message("rename greet"),
    Message(
        role="assistant", blocks=(Text(text="On it."), ToolUse(id="t", name="Edit", input={"file_path": "/p/hello.py"}))
    ),
    Message(role="user", blocks=(ToolResult(tool_use_id="t", content="String to replace not found.", is_error=True),)),
)


def entries(messages: Sequence[Message]) -> list[MessageEntry]:
    return [MessageEntry(uuid=f"u{n}", parent_uuid=None, message=message) for n, message in enumerate(messages)]


def test_the_order_is_preamble_task_instructions_closing() -> None:
    prompt = compact_prompt(("keep the port",), rejected="it was cut")
    places = [
        prompt.index(text)
        for text in ("Answer with text only", "1. Primary Request", "keep the port", "it was cut", "Remember")
    ]
    assert places == sorted(places)


def test_every_section_of_the_notes_is_asked_for() -> None:
    prompt = compact_prompt()
    assert all(f"{number}. {title}" in prompt for number, title in enumerate(SECTIONS, 1))
    assert "Additional instructions" not in prompt


def test_the_text_path_is_one_message_with_the_record_as_material() -> None:
    (message,) = transcript_request(HISTORY, ())
    assert "[user] rename greet" in message.text
    assert "[call] Edit(file_path='/p/hello.py')" in message.text
    assert "[result error] String to replace not found." in message.text
    assert message.text.rstrip().endswith("nine sections.")


def test_the_extractive_floor_has_the_sections_and_the_facts() -> None:
    text = extractive_summary(entries(HISTORY), limit=5_000, tokenizer="v4.8")
    assert all(f"{number}. {title}" in text for number, title in enumerate(SECTIONS, 1))
    assert "rename greet" in text
    assert "/p/hello.py (edit)" in text
    assert "String to replace not found." in text


def test_the_extractive_floor_keeps_to_its_room() -> None:
    talk = [
        message
        for n in range(60)
        for message in (
            user_message(f"request {n} " + "word " * 80),
            Message("assistant", (Text(text="answer " * 80),)),
        )
    ]
    for limit in (4_000, 1_000, 300, 60):
        text = extractive_summary(entries(talk), limit=limit, tokenizer="v4.8")
        assert text.strip()
        assert estimate_text(text, "v4.8") <= limit + 10
    assert "request 59" in extractive_summary(entries(talk), limit=1_000, tokenizer="v4.8")


def test_the_extractive_floor_takes_no_words_for_the_person_s_that_are_not() -> None:
    given, summary, asked = entries([user_message("GIVEN"), user_message("EARLIER"), user_message("ASKED")])
    given = msgspec.structs.replace(given, is_meta=True)
    summary = msgspec.structs.replace(summary, is_compact_summary=True)
    text = extractive_summary([given, summary, asked], limit=5_000, tokenizer="v4.8")
    assert text.count("- ASKED") == 2
    assert "GIVEN" not in text
    assert text.index("5. ") < text.index("- EARLIER") < text.index("6. ")
