"""Pruning: only what is old, never what a process holds, never anything but a session's own files."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent.protocol.errors import SessionBusy, TranscriptError
from agent.protocol.messages import user_message
from agent.transcript.prune import remove_session, stale_sessions
from tests.unit.transcript.transcript_support import create, reopen

NOW = datetime.now(UTC)
BEFORE = NOW - timedelta(days=30)


def session(path: Path, *, days: float) -> Path:
    """A session that was last written `days` before NOW."""
    transcript = create(path)
    transcript.append_message(user_message(f"prompt of {path.stem}"))
    transcript.close()
    moment = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (moment, moment))
    return path


def test_only_what_is_older_is_stale_oldest_first_with_what_belongs_to_it(tmp_path: Path) -> None:
    old, older = session(tmp_path / "old.jsonl", days=31), session(tmp_path / "older.jsonl", days=60)
    session(tmp_path / "young.jsonl", days=29)
    results = tmp_path / "older" / "tool-results"
    results.mkdir(parents=True)
    (results / "t1").write_text("x" * 1000)
    found = stale_sessions([tmp_path, tmp_path / "nowhere"], BEFORE)
    assert [stale.path for stale in found] == [older, old]
    assert found[0].size == older.stat().st_size + 1000
    assert found[0].title == "prompt of older"


def test_sessions_of_one_moment_stand_by_their_names(tmp_path: Path) -> None:
    sessions = [session(tmp_path / f"{name}.jsonl", days=60) for name in "qwerty"]
    assert [stale.path for stale in stale_sessions([tmp_path], BEFORE)] == sorted(sessions)


def test_what_is_no_session_file_is_never_stale(tmp_path: Path) -> None:
    elsewhere = session(tmp_path / "elsewhere" / "s.jsonl", days=60)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(elsewhere)
    (folder / "dir.jsonl").mkdir()
    (folder / "notes.txt").write_text("mine")
    os.utime(folder / "notes.txt", (0, 0))
    assert stale_sessions([folder], BEFORE) == ()


def test_removal_takes_the_session_its_folder_and_what_is_beside_it(tmp_path: Path) -> None:
    path = session(tmp_path / "a" / "s.jsonl", days=60)
    neighbour = session(tmp_path / "a" / "s2.jsonl", days=60)
    (tmp_path / "a" / "s" / "tool-results").mkdir(parents=True)
    beside = tmp_path / "file-history" / "s"
    beside.mkdir(parents=True)
    (beside / "copy").write_text("x")
    remove_session(path, BEFORE, beside=[beside, tmp_path / "file-history" / "gone"])
    assert [item.name for item in (tmp_path / "a").iterdir()] == [neighbour.name]
    assert not beside.exists()


def test_a_link_in_the_folder_s_place_is_cut_and_not_followed(tmp_path: Path) -> None:
    path = session(tmp_path / "a" / "s.jsonl", days=60)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "work").write_text("mine")
    (tmp_path / "a" / "s").symlink_to(precious)
    remove_session(path, BEFORE)
    assert (precious / "work").read_text() == "mine"
    assert list((tmp_path / "a").iterdir()) == []


def test_a_session_that_is_open_stays(tmp_path: Path) -> None:
    path = session(tmp_path / "s.jsonl", days=60)
    writer = reopen(path)
    moment = (NOW - timedelta(days=60)).timestamp()
    os.utime(path, (moment, moment))
    assert [stale.busy for stale in stale_sessions([tmp_path], BEFORE)] == [True]
    with pytest.raises(SessionBusy):
        remove_session(path, BEFORE)
    writer.append_message(user_message("still here"))
    writer.close()
    with pytest.raises(TranscriptError, match="written meanwhile"):
        remove_session(path, BEFORE)
    assert path.exists()
