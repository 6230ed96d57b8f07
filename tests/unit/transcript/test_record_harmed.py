"""What others do to the file of a running session: whatever is in memory or still reachable goes on record again, and it is said."""

import shutil
from pathlib import Path

import pytest

from agent.protocol.errors import SessionBusy, TranscriptError
from agent.protocol.messages import user_message
from agent.transcript.entries import CompactBoundary
from agent.transcript.transcript import Transcript
from agent.transcript.view import screen_view
from tests.unit.transcript.transcript_support import create, reopen, said, seen


def compact(transcript: Transcript, kept: list[str]) -> CompactBoundary:
    return transcript.mark_boundary(
        trigger="auto", pre_tokens=2, post_tokens=1, summary=user_message("sum"), kept=kept, attachments=[]
    )


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    """Three messages, the last one kept by a compaction, and one after it."""
    transcript = create(tmp_path / "folder" / "s.jsonl")
    transcript.append_message(user_message("one"))
    transcript.append_message(said("two"))
    kept = transcript.append_message(user_message("three"))
    transcript.append_meta("custom-title", {"customTitle": "named"})
    compact(transcript, [kept.uuid])
    transcript.append_message(said("four"))
    return transcript


def resumed(transcript: Transcript) -> Transcript:
    transcript.close()
    return reopen(transcript.path)


def test_a_deleted_file_is_written_again_whole(transcript: Transcript) -> None:
    before = transcript.path.read_bytes()
    transcript.path.unlink()
    transcript.append_message(user_message("five"))
    assert transcript.path.read_bytes().startswith(before)
    assert transcript.path.stat().st_mode & 0o777 == 0o600
    assert transcript.news() == (
        f"The record of this session was deleted while it ran; it is written again at {transcript.path}.",
    )
    assert transcript.news() == ()
    with pytest.raises(SessionBusy):
        reopen(transcript.path)
    assert seen(transcript) == seen(resumed(transcript)) == ["sum", "three", "four", "five"]


def test_its_folder_may_be_gone_too(transcript: Transcript) -> None:
    before = transcript.path.read_bytes()
    shutil.rmtree(transcript.path.parent)
    transcript.append_message(user_message("five"))
    assert transcript.path.read_bytes().startswith(before)


def test_what_took_its_place_is_set_aside(transcript: Transcript) -> None:
    before = transcript.path.read_bytes()
    other = transcript.path.with_name("new")
    other.write_text("somebody's work")
    other.replace(transcript.path)
    transcript.append_message(user_message("five"))
    assert transcript.path.with_name("s.jsonl.replaced").read_text() == "somebody's work"
    assert transcript.path.read_bytes().startswith(before)
    assert "s.jsonl.replaced now" in transcript.news()[0]


def test_where_it_cannot_be_written_again_the_words_are_in_memory(transcript: Transcript, tmp_path: Path) -> None:
    shutil.rmtree(transcript.path.parent)
    transcript.path.parent.write_text("in the way")
    with pytest.raises(TranscriptError) as caught:
        transcript.append_message(user_message("five"))
    assert caught.value.safe == "What was said is still in memory."
    assert len(screen_view(transcript.entries(), transcript.leaf)) == 6
    transcript.path.parent.unlink()
    transcript.append_message(user_message("five"))
    assert seen(resumed(transcript)) == ["sum", "three", "four", "five"]


@pytest.mark.parametrize("lines", [0, 1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("more", [0, 20])
def test_a_file_cut_short_gets_back_what_the_model_sees(transcript: Transcript, lines: int, more: int) -> None:
    before = transcript.path.read_bytes().splitlines(keepends=True)
    assert len(before) == 8
    with transcript.path.open("r+b") as file:
        file.truncate(len(b"".join(before[:lines])) + more)
    transcript.append_message(user_message("five"))
    (told,) = transcript.news()
    assert told.startswith("The record of this session was cut short by something else: ")
    assert ("older record" in told) == (lines < 7)  # the title too
    assert seen(transcript) == ["sum", "three", "four", "five"]
    again = resumed(transcript)
    assert seen(again) == ["sum", "three", "four", "five"]
    screen_view(again.entries(), again.leaf)
    compact(again, [])
    assert seen(again) == ["sum"]


def test_deleted_and_cut_short_at_once(transcript: Transcript) -> None:
    transcript.path.write_bytes(b"")
    transcript.path.unlink()
    transcript.append_message(user_message("five"))
    assert len(transcript.news()) == 2
    assert seen(resumed(transcript)) == ["sum", "three", "four", "five"]


def test_what_is_lost_is_no_stumbling_block(transcript: Transcript) -> None:
    transcript.path.write_bytes(b"")
    assert len(screen_view(transcript.entries(), transcript.leaf)) == 6  # before anybody has noticed
    transcript.append_message(user_message("five"))
    screen_view(transcript.entries(), transcript.leaf)
    compact(transcript, [])
    transcript.append_meta("custom-title", {"customTitle": "again"})
    assert seen(resumed(transcript)) == ["sum"]


def test_a_line_that_another_program_left_open_does_not_swallow_the_next_record(transcript: Transcript) -> None:
    with transcript.path.open("ab") as file:
        file.write(b"a hook was here")
    transcript.append_message(user_message("five"))
    assert transcript.news() == ()
    assert seen(resumed(transcript)) == ["sum", "three", "four", "five"]
