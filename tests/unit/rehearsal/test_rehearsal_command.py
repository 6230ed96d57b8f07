"""`ccagent rehearse`: help, exit codes, a readable log without secrets, a clean end."""

import contextlib
import http.client
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.rehearsal.__main__ import main
from agent.rehearsal.script import Script, say
from agent.rehearsal.server import RehearsalThread
from tests.support.patience import PATIENCE
from tests.unit.rehearsal.raw import HEADERS, ask, post, user


@contextlib.contextmanager
def rehearse(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agent.rehearsal", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


def test_it_serves_until_it_is_interrupted_and_says_what_it_cost(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with rehearse("--script", "tour", "--window", "12000", "--log", str(log)) as (process, url):
        assert post(url, ask())[0] == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    assert out.startswith("session: 1 requests, 5 prompt tokens")
    assert err == ""
    line = log.read_text()
    assert "POST /v1/messages 200 model=claude-sonnet-5-5 messages=1" in line
    assert "secret" not in line
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_broken_rule_is_told_and_changes_the_exit_code(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with rehearse("--log", str(log)) as (process, url):
        assert post(url, ask(user("")))[0] == 400
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
    assert "broken rule: 'text.blank: messages.0.content.0: text content blocks must be non-empty'" in err
    assert "broken rule: 'text.blank" in log.read_text()


def test_lenient_answers_and_still_tells() -> None:
    with rehearse("--lenient") as (process, url):
        assert post(url, ask(user("")))[0] == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 1


def test_help_and_bad_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "Scripts that come with it: auto_compact" in capsys.readouterr().out
    assert main(["--port", "x"]) == 2
    assert main(["--window", "0"]) == 2
    assert main(["--script", "nonesuch"]) == 2
    assert "rehearse: cannot read the script nonesuch" in capsys.readouterr().err


def test_a_port_or_log_that_cannot_be_had_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with RehearsalThread(Script([say("a")])) as api:
        assert main(["--port", api.url.rsplit(":", 1)[1]]) == 2
    assert main(["--port", "99999"]) == 2
    assert main(["--log", str(tmp_path)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3
    assert all(line.startswith("rehearse: ") for line in told)


def test_a_transcript_is_converted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"assistant","message":{"content":[{"type":"text","text":"hello"}]}}\n')
    assert main(["--convert", str(path)]) == 0
    assert '{ "type" = "text", "text" = "hello" },' in capsys.readouterr().out
    assert main(["--convert", str(tmp_path / "none")]) == 2
    path.write_text('no transcript\n{"type":"user"}\n')
    assert main(["--convert", str(path)]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"rehearse: {path} holds no answer of a model"


def test_a_full_disk_ends_the_log_and_not_the_server() -> None:
    with rehearse("--log", "/dev/full") as (process, url):
        assert [post(url, ask())[0] for _ in range(3)] == [200, 200, 200]
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2
    assert err == "rehearse: the log /dev/full is cut short: No space left on device\n"


def test_the_log_names_no_prompt_and_no_key(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with RehearsalThread(Script([say("private answer").times(0)]), log=log) as api:
        post(api.url, ask(user("private prompt")))
        post(api.url, ask(), path="/v1/nothing")
        connection = http.client.HTTPConnection(api.url.removeprefix("http://"))
        connection.request("HEAD", "/", headers=HEADERS)
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"")
        connection.close()
    content = log.read_text()
    assert "private" not in content
    assert "secret" not in content
    assert [line.split(" ", 1)[1].split(" model")[0] for line in content.splitlines()] == [
        "POST /v1/messages 200",
        "POST /v1/nothing 404",
        "HEAD / 200",
    ]


def test_only_so_many_requests_are_kept() -> None:
    with RehearsalThread(Script([say("a").times(0)]), keep=2) as api:
        for _ in range(4):
            post(api.url, ask())
        assert len(api.requests) == 2


@pytest.mark.parametrize("window", ["0", "-1", "12k", "", "²"])
def test_a_window_that_is_none_is_said_plainly(capsys: pytest.CaptureFixture[str], window: str) -> None:
    assert main(["--window", window]) == 2
    assert f"--window: {window!r} is not a number of tokens" in capsys.readouterr().err
