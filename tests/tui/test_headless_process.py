"""`-p` as a process: standard input, signals, and standard output that goes away."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE

MAIN = [sys.executable, str(Path(__file__).parents[1] / "support" / "headless_main.py")]


def run(*words: str, stdin: bytes | None = b"") -> tuple[int, str, str]:
    finished = subprocess.run([*MAIN, *words], input=stdin, capture_output=True, timeout=PATIENCE)
    return finished.returncode, finished.stdout.decode(), finished.stderr.decode()


def start(*words: str, **streams: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*MAIN, *words], stderr=subprocess.PIPE, **streams)


def test_a_prompt_on_standard_input_is_enough() -> None:
    assert run("say", "text", stdin=b"what is this?")[:2] == (0, "hello\n")


@pytest.mark.parametrize("stdin", [b"", b" \n\t\n"])
def test_blank_input_fails_with_one_line(stdin: bytes) -> None:
    code, out, err = run("say", "text", stdin=stdin)
    assert (code, out) == (1, "")
    assert err == "ccagent: no prompt: give one as an argument or on standard input.\n"


def test_more_than_10_mb_is_refused() -> None:
    code, out, err = run("say", "json", "hi", stdin=b"x" * 10_000_001)
    assert code == 1
    assert json.loads(out)["errors"] == [err.removeprefix("ccagent: ").strip()]
    assert "larger than 10 MB" in err


def test_a_closed_standard_input_is_no_input() -> None:
    words = " ".join(f"'{word}'" for word in [*MAIN, "say", "text", "hi"])
    finished = subprocess.run(["sh", "-c", f"{words} <&-"], capture_output=True, timeout=PATIENCE)
    assert (finished.returncode, finished.stdout) == (0, b"hello\n")


def test_a_silent_pipe_is_left_alone_when_there_is_a_prompt() -> None:
    silent, write = os.pipe()
    try:
        finished = subprocess.run([*MAIN, "say", "text", "hi"], stdin=silent, capture_output=True, timeout=PATIENCE)
    finally:
        os.close(silent)
        os.close(write)
    assert (finished.returncode, finished.stdout) == (0, b"hello\n")
    assert b"nothing came within 3 s" in finished.stderr


def test_json_lines_are_prompts_one_after_another() -> None:
    said = [
        {"type": "user", "message": {"role": "user", "content": "first"}},
        {"type": "control_request", "request": {}},
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "text", "text": "second"}, {"type": "image"}]},
        },
    ]
    stdin = "\n".join(json.dumps(line) for line in said).encode()
    code, out, err = run("twice", "stream-json", "--input-json", stdin=stdin)
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [record["result"] for record in records if record["type"] == "result"] == ["one", "two"]
    assert "a line of type 'control_request' is not understood" in err
    assert "blocks of type image are not read" in err


def test_a_line_that_is_no_json_fails_with_one_line() -> None:
    code, out, err = run("twice", "stream-json", "--input-json", stdin=b"hello\n")
    assert code == 1
    assert json.loads(out)["is_error"] is True
    assert err.startswith("ccagent: standard input: not a stream-json line")


def test_a_later_line_that_is_no_json_ends_the_run_with_an_error_result() -> None:
    said = json.dumps({"type": "user", "message": {"role": "user", "content": "first"}})
    code, out, err = run("twice", "stream-json", "--input-json", stdin=f"{said}\nhello\n".encode())
    results = [record for record in map(json.loads, out.splitlines()) if record["type"] == "result"]
    assert code == 1
    assert [record["is_error"] for record in results] == [False, True]
    assert results[1]["session_id"] == results[0]["session_id"] != ""
    assert "not a stream-json line" in err


def test_an_unknown_session_fails_with_the_exact_line() -> None:
    assert run("missing", "text", "hi") == (1, "", "ccagent: No conversation found with session ID: X\n")


def test_notices_cannot_steer_the_terminal_and_stay_off_stdout() -> None:
    code, out, err = run("notices", "json", "hi")
    assert (code, json.loads(out)["result"]) == (0, "hello")
    assert "warning: settings.json: bad key\n" in err


def test_text_cannot_steer_a_terminal() -> None:
    ours, theirs = pty.openpty()
    with start("escape", "text", "hi", stdin=subprocess.DEVNULL, stdout=theirs) as process:
        os.close(theirs)
        process.communicate(timeout=PATIENCE)
    assert os.read(ours, 1000) == b"ab\r\n"
    os.close(ours)


HEARD = pytest.mark.skipif(
    signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, reason="under nohup children do not hear it either"
)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), pytest.param(signal.SIGHUP, 129, marks=HEARD)]
)
def test_a_signal_closes_the_session_and_gives_its_code(number: signal.Signals, code: int) -> None:
    with start("hang", "text", "hi", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"started\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (code, b"", b"closed\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, pytest.param(signal.SIGHUP, marks=HEARD)])
@pytest.mark.parametrize("output_format", ["json", "stream-json"])
def test_json_of_a_run_that_a_signal_stops_is_whole(number: signal.Signals, output_format: str) -> None:
    with start("hang", output_format, "hi", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(number)
        out, _err = process.communicate(timeout=PATIENCE)
    results = [record for record in map(json.loads, out.splitlines()) if record["type"] == "result"]
    assert [(record["subtype"], record["errors"]) for record in results] == [
        ("error_during_execution", ["Interrupted."])
    ]


def test_a_signal_ends_the_wait_for_json_lines() -> None:
    prompt = json.dumps({"type": "user", "message": {"role": "user", "content": "x"}}).encode() + b"\n"
    with start("twice", "stream-json", "--input-json", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(prompt)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE)
        assert process.stdout.read() == b"", "the prompt had its result, another one was not begun"
    assert process.returncode == 143


def test_a_reader_that_leaves_is_no_story() -> None:
    with start("big", "text", "hi", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=PATIENCE)
    assert (process.returncode, err) == (1, b"started\nclosed\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_long_answer_arrives_whole_through_a_slow_non_blocking_pipe(unbuffered: str) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen([*MAIN, "big", "text", "hi"], stdin=subprocess.DEVNULL, stdout=write, env=env) as process:
        os.close(write)
        with open(read, "rb") as pipe:
            text = pipe.read()
        process.wait(timeout=PATIENCE)
    assert (process.returncode, len(text)) == (0, 3_000_001)


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        finished = subprocess.run(
            [*MAIN, "say", "json", "hi"], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE
        )
    assert finished.returncode == 1
    assert (
        finished.stderr == b"started\nclosed\nccagent: standard output cannot be written (No space left on device).\n"
    )
