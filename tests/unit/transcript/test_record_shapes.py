"""Records have the shapes that viewers read, and come back as the very bytes and entries that were written."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.protocol.blocks import (
    Block,
    Document,
    Image,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    block_from_json,
    block_to_json,
)
from agent.protocol.details import CommandOutput, Details, FileDiff, FileText, Hunk, Matches, PlainText
from agent.protocol.errors import TranscriptError
from agent.protocol.messages import Message, Usage, user_message
from agent.transcript.codec import Stamp, encode_entry
from agent.transcript.decode import decode_entry
from agent.transcript.entries import AttachmentEntry, CompactBoundary, Entry, MessageEntry, MetaEntry
from tests.unit.transcript.transcript_support import create, reopen, said, seen

STAMP = Stamp(session_id="s", cwd="/project", version="1", git_branch="main")

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
word = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)
count = st.integers(0, 1_000_000)
data = st.dictionaries(
    word, st.one_of(text, count, st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()), max_size=3
)
plain = st.builds(lambda t: Text(text=t), text)
picture = st.builds(lambda source: Image(source=source), data)
blocks: st.SearchStrategy[Block] = st.one_of(
    plain,
    picture,
    st.builds(lambda source: Document(source=source), data),
    st.builds(lambda t, s: Thinking(thinking=t, signature=s), text, text),
    st.builds(lambda t: RedactedThinking(data=t), text),
    st.builds(lambda i, n, d: ToolUse(id=i, name=n, input=d), word, word, data),
    st.builds(lambda i, c, e: ToolResult(tool_use_id=i, content=c, is_error=e), word, st.one_of(text, st.lists(st.one_of(plain, picture), max_size=2)), st.booleans()),
)  # fmt: skip
hunk = st.builds(Hunk, count, count, count, count, st.tuples(text))
details: st.SearchStrategy[Details] = st.one_of(
    st.builds(FileDiff, text, st.booleans(), count, count, st.tuples(hunk)),
    st.builds(FileText, text, count, count, count, st.booleans()),
    st.builds(CommandOutput, text, text, st.none() | count, count),
    st.builds(Matches, text, count, count, st.tuples(text, text)),
    st.builds(PlainText, text),
)
uuids = st.none() | word
contents = st.lists(blocks, min_size=1, max_size=4).map(tuple)
flags = {
    name: st.booleans() for name in ("is_compact_summary", "is_meta", "is_visible_in_transcript_only", "is_sidechain")
}
asked = st.builds(
    MessageEntry,
    uuid=word,
    parent_uuid=uuids,
    message=st.builds(Message, st.sampled_from(["user", "system"]), contents),
    timestamp=text,
    tool_details=st.dictionaries(word, details, max_size=3).map(lambda found: tuple(found.items())),
    **flags,
)
answered = st.builds(
    MessageEntry,
    uuid=word,
    parent_uuid=uuids,
    message=st.builds(Message, st.just("assistant"), contents),
    usage=st.none() | st.builds(Usage, count, count, count, count),
    message_id=word,
    model=word,
    stop_reason=st.just("") | word,
    **flags,
)
attached = st.builds(
    AttachmentEntry,
    uuid=word,
    parent_uuid=uuids,
    kind=word,
    message=st.none() | st.builds(Message, st.just("user"), contents),
)
cut = st.builds(
    CompactBoundary,
    uuid=word,
    logical_parent_uuid=uuids,
    trigger=st.sampled_from(["auto", "manual"]),
    pre_tokens=count,
    post_tokens=count,
    anchor_uuid=word,
    kept=st.lists(word, min_size=1, max_size=3).map(tuple),
    duration_ms=count,
    discovered_tools=st.lists(word, max_size=2).map(tuple),
    messages_summarized=count,
    batch=count,
)


@given(st.one_of(asked, answered, attached, cut))
def test_an_entry_comes_back_and_is_written_the_same_again(entry: Entry) -> None:
    line = encode_entry(entry, STAMP)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    again = decode_entry(line)
    assert again == entry
    assert encode_entry(again, STAMP) == line


def test_thinking_is_written_and_read_with_the_bytes_the_api_sent() -> None:
    raw = (
        b'{"thinking":"\\u2028 \xf0\x9f\x98\x80 \\/  ", "signature":"'
        + b"x" * 2000
        + b'","type":"thinking","new_field":[1, 2.50]}'
    )
    entry = MessageEntry(
        uuid="a", parent_uuid=None, message=Message("assistant", (block_from_json(raw), Text(text="so")))
    )
    line = encode_entry(entry, STAMP)
    assert raw in line
    (thought, _so) = decode_entry(line).message.blocks  # type: ignore[union-attr]  # it is a MessageEntry
    assert block_to_json(thought) == raw
    assert encode_entry(decode_entry(line), STAMP) == line


def test_a_block_cannot_smuggle_bytes_of_its_own() -> None:
    raw = b'{"-raw":"ZXZpbA==","type":"text","text":"x"}'
    line = b'{"type":"user","uuid":"u","message":{"role":"user","content":[' + raw + b"]}}"
    entry = decode_entry(line)
    assert isinstance(entry, MessageEntry) and block_to_json(entry.message.blocks[0]) == raw


def test_a_block_spread_over_lines_does_not_break_the_record() -> None:
    block = block_from_json(b'{"type":"text",\n "text":"a\\nb"\r\n}')
    line = encode_entry(MessageEntry(uuid="a", parent_uuid=None, message=Message("user", (block,))), STAMP)
    assert line.count(b"\n") == 1
    assert decode_entry(line).message.text == "a\nb"  # type: ignore[union-attr]  # it is a MessageEntry


def test_a_block_of_an_unknown_type_survives() -> None:
    raw = b'{"type":"hologram","depth":3}'
    line = encode_entry(
        MessageEntry(uuid="a", parent_uuid=None, message=Message("user", (block_from_json(raw),))), STAMP
    )
    assert raw in encode_entry(decode_entry(line), STAMP)


def test_a_record_of_an_unknown_type_keeps_all_its_fields() -> None:
    line = b'{"type":"hologram","depth":3,"nested":{"a":[1,null]}}\n'
    entry = decode_entry(line)
    assert entry == MetaEntry(kind="hologram", fields={"depth": 3, "nested": {"a": [1, None]}})


@pytest.mark.parametrize("line", [b"[1]\n", b" 7\n", b'"text"\n', b"null\n"])
def test_json_that_is_no_object_is_no_record(line: bytes) -> None:
    with pytest.raises(TranscriptError):
        decode_entry(line)


def test_a_known_record_with_odd_fields_is_kept_and_no_message() -> None:
    entry = decode_entry(
        b'{"type":"user","uuid":"u","parentUuid":"p","timestamp":7,"message":{"role":"user","content":"x"}}'
    )
    assert isinstance(entry, MetaEntry) and (entry.uuid, entry.parent_uuid, entry.fields["timestamp"]) == ("u", "p", 7)


def test_lone_surrogates_are_scrubbed() -> None:
    entry = decode_entry(b'{"type":"user","uuid":"u","message":{"role":"user","content":"a\\ud800b\\ud83d\\ude00"}}')
    assert isinstance(entry, MessageEntry) and entry.message.text == "a\ufffdb\U0001f600"


def test_a_session_on_disk_reads_like_claude_codes(tmp_path: Path) -> None:
    transcript = create(tmp_path / "session.jsonl")
    prompt = transcript.append_message(user_message("hello"))
    answer = transcript.append_message(
        said("hi"), usage=Usage(input=1, output=2, cache_read=3, cache_creation=4), message_id="msg_1", model="m", stop_reason="end_turn"
    )  # fmt: skip
    cut = transcript.mark_boundary(
        trigger="manual", pre_tokens=9, post_tokens=3, summary=user_message("sum"), kept=[answer.uuid], attachments=[], duration_ms=5
    )  # fmt: skip
    first, second, third, fourth = map(json.loads, transcript.path.read_text().splitlines())
    common = {
        "parentUuid", "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "uuid", "type", "timestamp",
    }  # fmt: skip
    assert common <= first.keys() and common <= third.keys()
    assert (first["type"], first["parentUuid"], first["userType"], first["sessionId"]) == (
        "user",
        None,
        "external",
        "session",
    )
    assert first["message"] == {"role": "user", "content": [{"type": "text", "text": "hello"}]}
    assert second["parentUuid"] == prompt.uuid
    assert second["message"] == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "hi"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1,
            "cache_creation_input_tokens": 4,
            "cache_read_input_tokens": 3,
            "output_tokens": 2,
        },
    }
    assert (third["subtype"], third["parentUuid"], third["logicalParentUuid"]) == (
        "compact_boundary",
        None,
        answer.uuid,
    )
    assert third["content"] == "Conversation compacted"
    metadata = third["compactMetadata"]
    assert (metadata["trigger"], metadata["preTokens"], metadata["postTokens"], metadata["durationMs"]) == (
        "manual",
        9,
        3,
        5,
    )
    assert metadata["preservedMessages"]["uuids"] == [answer.uuid]
    assert metadata["preservedSegment"] == {
        "headUuid": answer.uuid,
        "anchorUuid": fourth["uuid"],
        "tailUuid": answer.uuid,
    }
    assert fourth["isCompactSummary"] and fourth["isVisibleInTranscriptOnly"] and fourth["parentUuid"] == cut.uuid


def test_unknown_records_and_fields_are_still_in_the_file_after_resume_and_append(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    transcript = create(path)
    transcript.append_message(user_message("one"))
    transcript.close()
    strange = (
        b'{"type":"user","uuid":"z","parentUuid":"id-1","future":{"a":1},"message":{"role":"user","content":"two"}}\n'
    )
    with path.open("ab") as file:
        file.write(strange + b'{"type":"future-marker","x":1}\n')
    before = path.read_bytes()
    transcript = reopen(path)
    transcript.append_message(said("three"))
    assert path.read_bytes().startswith(before)
    assert [entry.kind for entry in transcript.entries() if isinstance(entry, MetaEntry)] == ["future-marker"]
    assert seen(transcript) == ["one", "two", "three"]


def test_every_record_of_ours_is_strict_json(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message('\x00\u2028\u2029\x7f"\\'))
    transcript.append_meta("custom-title", {"customTitle": "T"})
    transcript.append_attachment("file", user_message("file"))
    for line in transcript.path.read_bytes().splitlines(keepends=False):
        assert msgspec.json.decode(line) == json.loads(line)
