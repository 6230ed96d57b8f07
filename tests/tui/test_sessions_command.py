"""`ccagent sessions`: list, show, export and prune, as processes."""

import json
import os
import pty
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.protocol.messages import Message, user_message
from agent.settings.paths import Places
from tests.support.ccagent import COMMAND, ccagent
from tests.support.patience import PATIENCE
from tests.unit.transcript.transcript_support import Transcript, calls, create, reopen, results, said

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202efdp.exe"
OLD = time.time() - 40 * 86_400


def recorded(cwd: Path, name: str, *messages: Message, title: str = "", age: float = 0.0) -> Transcript:
    """A closed session of `cwd`; `age` is its mtime, now unless given."""
    transcript = create(Places.resolve(cwd, os.environ).sessions_dir / f"{name}.jsonl", name)
    for message in messages or (user_message(f"prompt of {name}"), said("an answer")):
        transcript.append_message(message)
    if title:
        transcript.append_meta("custom-title", {"customTitle": title})
    transcript.close()
    if age:
        os.utime(transcript.path, (age, age))
    return transcript


def test_the_list_names_titles_newest_first(tmp_path: Path) -> None:
    recorded(tmp_path, "first", age=OLD)
    recorded(tmp_path, "second", title=f"Mine {HOSTILE}")
    rows = ccagent("sessions", "list", cwd=tmp_path).out.splitlines()
    assert [row.split()[0] for row in rows] == ["second", "first"]
    assert rows[0].endswith("2 messages  Mine \ufffdfdp.exe")
    assert rows[1].endswith("prompt of first")
    assert ccagent("sessions", cwd=tmp_path).out.splitlines() == rows


def test_the_list_as_json(tmp_path: Path) -> None:
    recorded(tmp_path, "first", title="Mine")
    (info,) = json.loads(ccagent("sessions", "list", "--json", cwd=tmp_path).out)
    assert (info["id"], info["title"], info["first_prompt"], info["messages"]) == (
        "first",
        "Mine",
        "prompt of first",
        2,
    )
    assert Path(info["path"]).is_file()
    assert info["cwd"] == str(Places.resolve(tmp_path, os.environ).sessions_dir)


def test_show_reads_through_compactions_and_steers_no_terminal(tmp_path: Path) -> None:
    transcript = recorded(tmp_path, "long-one", user_message("before"), calls("t1"), results("t1"), said(HOSTILE))
    transcript = reopen(transcript.path)
    transcript.mark_boundary(
        trigger="manual", pre_tokens=900, post_tokens=80, summary=user_message("SUM"), kept=(), attachments=()
    )
    transcript.append_message(user_message("after"))
    transcript.close()
    shown = ccagent("sessions", "show", "long", cwd=tmp_path)  # the beginning of its id
    assert (shown.code, shown.err) == (0, "")
    for part in (
        "> before",
        "* Read",
        "  | result of t1",
        "Conversation compacted (manual): 900 → 80 tokens",
        "> after",
    ):
        assert part in shown.out
    assert "\x1b" not in shown.out and "\u202e" not in shown.out
    assert ccagent("sessions", "show", str(transcript.path), cwd=tmp_path).out == shown.out


def test_damage_is_told_on_stderr_and_the_rest_is_shown(tmp_path: Path) -> None:
    transcript = recorded(tmp_path, "first", user_message("one"), said("two"))
    with transcript.path.open("ab") as file:
        file.write(b'{"type":"user","uuid":"x","mess')
    shown = ccagent("sessions", "show", "first", cwd=tmp_path)
    assert shown.err == "Transcript: the last record was cut off while it was saved; everything before it is there.\n"
    assert "> one" in shown.out and "two" in shown.out


@pytest.mark.parametrize(("name", "beginning"), [("x.md", "# prompt of first"), ("x.txt", "prompt of first\nSession")])
def test_export_to_a_file_follows_its_suffix_and_never_overwrites(tmp_path: Path, name: str, beginning: str) -> None:
    recorded(tmp_path, "first")
    done = ccagent("sessions", "export", "first", name, cwd=tmp_path)
    target = tmp_path / name
    assert (done.code, done.out, done.err) == (0, "", f"Exported to {target}\n")
    assert target.read_text().startswith(beginning)
    assert target.stat().st_mode & 0o777 == 0o600
    again = ccagent("sessions", "export", "first", name, cwd=tmp_path)
    assert (again.code, again.err) == (
        2,
        f"ccagent: {target} exists already. It was left as it is. Choose another name.\n",
    )


def test_export_to_standard_output(tmp_path: Path) -> None:
    recorded(tmp_path, "first")
    whole = json.loads(ccagent("sessions", "export", "first", "--format", "json", cwd=tmp_path).out)
    assert [entry["type"] for entry in whole["entries"]] == ["user", "assistant"]
    assert ccagent("sessions", "export", "first", cwd=tmp_path).out.startswith("# prompt of first")
    assert "> prompt of first" in ccagent("sessions", "export", "first", "--format=text", cwd=tmp_path).out


def test_a_claude_code_session_is_found_by_its_id(tmp_path: Path) -> None:
    transcript = recorded(tmp_path, "theirs")
    theirs = Path(os.environ["HOME"]) / ".claude" / "projects" / "-p" / "theirs.jsonl"
    theirs.parent.mkdir(parents=True)
    transcript.path.rename(theirs)
    assert "> prompt of theirs" in ccagent("sessions", "show", "theirs", cwd=tmp_path).out
    assert ccagent("sessions", "list", "--all", cwd=tmp_path).out == "No sessions yet.\n"
    assert ccagent("sessions", "--claude", "--all", cwd=tmp_path).out.startswith("theirs ")
    assert ccagent("sessions", "--claude", cwd=tmp_path).out == "No sessions yet.\n"
    theirs.parent.rename(theirs.parent.with_name(Places.resolve(tmp_path, os.environ).sessions_dir.name))
    assert ccagent("sessions", "--claude", cwd=tmp_path).out.startswith("theirs ")


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("show", "nobody"), 1, "ccagent: No conversation found with session ID: nobody"),
        (("show", "x/y.jsonl"), 1, "ccagent: There is no transcript "),
        (("show", "firs"), 2, "ccagent: 2 sessions begin with firs. Say more of one: first-a, first-b"),
        (("export", "first-a", "x.pdf"), 2, "ccagent: x.pdf ends in no format we write."),
        (("export", "first-a", "no/such/x.md"), 1, "ccagent: There is no folder "),
        (("prune", "--older-than", "soon"), 2, "ccagent sessions prune: error: argument --older-than: 'soon' is not"),
    ],
)
def test_what_cannot_be_done_is_one_plain_line(tmp_path: Path, words: tuple[str, ...], code: int, line: str) -> None:
    recorded(tmp_path, "first-a")
    recorded(tmp_path, "first-b")
    ran = ccagent("sessions", *words, cwd=tmp_path)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.splitlines()[-1].startswith(line)


@pytest.mark.parametrize("verb", ["", "list", "show", "export", "prune"])
def test_each_verb_has_its_help(tmp_path: Path, verb: str) -> None:
    ran = ccagent("sessions", *verb.split(), "--help", cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith(f"usage: ccagent sessions {verb}".rstrip())


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    recorded(tmp_path, "first", *[said("x" * 2_000)] * 200)
    child = subprocess.Popen(
        [*COMMAND, "sessions", "show", "first"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None and child.stderr is not None
    child.stdout.read(10)
    child.stdout.close()
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait(30) in (0, 1)  # 0 where the kernel takes the last write for done


# ---- prune


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Path]:
    """A folder with an old session, an old one that a process holds, and a young one."""
    recorded(tmp_path, "old", age=OLD)
    held = reopen(recorded(tmp_path, "held").path)
    os.utime(held.path, (OLD, OLD))
    recorded(tmp_path, "young")
    yield tmp_path
    held.close()


def standing(cwd: Path) -> set[str]:
    """The sessions that are there."""
    return {path.stem for path in Places.resolve(cwd, os.environ).sessions_dir.glob("*.jsonl")}


def test_a_dry_run_says_what_would_go_and_removes_nothing(shelf: Path) -> None:
    ran = ccagent("sessions", "prune", "--dry-run", cwd=shelf)
    assert ran.code == 0
    held, old, verdict = sorted(ran.out.splitlines())[1:] + sorted(ran.out.splitlines())[:1]
    assert held.startswith("held") and held.endswith("(in use: stays)")
    assert old.startswith("old") and old.endswith("prompt of old")
    assert verdict.startswith("Would remove 1 session (")
    assert standing(shelf) == {"old", "held", "young"}


def test_without_a_terminal_nothing_goes_unless_it_is_said(shelf: Path) -> None:
    ran = ccagent("sessions", "prune", cwd=shelf, stdin="y\n")
    assert (ran.code, ran.err) == (
        1,
        "Nothing was removed: nobody is there to ask. --yes removes without a question.\n",
    )
    assert standing(shelf) == {"old", "held", "young"}
    assert ccagent("sessions", "prune", "--yes", cwd=shelf).code == 0
    assert standing(shelf) == {"held", "young"}
    again = ccagent("sessions", "prune", "--yes", cwd=shelf)
    assert again.out.splitlines()[-1] == "Nothing to remove: no session is unused for 30 days."


@pytest.mark.parametrize(("key", "left"), [(b"y\n", {"held", "young"}), (b"\n", {"old", "held", "young"})])
def test_on_a_terminal_it_asks_and_no_is_the_default(shelf: Path, key: bytes, left: set[str]) -> None:
    mine, theirs = pty.openpty()
    child = subprocess.Popen([*COMMAND, "sessions", "prune"], cwd=shelf, stdin=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    os.write(mine, key)
    said_, _ = child.communicate(timeout=PATIENCE)
    os.close(mine)
    assert b"Remove 1 session (" in said_ and b"for good? [y/N]" in said_
    assert standing(shelf) == left
    assert child.returncode == (0 if key == b"y\n" else 1)


def test_the_limit_is_the_setting_or_the_option_and_the_scope_is_this_folder(shelf: Path) -> None:
    elsewhere = shelf / "elsewhere"
    elsewhere.mkdir()
    assert ccagent("sessions", "prune", "--older-than", "50", cwd=shelf).out.startswith("Nothing to remove")
    assert ccagent("sessions", "prune", "--dry-run", cwd=elsewhere).out.startswith("Nothing to remove")
    assert "Would remove 1 session" in ccagent("sessions", "prune", "--all", "-n", cwd=elsewhere).out
    ours = Path(os.environ["HOME"]) / ".ccagent" / "settings.json"
    ours.write_text('{"cleanupPeriodDays": 60}')
    assert "unused for 60 days" in ccagent("sessions", "prune", cwd=shelf).out
