"""The list of sessions: titles, first prompts, order; and finding one by its id."""

import json
import os
from pathlib import Path

import pytest

from agent.protocol.errors import SessionNotFound
from agent.protocol.messages import Message, user_message
from agent.transcript.catalog import find_session, latest_session, list_sessions
from tests.unit.transcript.transcript_support import assistant, create, results, said, user, write


def session(path: Path, *messages: Message, mtime: int = 0, title: str = "") -> Path:
    """A session with these messages."""
    transcript = create(path)
    for message in messages:
        transcript.append_message(message, is_meta=message.text.startswith("meta"))
    if title:
        transcript.append_meta("custom-title", {"customTitle": title})
    transcript.close()
    if mtime:
        os.utime(path, (mtime, mtime))
    return path


def test_newest_first_with_title_first_prompt_and_place(tmp_path: Path) -> None:
    session(tmp_path / "old.jsonl", user_message("old prompt"), said("x"), mtime=1_000)
    session(
        tmp_path / "new.jsonl",
        user_message("meta"),
        results("t"),
        user_message("  real\nprompt "),
        mtime=2_000,
        title="Mine",
    )
    new, old = list_sessions(tmp_path)
    assert (new.id, new.title, new.first_prompt, new.messages) == ("new", "Mine", "real\nprompt", 3)
    assert (old.id, old.title, old.first_prompt, old.messages, old.cwd) == ("old", "", "old prompt", 2, str(tmp_path))
    assert old.size == old.path.stat().st_size and old.mtime.timestamp() == 1_000
    assert latest_session(tmp_path) == new.path


def test_traces_of_commands_and_summaries_are_no_prompts_and_own_titles_win(tmp_path: Path) -> None:
    write(
        tmp_path / "s.jsonl",
        {"type": "summary", "summary": "Old", "leafUuid": "a"},
        {"type": "custom-title", "customTitle": "Own"},
        user("u0", None, isMeta=True),
        user("u1", "u0", "<command-name>/clear</command-name>"),
        user("u2", "u1", "<local-command-stdout></local-command-stdout>"),
        user("u3", "u2", isCompactSummary=True),
        user("u4", "u3", "hello"),
        assistant("a", "u4"),
        {"type": "ai-title", "aiTitle": "Guessed"},
    )
    (info,) = list_sessions(tmp_path)
    assert (info.title, info.first_prompt) == ("Own", "hello")


def test_a_title_at_the_end_of_a_large_session_is_found(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    transcript.append_message(user_message("first"))
    transcript.append_meta("custom-title", {"customTitle": "early"})
    for _ in range(300):
        transcript.append_message(said("x" * 500))
    transcript.append_meta("custom-title", {"customTitle": "late"})
    transcript.close()
    assert list_sessions(tmp_path)[0].title == "late"


def test_empty_broken_and_other_files_are_no_sessions(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "folder.jsonl").mkdir()
    write(tmp_path / "garbage.jsonl", b"\xff\x00{")
    assert list_sessions(tmp_path) == [] and latest_session(tmp_path) is None
    assert list_sessions(tmp_path / "nowhere") == []


def test_a_session_is_found_in_the_first_folder_that_has_it(tmp_path: Path) -> None:
    session(tmp_path / "b" / "same.jsonl", user_message("b"))
    session(tmp_path / "c" / "same.jsonl", user_message("c"))
    folders = [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    assert find_session(folders, "same") == tmp_path / "b" / "same.jsonl"


@pytest.mark.parametrize("name", ["gone", "", "../b/same", "/etc/passwd", "a\nb"])
def test_what_is_no_session_is_said(name: str, tmp_path: Path) -> None:
    session(tmp_path / "b" / "same.jsonl", user_message("b"))
    with pytest.raises(SessionNotFound) as missing:
        find_session([tmp_path / "a", tmp_path / "b"], name)
    assert missing.value.what == f"No conversation found with session ID: {name}"


def test_a_title_is_found_wherever_it_stands(tmp_path: Path) -> None:
    transcript = create(tmp_path / "s.jsonl")
    for number in range(700):
        transcript.append_message(said(f"{number} " + "x" * 2_000))
        if number == 350:
            transcript.append_meta("custom-title", {"customTitle": "in the middle"})
    transcript.append_message(user_message('no title: {"type":"custom-title","customTitle":"quoted"}'))
    transcript.close()
    (info,) = list_sessions(tmp_path)
    assert (info.title, info.messages) == ("in the middle", 701)


def test_what_cannot_be_looked_at_hides_no_session(tmp_path: Path) -> None:
    session(tmp_path / "good.jsonl", user_message("here"))
    (tmp_path / "nowhere.jsonl").symlink_to(tmp_path / "gone")
    write(tmp_path / "list.jsonl", b'[{"type":"user"}]\n')
    assert [info.first_prompt for info in list_sessions(tmp_path) if info.first_prompt] == ["here"]
    assert latest_session(tmp_path) is not None


def test_a_session_that_another_tool_wrote_with_blanks_is_one_too(tmp_path: Path) -> None:
    records = [
        user("u", None, "hello"),
        assistant("a", "u"),
        {"type": "custom-title", "customTitle": "Mine", "sessionId": "s"},
    ]
    (tmp_path / "s.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    (info,) = list_sessions(tmp_path)
    assert (info.title, info.first_prompt, info.messages) == ("Mine", "hello", 2)
    assert latest_session(tmp_path) == info.path
