"""run_process against real children: ends, limits, groups, and what outlives whom."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.process.runner import Finished, run_process
from agent.protocol.errors import FilesError
from tests.support.disk import room_for
from tests.support.naps import nap, napping
from tests.support.patience import PATIENCE, until

ENV = {"PATH": os.environ["PATH"]}


async def sh(script: str, cwd: Path, *, stdin: bytes = b"", within: float = PATIENCE, merge: bool = False) -> Finished:
    return await run_process(["sh", "-c", script], cwd=cwd, env=ENV, stdin=stdin, timeout=within, merge=merge)


async def eventually(true: Callable[[], bool]) -> bool:
    """True once `true()` is; fails when it never comes to that."""
    await until(true)
    return True


async def gone(mark: str) -> bool:
    """Whether the marked processes end in the end."""
    return await eventually(lambda: not napping(mark))


async def test_output_and_exit_code(tmp_path: Path) -> None:
    done = await sh("pwd; echo oops >&2; exit 3", tmp_path)
    assert (done.exit_code, done.stdout, done.stderr) == (3, f"{tmp_path}\n", "oops\n")
    assert not done.timed_out and not done.truncated


async def test_merge_keeps_the_order_of_both_streams(tmp_path: Path) -> None:
    done = await sh("echo 1; echo 2 >&2; echo 3", tmp_path, merge=True)
    assert (done.stdout, done.stderr) == ("1\n2\n3\n", "")


async def test_a_signal_counts_as_a_shell_counts_it(tmp_path: Path) -> None:
    assert (await sh("kill -SEGV $$", tmp_path)).exit_code == 128 + signal.SIGSEGV


async def test_sees_only_the_environment_it_is_given(tmp_path: Path) -> None:
    done = await run_process(["env"], cwd=tmp_path, env={"PATH": ENV["PATH"], "A": "1"}, timeout=PATIENCE)
    assert sorted(line.split("=")[0] for line in done.stdout.splitlines()) == ["A", "PATH"]


async def test_stdin_ends_by_itself(tmp_path: Path) -> None:
    assert (await sh("cat > h.json; echo read", tmp_path, stdin=b'{"a": 1}\n')).stdout == "read\n"
    assert json.loads((tmp_path / "h.json").read_text()) == {"a": 1}
    assert (await sh("cat; read x; echo $?", tmp_path)).stdout == "1\n"


async def test_a_large_stdin_nobody_reads_is_no_deadlock(tmp_path: Path) -> None:
    assert (await sh("echo ok", tmp_path, stdin=b"x" * 2_000_000)).stdout == "ok\n"


async def test_a_large_stdin_that_is_echoed_is_no_deadlock(tmp_path: Path) -> None:
    done = await run_process(
        ["cat"], cwd=tmp_path, env=ENV, stdin=b"y" * 3_000_000, timeout=PATIENCE, max_bytes=4_000_000
    )
    assert len(done.stdout) == 3_000_000


async def test_there_is_no_terminal_to_open(tmp_path: Path) -> None:
    assert (await sh("exec 3</dev/tty", tmp_path)).exit_code != 0


async def test_bytes_that_are_no_utf8_are_replaced(tmp_path: Path) -> None:
    assert (await sh(r"printf '\360\377 ok\n'", tmp_path)).stdout.endswith(" ok\n")


async def test_a_grandchild_that_holds_the_output_does_not_hang_us(tmp_path: Path) -> None:
    done = await sh(f"{nap(17)} & echo started", tmp_path, within=PATIENCE)
    assert (done.exit_code, done.stdout, done.timed_out) == (0, "started\n", False)
    assert await gone(nap(17))


async def test_a_process_that_left_the_group_does_not_hang_us(tmp_path: Path) -> None:
    script = f"{sys.executable} -c 'import os,time; os.setsid(); time.sleep(2.5)' & sleep 0.3; echo started"
    done = await sh(script, tmp_path, within=PATIENCE)
    assert (done.stdout, done.timed_out) == ("started\n", False)


async def test_timeout_ends_a_group_that_ignores_term_and_keeps_what_came(tmp_path: Path) -> None:
    mark = f"m18.{os.getpid()}"
    script = f"trap '' TERM; echo begun; for i in 1 2 3; do (while :; do sleep 0.05; done; echo {mark})& done; wait"
    done = await sh(script, tmp_path, within=2)
    assert (done.exit_code, done.stdout, done.timed_out) == (None, "begun\n", True)
    assert await gone(mark)


async def test_term_comes_before_kill(tmp_path: Path) -> None:
    for _ in range(10):  # a machine that is too busy may kill it before it has had its say
        done = await sh("trap 'echo bye; exit' TERM; sleep 3600 & wait", tmp_path, within=0.5)
        assert done.timed_out
        if done.stdout == "bye\n":
            return
    pytest.fail("TERM never came")


async def test_cancelling_kills_the_group(tmp_path: Path) -> None:
    task = asyncio.ensure_future(sh(f"trap '' TERM; {nap(19)} & touch up; {nap(19)}", tmp_path))
    assert await eventually((tmp_path / "up").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await gone(nap(19))


async def test_a_missing_program_and_a_missing_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FilesError, match=r"no-such-program was not found"):
        await run_process(["no-such-program"], cwd=tmp_path, env=ENV, timeout=PATIENCE)
    with pytest.raises(FilesError, match=r"folder .* does not exist"):
        await run_process(["true"], cwd=tmp_path / "gone", env=ENV, timeout=PATIENCE)


@pytest.mark.parametrize("argument", ["a\0b", "x" * 300_000])
async def test_arguments_the_system_refuses_are_an_error(tmp_path: Path, argument: str) -> None:
    with pytest.raises(FilesError, match="could not be started"):
        await run_process(["true", argument], cwd=tmp_path, env=ENV, timeout=PATIENCE)


async def test_a_long_output_keeps_head_and_tail_and_goes_whole_to_the_spill(tmp_path: Path) -> None:
    spill = tmp_path / "kept" / "all.txt"
    script = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done"
    done = await run_process(
        ["sh", "-c", script], cwd=tmp_path, env=ENV, timeout=PATIENCE, max_bytes=1_000, spill=spill
    )
    assert done.truncated and done.spilled == done.output_bytes
    assert done.stdout.startswith("line 1\n") and done.stdout.endswith("line 3000\n")
    assert "bytes left out" in done.stdout and len(done.stdout) < 1_100
    assert spill.read_text() == "".join(f"line {i}\n" for i in range(1, 3001))
    assert done.output_bytes == spill.stat().st_size
    assert spill.stat().st_mode & 0o777 == 0o600 and spill.parent.stat().st_mode & 0o777 == 0o700


async def test_a_short_output_is_not_spilled(tmp_path: Path) -> None:
    done = await run_process(["echo", "hi"], cwd=tmp_path, env=ENV, timeout=PATIENCE, spill=tmp_path / "all.txt")
    assert not done.spilled and not (tmp_path / "all.txt").exists()


async def test_a_spill_that_cannot_be_written_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    spill = tmp_path / "file" / "all.txt"
    done = await run_process(["seq", "2000"], cwd=tmp_path, env=ENV, timeout=PATIENCE, max_bytes=100, spill=spill)
    assert done.exit_code == 0 and done.truncated and not done.spilled


async def test_a_disk_that_fills_up_keeps_the_beginning(tmp_path: Path) -> None:
    spill = tmp_path / "all.txt"
    with room_for(5_000):
        done = await run_process(["seq", "9000"], cwd=tmp_path, env=ENV, timeout=PATIENCE, max_bytes=100, spill=spill)
    assert done.spilled == spill.stat().st_size == 5_000 < done.output_bytes


async def test_endless_output_is_bounded_and_leaves_the_loop_alive(tmp_path: Path) -> None:
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    turning = asyncio.ensure_future(turn())
    done = await run_process(["yes"], cwd=tmp_path, env=ENV, timeout=2, max_bytes=10_000)
    turning.cancel()
    assert done.timed_out and len(done.stdout) < 10_200 and done.output_bytes > 100_000
    assert turns >= 5


async def test_enough_output_ends_it_early(tmp_path: Path) -> None:
    done = await run_process(["yes"], cwd=tmp_path, env=ENV, timeout=PATIENCE, enough=50_000)
    assert done.exit_code is None and not done.timed_out and done.stdout.startswith("y\ny\n")


async def test_live_output_arrives_while_it_runs(tmp_path: Path) -> None:
    seen: list[str] = []

    async def on_output(text: str) -> None:
        seen.append(text)
        if "one" in text:
            (tmp_path / "go").touch()

    script = "echo one; while [ ! -e go ]; do sleep 0.02; done; printf two"
    done = await run_process(["sh", "-c", script], cwd=tmp_path, env=ENV, timeout=PATIENCE, on_output=on_output)
    assert done.exit_code == 0
    assert "".join(seen) == "one\ntwo"


async def test_an_error_of_the_listener_is_raised_and_the_child_is_gone(tmp_path: Path) -> None:
    async def on_output(text: str) -> None:
        raise RuntimeError("listener")

    with pytest.raises(RuntimeError, match="listener"):
        await run_process(["echo", "hi"], cwd=tmp_path, env=ENV, timeout=PATIENCE, on_output=on_output)


async def test_secrets_are_masked_everywhere(tmp_path: Path) -> None:
    seen: list[str] = []

    async def on_output(text: str) -> None:
        seen.append(text)

    script = "printf sk-ant-; sleep 0.15; echo 12345; seq 400; echo sk-ant-12345 >&2"
    done = await run_process(
        ["sh", "-c", script],
        cwd=tmp_path,
        env=ENV,
        timeout=PATIENCE,
        secrets=["sk-ant-12345"],
        on_output=on_output,
        max_bytes=200,
        spill=tmp_path / "all.txt",
    )
    everything = done.stdout + done.stderr + "".join(seen) + (tmp_path / "all.txt").read_text()
    assert "sk-ant" not in everything
    assert everything.count("[masked]") == 5


async def test_kept_background_work_lives_on_and_may_go_on_writing(tmp_path: Path) -> None:
    script = f"(sleep 0.4; seq 30000; touch done; {nap(21)}) & echo started"
    done = await run_process(["sh", "-c", script], cwd=tmp_path, env=ENV, timeout=PATIENCE, background="keep")
    assert done.stdout == "started\n"
    assert await eventually((tmp_path / "done").exists)
    for process in napping(nap(21)):
        os.killpg(os.getpgid(process.pid), signal.SIGKILL)
    assert await gone(nap(21))


PARENT = """
import asyncio, os, sys
from pathlib import Path
from agent.process.runner import run_process
env = {"PATH": os.environ["PATH"]}
async def main():
    end, nap = sys.argv[1:]
    await run_process(["sh", "-c", f"{nap} & true"], cwd=Path("/"), env=env, timeout=600, background="keep")
    if end == "kill":
        script = f"{nap} & echo; {nap}"
        await run_process(["sh", "-c", script], cwd=Path("/"), env=env, timeout=600, on_output=up)
async def up(text):
    print("up", flush=True)
asyncio.run(main())
"""


@pytest.mark.parametrize("end", ["kill", "exit"])
async def test_children_and_grandchildren_die_with_us(end: str) -> None:
    argv = [sys.executable, "-W", "always::ResourceWarning", "-c", PARENT, end, nap(22)]
    parent = await asyncio.create_subprocess_exec(*argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert parent.stdout is not None
    await parent.stdout.readline()
    if end == "kill":
        parent.kill()
    _out, err = await parent.communicate()
    assert err == b""  # not a word of processes that still run
    assert await gone(nap(22))
