"""A full disk, a killed process, a second writer, a lost file: nothing is lost but the record in flight, and it is said."""

import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.protocol.errors import SessionBusy, SessionNotFound, TranscriptError
from agent.protocol.messages import user_message
from agent.transcript.entries import CompactBoundary
from agent.transcript.store import Store
from agent.transcript.transcript import Transcript
from agent.transcript.view import screen_view
from tests.unit.transcript.transcript_support import create, fork, reopen, said, seen

WRITER = """
import sys
from pathlib import Path
from agent.protocol.messages import user_message
from tests.unit.transcript.transcript_support import create, fork, reopen, said
path = Path(sys.argv[1])
transcript = reopen(path, sys.argv[2]) if path.exists() else create(path, sys.argv[2])
print("ready", flush=True)
at = 0
while True:
    if at % 40 == 39:
        transcript.mark_boundary(trigger="auto", pre_tokens=2, post_tokens=1, summary=user_message(f"summary {at}"), kept=[],
                                 attachments=[user_message("file " + "x" * 5000)])
    transcript.append_message(user_message(f"{at} " + "x" * 500) if at % 2 == 0 else said(f"{at}"))
    print(transcript.leaf, flush=True)
    at += 1
"""


@pytest.fixture
def file_limit() -> Iterator[None]:
    """What a test does to the file size limit ends with it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def limit(size: int) -> None:
    """No file of this process may grow beyond `size` bytes: writes come back short, then fail, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def compact(transcript: Transcript) -> CompactBoundary:
    """A compaction."""
    return transcript.mark_boundary(
        trigger="auto",
        pre_tokens=2,
        post_tokens=1,
        summary=user_message("sum"),
        kept=[],
        attachments=[user_message("file")],
    )


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    chance = random.Random(7)
    acknowledged: list[str] = []
    for life in range(6):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), f"life{life}"], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        seen_already = [child.stdout.readline() for _ in range(chance.randrange(80))]
        time.sleep(chance.uniform(0.0, 0.01))
        child.send_signal(signal.SIGKILL)
        told, _ = child.communicate()
        acknowledged += [
            line.strip() for line in (*seen_already, *told.splitlines(keepends=True)) if line.endswith("\n")
        ]
        transcript = reopen(path, f"check{life}") if path.exists() else None
        if transcript is not None:
            screen = {entry.uuid for entry in screen_view(transcript.entries(), transcript.leaf)}
            assert set(acknowledged) <= screen
            transcript.close()
    assert len(acknowledged) > 20


@pytest.mark.parametrize("room", [0, 1, 100, 400, 700, 1100])
def test_a_full_disk_at_any_point_of_a_write_changes_nothing(room: int, tmp_path: Path, file_limit: None) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message("one"))
    before, view, leaf = transcript.path.read_bytes(), seen(transcript), transcript.leaf
    limit(len(before) + room)
    for write in (lambda: transcript.append_message(user_message("two " + "x" * 1200)), lambda: compact(transcript)):
        with pytest.raises(TranscriptError) as failed:
            write()
        assert failed.value.line == (
            "Not saved: the disk is full. Everything before it is on record. Free some space and try again."
        )
        assert (seen(transcript), transcript.leaf) == (view, leaf)
        assert transcript.path.read_bytes() == before
    limit(resource.RLIM_INFINITY)
    transcript.append_message(said("three"))
    compact(transcript)
    transcript.append_message(user_message("four"))
    transcript.close()
    assert all(json.loads(line) for line in transcript.path.read_bytes().splitlines())
    again = reopen(transcript.path)
    assert again.notices == () and seen(again) == ["sum", "file", "four"]


def test_a_first_record_that_does_not_fit_can_be_tried_again(tmp_path: Path, file_limit: None) -> None:
    transcript = create(tmp_path / "s.jsonl")
    limit(10)
    with pytest.raises(TranscriptError):
        transcript.append_message(user_message("one"))
    limit(resource.RLIM_INFINITY)
    transcript.append_message(user_message("one"))
    transcript.close()
    assert seen(reopen(transcript.path)) == ["one"]


def test_a_device_without_space_says_so() -> None:
    store = Store(Path("/dev/full"))
    store.open(create=False)
    with pytest.raises(TranscriptError, match="disk is full"):
        store.append(b"{}\n")
    store.close()


def test_a_folder_in_the_files_place_says_so(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").mkdir()
    with pytest.raises(TranscriptError):
        reopen(tmp_path / "s.jsonl")
    with pytest.raises(TranscriptError):
        create(tmp_path / "s.jsonl").append_message(user_message("one"))
    (tmp_path / "file").write_text("")
    with pytest.raises(TranscriptError, match="cannot be made: File exists"):
        create(tmp_path / "file" / "s.jsonl").append_message(user_message("one"))


def test_a_boundary_cut_off_at_any_byte_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message("one"))
    transcript.append_message(said("1"))
    old = transcript.path.stat().st_size
    compact(transcript)
    transcript.close()
    whole = transcript.path.read_bytes()
    for size in [*range(old, len(whole), 37), len(whole) - 2, len(whole) - 1, len(whole)]:
        path = tmp_path / "cut" / f"{size}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(whole[:size])
        again = reopen(path)
        assert seen(again) == (["sum", "file"] if size >= len(whole) - 1 else ["one", "1"])
        again.append_message(user_message("next"))
        after = seen(again)
        again.close()
        last = reopen(path)
        assert seen(last) == after and after[-1] == "next"
        last.close()


def test_a_second_process_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "a"], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    )
    try:
        assert child.stdout is not None
        child.stdout.readline()
        child.stdout.readline()
        with pytest.raises(SessionBusy) as busy:
            reopen(path)
        assert "--fork-session" in busy.value.line
    finally:
        child.kill()
        child.communicate()
    transcript = reopen(path)
    assert seen(transcript)
    transcript.close()


def test_a_session_in_use_can_be_forked(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message("one"))
    copy = fork(transcript.path, tmp_path / "copy.jsonl")
    copy.append_message(said("there"))
    transcript.append_message(said("here"))
    assert (seen(copy), seen(transcript)) == (["one", "there"], ["one", "here"])


def test_files_are_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        transcript = create(tmp_path / "a" / "b" / "s.jsonl")
        transcript.append_message(user_message("one"))
    finally:
        os.umask(old)
    assert stat.S_IMODE(transcript.path.stat().st_mode) == 0o600
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700, 0o700]


def test_a_session_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        reopen(tmp_path / "nobody.jsonl")


def test_a_new_session_never_overwrites_an_old_one(tmp_path: Path) -> None:
    first = create(tmp_path / "s.jsonl")
    first.append_message(user_message("one"))
    with pytest.raises(TranscriptError, match="already recorded"):
        create(first.path).append_message(user_message("two"))
    assert seen(first) == ["one"]


def test_a_closed_session_can_still_be_read(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message("one"))
    compact(transcript)
    transcript.close()
    assert len(screen_view(transcript.entries(), transcript.leaf)) == 4


def test_a_copy_that_fails_leaves_nothing_behind(tmp_path: Path, file_limit: None) -> None:
    source = create(tmp_path / "source.jsonl")
    source.append_message(user_message("x" * 5_000))
    limit(1_000)
    with pytest.raises(TranscriptError, match="Not saved"):
        fork(tmp_path / "source.jsonl", tmp_path / "copy.jsonl")
    assert not (tmp_path / "copy.jsonl").exists()
    source.close()
