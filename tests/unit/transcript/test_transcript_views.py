"""What the model sees and what the person sees, through compaction, undo, rewind and resume."""

from pathlib import Path

import pytest

from agent.protocol.errors import TranscriptError
from agent.protocol.messages import Usage, user_message
from agent.transcript.entries import AttachmentEntry, CompactBoundary, MessageEntry
from agent.transcript.transcript import Transcript
from agent.transcript.view import model_view, screen_view
from tests.unit.transcript.transcript_support import calls, create, reopen, results, said, seen, shown


def compact(transcript: Transcript, kept: list[str] | None = None, **options: bool) -> CompactBoundary:
    """A compaction with one attachment."""
    return transcript.mark_boundary(
        trigger="auto",
        pre_tokens=100,
        post_tokens=10,
        summary=user_message("SUMMARY"),
        kept=kept or [],
        attachments=[user_message("file")],
        **options,
    )


@pytest.fixture
def talk(tmp_path: Path) -> Transcript:
    """Two exchanges."""
    transcript = create(tmp_path / "s.jsonl")
    for message in (user_message("one"), said("1"), user_message("two"), calls("a"), results("a"), said("2")):
        transcript.append_message(message, message_id="" if message.role == "user" else message.text or "call")
    return transcript


def test_nothing_is_on_disk_before_the_first_record(tmp_path: Path) -> None:
    transcript = create(tmp_path / "new" / "s.jsonl")
    assert not transcript.path.exists() and transcript.leaf is None and seen(transcript) == []


def test_the_views_agree_before_any_compaction(talk: Transcript) -> None:
    assert seen(talk) == ["one", "1", "two", "a", "->a", "2"]
    assert screen_view(talk.entries(), talk.leaf) == model_view(talk.entries(), talk.leaf)


def test_after_a_compaction_summary_kept_attachments_and_what_followed(talk: Transcript) -> None:
    view = model_view(talk.entries(), talk.leaf)
    compact(talk, [view[2].uuid, view[5].uuid])
    talk.append_message(user_message("three"))
    assert seen(talk) == ["SUMMARY", "two", "2", "file", "three"]


def test_what_is_kept_can_stand_before_the_summary(talk: Transcript) -> None:
    view = model_view(talk.entries(), talk.leaf)
    compact(talk, [view[0].uuid, view[1].uuid], kept_first=True)
    talk.append_message(user_message("three"))
    assert seen(talk) == ["one", "1", "SUMMARY", "file", "three"]


def test_the_person_still_sees_everything(talk: Transcript) -> None:
    before = shown(talk)
    cut = compact(talk)
    entries = screen_view(talk.entries(), talk.leaf)
    assert [entry.uuid for entry in entries][:6] == before
    assert entries[6] == cut
    assert isinstance(entries[7], MessageEntry) and entries[7].is_compact_summary
    assert isinstance(entries[8], AttachmentEntry)


def test_attachments_reach_the_model_as_messages_that_nobody_typed(talk: Transcript) -> None:
    attached = talk.append_attachment("memory", user_message("remember"))
    last = model_view(talk.entries(), talk.leaf)[-1]
    assert (last.uuid, last.message.text, last.is_meta) == (attached.uuid, "remember", True)


def test_undo_and_redo_of_a_compaction_are_moves_of_the_leaf(talk: Transcript) -> None:
    before = model_view(talk.entries(), talk.leaf)
    cut = compact(talk, [before[2].uuid])
    after = talk.leaf
    compacted = seen(talk)
    talk.move_leaf(cut.logical_parent_uuid)
    assert model_view(talk.entries(), talk.leaf) == before
    talk.move_leaf(after)
    assert seen(talk) == compacted


def test_what_is_said_after_an_undo_follows_the_old_history_even_at_a_kept_message(talk: Transcript) -> None:
    view = model_view(talk.entries(), talk.leaf)
    compact(talk, [view[-1].uuid])
    talk.move_leaf(view[-1].uuid)
    talk.append_message(user_message("instead"))
    expected = ["one", "1", "two", "a", "->a", "2", "instead"]
    assert seen(talk) == expected
    talk.close()
    assert seen(reopen(talk.path)) == expected


def test_rewind_past_a_compaction_and_to_the_very_beginning(talk: Transcript) -> None:
    view = model_view(talk.entries(), talk.leaf)
    compact(talk)
    talk.move_leaf(view[1].uuid)
    assert seen(talk) == ["one", "1"]
    talk.move_leaf(None)
    assert seen(talk) == [] and talk.leaf is None
    talk.append_message(user_message("afresh"))
    talk.close()
    assert seen(reopen(talk.path)) == ["afresh"]


def test_a_rewind_to_nowhere_is_refused_and_changes_nothing(talk: Transcript) -> None:
    size = talk.path.stat().st_size
    with pytest.raises(TranscriptError):
        talk.move_leaf("nobody")
    with pytest.raises(TranscriptError):
        compact(talk, ["nobody"])
    assert talk.path.stat().st_size == size


def test_a_second_compaction_starts_from_the_first_summary(talk: Transcript) -> None:
    first = compact(talk)
    talk.append_message(user_message("three"))
    talk.append_message(said("3"))
    before = seen(talk)
    second = compact(talk)
    assert seen(talk) == ["SUMMARY", "file"]
    talk.move_leaf(second.logical_parent_uuid)
    assert seen(talk) == before == ["SUMMARY", "file", "three", "3"]
    talk.move_leaf(first.logical_parent_uuid)
    assert seen(talk)[0] == "one"


def test_resume_finds_both_views_the_leaf_and_the_metadata(talk: Transcript) -> None:
    talk.append_meta("custom-title", {"customTitle": "old"})
    talk.append_meta("custom-title", {"customTitle": "new"})
    compact(talk, [model_view(talk.entries(), talk.leaf)[-1].uuid])
    talk.append_message(user_message("three"))
    talk.close()
    again = reopen(talk.path)
    assert again.notices == ()
    assert again.leaf == talk.leaf
    assert model_view(again.entries(), again.leaf) == model_view(talk.entries(), talk.leaf)
    assert screen_view(again.entries(), again.leaf) == screen_view(talk.entries(), talk.leaf)
    assert tuple(again.entries()) == tuple(talk.entries())


def test_the_views_are_functions_of_plain_entries_too(talk: Transcript) -> None:
    compact(talk, [model_view(talk.entries(), talk.leaf)[-1].uuid])
    entries = list(talk.entries())
    assert model_view(entries, talk.leaf) == model_view(talk.entries(), talk.leaf)
    assert screen_view(entries, talk.leaf) == screen_view(talk.entries(), talk.leaf)


def test_metadata_stand_at_the_end_of_the_file_after_a_compaction(talk: Transcript) -> None:
    talk.append_meta("custom-title", {"customTitle": "T"})
    talk.append_meta("permission-mode", {"permissionMode": "plan"})
    compact(talk)
    assert [line.split(b'"')[3] for line in talk.path.read_bytes().splitlines()[-2:]] == [
        b"custom-title",
        b"permission-mode",
    ]


def test_a_resume_without_a_prompt_writes_nothing(talk: Transcript) -> None:
    talk.close()
    before = talk.path.read_bytes()
    for _ in range(3):
        again = reopen(talk.path)
        seen(again)
        again.close()
    assert talk.path.read_bytes() == before


def test_usage_is_there_once_for_each_answer(talk: Transcript) -> None:
    talk.append_message(said("x"), usage=Usage(input=7), message_id="m")
    usages = [
        entry.usage
        for entry in screen_view(talk.entries(), talk.leaf)
        if isinstance(entry, MessageEntry) and entry.usage
    ]
    assert usages == [Usage(input=7)]


def test_memory_holds_what_the_model_sees(talk: Transcript) -> None:
    view = model_view(talk.entries(), talk.leaf)
    compact(talk, [view[0].uuid])
    assert talk.entries().live == 4  # with the boundary
    assert len(screen_view(talk.entries(), talk.leaf)) == 9
    assert talk.entries().live == 4
    talk.close()
    again = reopen(talk.path)
    assert again.entries().live == 0
    assert len(model_view(again.entries(), again.leaf)) == again.entries().live == 3


def test_a_lost_summary_brings_the_history_back(talk: Transcript) -> None:
    compact(talk)
    talk.append_message(user_message("three"))
    talk.close()
    lines = talk.path.read_bytes().splitlines(keepends=True)
    at = next(place for place, line in enumerate(lines) if b"isCompactSummary" in line)
    lines[at] = b"#" * 40 + b"\n"
    talk.path.write_bytes(b"".join(lines))
    again = reopen(talk.path)
    assert seen(again) == ["one", "1", "two", "a", "->a", "2", "file", "three"]
    assert len(again.notices) == 2
