"""The states of files that are kept: each once, by time, through torn journals and lost copies; and how they are put back."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent.file_history.restore import changes, in_words, put_back
from agent.file_history.snapshots import JOURNAL, MAX_SNAPSHOTS, FileHistory, Saved, first_since, replaced_by_rewind
from agent.protocol.errors import FilesError


class Ticking:
    """A clock that moves one second with every look."""

    def __init__(self) -> None:
        self._at = datetime(2030, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self._at += timedelta(seconds=1)
        return self._at

    def monotonic(self) -> float:
        return self._at.timestamp()


@pytest.fixture
def history(tmp_path: Path) -> FileHistory:
    return FileHistory(tmp_path / "history" / "s", Ticking())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = Path(os.path.realpath(tmp_path)) / "a.txt"
    path.write_text("0")
    return path


def edited(history: FileHistory, file: Path, *contents: str) -> None:
    for content in contents:
        history.keep(file)
        file.write_text(content)


def test_nothing_is_made_before_something_is_kept(history: FileHistory, tmp_path: Path) -> None:
    assert history.saved() == ()
    assert not (tmp_path / "history").exists()


def test_the_state_at_a_moment_is_the_first_that_was_kept_from_then_on(history: FileHistory, file: Path) -> None:
    edited(history, file, "1", "2", "3")
    states = history.saved()
    assert [history.content(saved) for saved in states] == [b"0", b"1", b"2"]
    for saved in states:
        assert first_since(states, saved.backup_time) == (saved,)
    assert first_since(states, "") == states[:1]
    assert first_since(states, "2031") == ()


def test_a_file_that_was_not_there_is_removed_and_one_that_is_gone_comes_back(history: FileHistory, file: Path) -> None:
    new = file.with_name("new.txt")
    edited(history, new, "made")
    edited(history, file, "1")
    file.unlink()
    planned = changes(history, first_since(history.saved(), ""))
    assert list(in_words(planned, file.parent)) == ["remove new.txt", "recreate a.txt"]
    assert put_back(history, planned, "leaf").skipped == ()
    assert (new.exists(), file.read_text()) == (False, "0")
    back = changes(history, replaced_by_rewind(history.saved(), "leaf"))
    assert list(in_words(back, file.parent)) == ["recreate new.txt", "remove a.txt"]


def test_what_is_as_it_was_is_no_change_but_a_mode_is(history: FileHistory, file: Path) -> None:
    file.chmod(0o640)
    edited(history, file, "1", "0")
    assert changes(history, first_since(history.saved(), "")) == ()
    file.chmod(0o600)
    put_back(history, changes(history, first_since(history.saved(), "")), "leaf")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_equal_states_share_a_copy_and_of_many_the_first_and_the_last_are_kept(
    history: FileHistory, file: Path
) -> None:
    edited(history, file, *[str(number % 2) for number in range(10)])
    assert len({saved.backup_file_name for saved in history.saved()}) == 2
    edited(history, file, *[str(number) for number in range(2 * MAX_SNAPSHOTS)])
    states = history.saved()
    assert history.content(states[0]) == b"0"
    assert all(history.content(saved) is not None for saved in states[-MAX_SNAPSHOTS:])
    with pytest.raises(FilesError, match="is gone"):
        history.content(states[-MAX_SNAPSHOTS - 20])
    assert len(list((file.parent / "history" / "s").iterdir())) <= MAX_SNAPSHOTS + 3


def test_a_torn_journal_costs_one_entry(history: FileHistory, file: Path) -> None:
    edited(history, file, "1", "2")
    journal = file.parent / "history" / "s" / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-20])
    edited(history, file, "3")
    assert [history.content(saved) for saved in history.saved()] == [b"0", b"2"]


def test_a_lost_copy_leaves_the_file_alone(history: FileHistory, file: Path) -> None:
    edited(history, file, "1")
    (saved,) = history.saved()
    assert saved.backup_file_name is not None
    (file.parent / "history" / "s" / saved.backup_file_name).unlink()
    outcome = put_back(history, changes(history, [saved]), "leaf")
    assert outcome.done == () and "is gone" in outcome.skipped[0][1]
    assert file.read_text() == "1"


def test_what_cannot_be_kept_is_noted_and_stops_nobody(tmp_path: Path, file: Path) -> None:
    (tmp_path / "blocked").write_text("a file in the folder's place")
    history = FileHistory(tmp_path / "blocked" / "s", Ticking())
    history.keep(file)
    assert list(history.missed) == [str(file)]
    outcome = put_back(history, changes(history, [saved_like(file)]), "leaf")
    assert outcome.done == () and file.read_text() == "0"


def test_a_name_that_cannot_be_written_down_is_noted(history: FileHistory, file: Path) -> None:
    odd = file.with_name(os.fsdecode(b"a\xff"))
    odd.write_text("x")
    history.keep(odd)
    assert list(history.missed) == [str(odd)]
    assert history.saved() == ()


def saved_like(file: Path) -> Saved:
    return Saved(path=str(file), backup_file_name=None, mode=0, backup_time="2030")


def test_a_copy_of_a_session_has_the_states_too_and_adds_its_own(history: FileHistory, file: Path) -> None:
    edited(history, file, "1")
    twin = FileHistory(file.parent / "history" / "twin", Ticking())
    twin.inherit(file.parent / "history" / "s")
    assert twin.saved() == history.saved()
    edited(twin, file, "2")
    assert (len(twin.saved()), len(history.saved())) == (2, 1)
    twin.inherit(file.parent / "history" / "nowhere")
    assert len(twin.saved()) == 2


def test_odd_files_are_left_alone(history: FileHistory, file: Path) -> None:
    edited(history, file, "1")
    planned = changes(history, history.saved())
    os.link(file, file.with_name("other"))
    assert put_back(history, planned, "leaf").skipped == ((file, "it has other hard links"),)
    file.unlink()
    file.mkdir()
    assert put_back(history, planned, "leaf").skipped == ((file, "it is no plain file now"),)
    history.keep(file)
    assert str(file) in history.missed
