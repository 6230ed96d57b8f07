"""Killed, or the disk full, in the middle of every write of a session: nothing is lost but the record in flight, and the next start is clean."""

import asyncio
import json
import os
import resource
import signal
import stat
import sys
from pathlib import Path

import psutil
import pytest

from agent.protocol.events import Failed, Notice
from agent.rehearsal.script import call, reply, say, summary, thinking
from tests.support.ccagent import COMMAND
from tests.support.dying_child import STEPS, recorded, told
from tests.support.patience import until
from tests.walks.conftest import Walk, finished, of

CHILD = Path(__file__).parents[1] / "support" / "dying_child.py"
FULL = "Not saved: the disk is full."


def script(project):
    """The same answers in whatever order a cut session comes to ask."""
    read = reply(thinking("let me see"), *call("Read", file_path=str(project / "hello.py")).blocks)
    return (
        summary("SUM").when(compaction=True, repeat=0),
        *(say(f"answer to {words}").when(words, repeat=0) for words in ("after", "fourth", "third", "second")),
        say("it greets").when(tool_result="greet", repeat=0),
        read.when("read it", repeat=0),
    )


def transcript(home: Path) -> Path | None:
    """The session of `home`, if there is one."""
    return next(iter(home.glob(".ccagent/projects/*/*.jsonl")), None)


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


async def reference(walk: Walk, homes: Path) -> list[bytes]:
    """The lines of an undisturbed session."""
    walk.home = homes / "home-ref"
    session = await walk.open()
    for words in STEPS:
        assert not of([event async for event in told(session, words)], Failed)
    path = Path(session.status().transcript)
    await session.close()
    walk.session = None
    return lines_of(path)


def middles(lines: list[bytes]) -> list[int]:
    """The byte in the middle of each record."""
    return [sum(map(len, lines[:at])) + len(line) // 2 for at, line in enumerate(lines)]


async def resumes_cleanly(walk: Walk, acknowledged: set[str], *, torn: bool) -> None:
    """The session in `walk.home` goes on: all that was acknowledged is there, one torn line at most, private files, no litter."""
    path = transcript(walk.home)
    if path is None:
        assert not acknowledged
        return
    before = path.read_bytes()
    bad = [at for at, line in enumerate(lines_of(path)) if not is_record(line)]
    assert bad == ([len(lines_of(path)) - 1] if bad and torn else [])
    uuids = {json.loads(line).get("uuid") for line in lines_of(path) if is_record(line)}
    assert acknowledged <= uuids
    if any(b'"type":"user"' in line for line in lines_of(path) if is_record(line)):
        session = await walk.open(continue_=True)
        assert Path(session.status().transcript) == path
        assert finished(await walk.say("after")).text == "answer to after"
        await session.close()
        walk.session = None
        assert path.read_bytes().startswith(before)
        assert sum(not is_record(line) for line in lines_of(path)) == len(bad)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in path.parents[:3]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [item for item in walk.home.rglob("*") if ".tmp" in item.name] == []


async def test_killed_in_the_middle_of_every_record(make_walk, project, tmp_path):
    walk = await make_walk(*script(project))
    lines = await reference(walk, tmp_path)
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, str(CHILD), str(project)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "ANTHROPIC_BASE_URL": walk.api.url, "ANTHROPIC_API_KEY": "test-key"},
    )
    assert child.stdin is not None and child.stdout is not None
    for number, limit in enumerate(middles(lines)):
        walk.home = tmp_path / f"home-{number:03}"
        walk.home.mkdir()
        child.stdin.write(f"{walk.home} {limit}\n".encode())
        acknowledged: set[str] = set()
        while (told_ := (await child.stdout.readline()).decode().split())[0] != "ended":
            acknowledged.add(told_[1])
        assert told_[1] == str(int(signal.SIGXFSZ)), (number, lines[number])
        await resumes_cleanly(walk, acknowledged, torn=True)
    child.stdin.close()
    assert await child.wait() == 0


async def test_kill_9_during_a_call_leaves_no_child_and_a_session_to_go_on_with(make_walk, project):
    command = "echo $$ > shell.pid; sleep 600"
    walk = await make_walk(call("Bash", command=command), say("answer to after"))
    flags = ("--allowed-tools", "Bash(echo:*),Bash(sleep:*)", "--permission-mode", "bypassPermissions")
    child = await asyncio.create_subprocess_exec(
        *(*COMMAND, "-p", "go", *flags),
        cwd=project,
        stdin=asyncio.subprocess.DEVNULL,
        env={**os.environ, "HOME": str(walk.home), "ANTHROPIC_BASE_URL": walk.api.url, "ANTHROPIC_API_KEY": "test-key"},
    )
    pid = project / "shell.pid"
    await until(lambda: pid.exists() and pid.read_text().strip())
    # The command runs a moment before the watchdog is told of it; who waits for events again has told.
    await until(lambda: psutil.Process(child.pid).status() == psutil.STATUS_SLEEPING)
    child.kill()
    await child.wait()
    await until(lambda: not alive(int(pid.read_text())))
    await walk.open(continue_=True)
    events = await walk.say("after")
    assert finished(events).text == "answer to after"
    assert [notice for notice in of(events, Notice) if "without a result answered with an error" in notice.text]


def alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def unlimited():
    """The file size limit is lifted afterwards, whatever happens."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield before
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_the_disk_full_in_the_middle_of_every_record(make_walk, project, tmp_path, unlimited):
    walk = await make_walk(*script(project))
    lines = await reference(walk, tmp_path)
    for number, limit in enumerate(middles(lines)):
        walk.home = tmp_path / f"home-{number:03}"
        session = await walk.open()
        acknowledged: set[str] = set()
        outages = 0
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, unlimited[1]))
        for words in STEPS:
            events = [event async for event in told(session, words)]
            acknowledged |= {uuid for event in events if (uuid := recorded(event)) is not None}
            failures = [event.failure.what for event in of(events, Failed)]
            if not outages and failures:
                assert failures == [FULL], (number, failures)
                resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
            outages += failures.count(FULL)  # what misses a lost prompt later on may fail in other words
        assert outages == 1, (number, lines[number])
        assert not [event for event in of(events, Notice) if "Transcript:" in event.text]
        await session.close()
        walk.session = None
        await resumes_cleanly(walk, acknowledged, torn=False)
