"""`ccagent context`: the report on one transcript and on all of them, as processes."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.support.ccagent import ccagent
from tests.unit.transcript.transcript_support import answer, assistant, boundary, use, user, write

RULE = "Never touch the migrations folder."
HOSTILE = "Always \x1b]0;owned\x07 name \u202e files."


@pytest.fixture
def offline(tmp_path: Path) -> str:
    """A session of ours, recorded in `tmp_path`."""
    (tmp_path / "hello.txt").write_text("hello world\n")
    ran = ccagent("-p", "read hello.txt", "--offline", "--output-format=json", cwd=tmp_path)
    return str(json.loads(ran.out)["session_id"])


@pytest.fixture
def theirs() -> Path:
    """A session of Claude Code's with a compaction that lost two rules, and a read of the same file after it."""
    home = Path(os.environ["HOME"]) / ".claude" / "projects" / "-home-me-shop"
    return write(
        home / "11111111-aaaa.jsonl",
        user("u1", None, f"Fix the cart. {RULE} {HOSTILE}"),
        assistant("a1", "u1", read("t1"), id="m1"),
        user("r1", "a1", [answer("t1")]),
        assistant("a2", "r1", id="m2"),
        boundary("b1", "a2", preTokens=167_094, postTokens=12_030, durationMs=81_000),
        user("s1", "b1", "The user asked to fix the cart.", isCompactSummary=True),
        assistant("a3", "s1", read("t2"), id="m3"),
        user("r2", "a3", [answer("t2")]),
        assistant("a4", "r2", id="m4"),
    )


def read(name: str) -> dict[str, object]:
    """A call that reads the cart."""
    return use(name) | {"input": {"file_path": "/home/me/shop/cart.py"}}


def test_the_latest_session_of_this_folder_without_a_word(tmp_path: Path, offline: str) -> None:
    text = ccagent("context", cwd=tmp_path)
    assert (text.code, text.err) == (0, "")
    assert text.out.startswith("read hello.txt\n")
    assert offline in text.out
    assert "1 prompt · 2 answers · 0 compactions" in text.out
    assert "Compactions" not in text.out
    figures = json.loads(ccagent("context", offline[:8], "--json", cwd=tmp_path).out)
    assert figures["total"] == sum(figures["estimated"].values()) > 0
    assert {"Read calls", "Read results", "answers", "prompts"} <= set(figures["estimated"])
    assert figures["reported"] > figures["total"]
    assert f"The API reported last: {figures['reported']:,} tokens with system prompt and tools." in text.out


def test_a_summary_of_the_rehearsal_s_is_no_part_of_the_price(tmp_path: Path, offline: str) -> None:
    assert ccagent("-p", "/compact", "-c", "--offline", cwd=tmp_path).code == 0
    text = ccagent("context", offline, cwd=tmp_path).out
    assert "1 compaction" in text and "Price $0.0000" in text
    assert "to write the summaries" not in text and "for summaries" not in text


def test_what_a_compaction_lost_is_shown(tmp_path: Path, theirs: Path) -> None:
    before = theirs.read_bytes()
    text = ccagent("context", "11111111", cwd=tmp_path)
    assert (text.code, text.err) == (0, "")
    assert "auto · 167,094 → 12,030 tokens · 4 messages · 81 s" in text.out
    assert "of 3 things you had said: 1 word for word, 0 in other words, 2 gone (67%)" in text.out
    assert f"rule      {RULE}" in text.out
    assert "rule      Always name \ufffd files." in text.out
    assert "\x1b" not in text.out
    assert "read again: 1 file" in text.out and "once      /home/me/shop/cart.py" in text.out
    assert re.search(r"^Price \$0\.\d{4}   4 requests$", text.out, re.MULTILINE)
    assert theirs.read_bytes() == before


def test_the_json_has_every_figure(tmp_path: Path, theirs: Path) -> None:
    figures = json.loads(ccagent("context", str(theirs), "--json", cwd=tmp_path).out)
    (loss,) = figures["compactions"]
    assert [one["text"] for one in loss["gone"]][:1] == [RULE]
    assert (loss["said"], loss["verbatim"], loss["pre_tokens"], loss["post_tokens"]) == (3, 1, 167_094, 12_030)
    assert loss["reread"][0]["path"] == "/home/me/shop/cart.py"
    assert (figures["requests"], figures["spent"]["usage"]["input"]) == (4, 40)
    assert figures["cost_usd"] > 0


def test_all_sums_ours_and_theirs_and_counts_copies_once(tmp_path: Path, offline: str, theirs: Path) -> None:
    copy = theirs.with_name("22222222-bbbb.jsonl")
    shutil.copy(theirs, copy)
    (theirs.parent / "broken.jsonl").write_bytes(b"\xff\x00 no transcript\n")
    (theirs.parent / "gone.jsonl").symlink_to("/nowhere.jsonl")
    write(theirs.parent / "agent-1.jsonl", assistant("x1", None, id="x1", isSidechain=True))
    ran = ccagent("context", "--all", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("3 sessions · ")
    assert "1 compaction in 1 session" in ran.out
    assert "2 of 3 gone" in ran.out
    assert RULE in ran.out
    for session in (offline, "11111111", "22222222"):
        assert f"\n  {session[:8]}  " in ran.out
    everything = json.loads(ccagent("context", "--all", "--json", cwd=tmp_path).out)
    assert sorted(one["requests"] for one in everything["sessions"]) == [0, 1, 2, 4]


def test_notices_go_to_stderr(tmp_path: Path, theirs: Path) -> None:
    with theirs.open("ab") as file:
        file.write(b'{"type":"user","uui')
    ran = ccagent("context", str(theirs), "--json", cwd=tmp_path)
    assert ran.err == "Transcript: the last record was cut off while it was saved; everything before it is there.\n"
    assert json.loads(ran.out)["notices"] == [ran.err.strip()]


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        ((), 1, "ccagent: No session was recorded in this folder yet. Name a transcript, or use --all."),
        (("--all",), 1, "No transcript was found, neither ours nor Claude Code's."),
        (("no.jsonl",), 1, "ccagent: There is no transcript "),
        (("nobody",), 1, "ccagent: No conversation found with session ID: nobody"),
        (("a", "b"), 2, "ccagent context: error: unrecognized arguments: b"),
        (("a", "--all"), 2, "ccagent context: error: argument --all: not allowed with argument FILE|ID"),
    ],
)
def test_what_cannot_be_done_is_one_plain_line(tmp_path: Path, words: tuple[str, ...], code: int, line: str) -> None:
    ran = ccagent("context", *words, cwd=tmp_path)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.splitlines()[-1].startswith(line)
