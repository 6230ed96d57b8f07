"""Bash: output, exit codes, folders, limits, and programs that would wait for a person."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from agent.protocol.errors import InvalidToolInput, ToolError
from agent.tools.bash import Bash
from agent.tools.exit_codes import is_answer
from agent.tools.limits import Limits
from tests.support.disk import room_for
from tests.support.naps import nap, napping
from tests.support.patience import until

BASH = Bash(Limits())


async def eventually(true: Callable[[], object]) -> bool:
    """True once `true()` is; fails when it never comes to that."""
    await until(true)
    return True


async def test_both_streams_in_order(call) -> None:
    output = await call(BASH, command="echo 1; echo 2 >&2; echo 3")
    assert output.text == "1\n2\n3" and not output.is_error
    assert (output.details.exit_code, output.details.output) == (0, "1\n2\n3")


async def test_no_output_is_said(call) -> None:
    assert (await call(BASH, command="true")).text == "(no output)"


async def test_a_failure_begins_with_its_exit_code(call) -> None:
    output = await call(BASH, command="echo oops; exit 7")
    assert output.text == "Exit code 7\noops" and output.is_error
    assert (await call(BASH, command="exit 3")).text == "Exit code 3"


async def test_a_syntax_error_is_a_failure_and_the_folder_stays(desk, call) -> None:
    output = await call(BASH, command="cd /tmp; echo 'open")
    assert output.is_error and "unexpected EOF" in output.text
    assert desk.cwd == desk.root


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("grep x f", True),
        ("cat f | LC_ALL=C grep 'a|b'", True),
        ("cd src && rg foo", True),
        ("/usr/bin/diff a b", True),
        ("[ -f x ]", True),
        ("test -d x", True),
        ("git diff --exit-code", True),
        ("git --no-pager grep foo", True),
        ("echo a\ngrep b c", True),
        ("(cd x; find . -name y)", True),
        ("grep x f; make", False),
        ("grep x f | python3 -c pass", False),
        ("git commit -m 'diff'", False),
        ("echo 'grep x'; false", False),
        ("grep 'open", False),
        ("make", False),
    ],
)
def test_exit_1_of_a_question_is_an_answer(command: str, answer: bool) -> None:
    assert is_answer(command, 1) is answer
    assert not is_answer(command, 2)


async def test_a_question_answered_no_is_no_error(desk, call) -> None:
    desk.write("f", "a\n")
    no = await call(BASH, command="grep z f")
    assert (no.text, no.is_error) == ("(no output, exit code 1)", False)
    assert (await call(BASH, command="grep z nowhere")).is_error
    differs = await call(BASH, command="echo b | diff f -")
    assert not differs.is_error and "< a" in differs.text


async def test_the_folder_persists_and_variables_do_not(desk, call) -> None:
    (desk.root / "sub dir").mkdir()
    moved = await call(BASH, command="cd 'sub dir' && X=1; export X; exit 0")
    assert moved.text == f"(no output)\n(cwd is now {desk.root}/sub dir)"
    assert (await call(BASH, command='pwd; echo "X=$X"')).text == f"{desk.root}/sub dir\nX="


async def test_a_folder_outside_is_reset(desk, call) -> None:
    output = await call(BASH, command="cd / && pwd")
    assert output.text == f"/\nShell cwd was reset to {desk.root}"
    assert desk.cwd == desk.root


async def test_a_folder_that_is_gone_is_left(desk, call) -> None:
    await call(BASH, command="mkdir t && cd t")
    gone = await call(BASH, command="rm -rf ../t")
    assert gone.text.endswith(f"Shell cwd was reset to {desk.root}")
    assert (await call(BASH, command="pwd")).text == str(desk.root)
    (desk.root / "t").mkdir()
    desk.go(desk.root / "t")
    (desk.root / "t").rmdir()
    output = await call(BASH, command="pwd")
    assert output.text == f"{desk.root}\n{desk.root}/t no longer exists. Shell cwd was reset to {desk.root}"
    shutil.rmtree(desk.root)
    with pytest.raises(ToolError, match="no longer exists"):
        await call(BASH, command="pwd")


async def test_a_linked_project_keeps_its_name(desk, call, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(desk.root)
    desk.go(tmp_path / "link")
    assert (await call(BASH, command="pwd")).text == str(tmp_path / "link")
    (desk.root / "sub").mkdir()
    await call(BASH, command="cd sub")
    assert desk.cwd == tmp_path / "link" / "sub"


@pytest.mark.parametrize(
    "command",
    [
        "cat",
        "read x",
        "python3 -c 'input()'",
        "exec 3</dev/tty",
        "git -c user.name=a -c user.email=a@b commit --allow-empty",
        "git rebase -i --root",
    ],
)
async def test_nothing_waits_for_a_person(call, command: str) -> None:
    await call(BASH, command="git init -q . 2>/dev/null; git config user.name a; git config user.email a@b")
    output = await call(BASH, command=command, timeout=300_000)
    assert "timed out" not in output.text


async def test_startup_files_add_nothing(desk, call, tmp_path: Path) -> None:
    for name in (".bashrc", ".profile", ".bash_profile"):
        (tmp_path / name).write_text("echo NOISE\n")
    desk.env |= {"BASH_ENV": str(tmp_path / ".bashrc"), "ENV": str(tmp_path / ".bashrc")}
    assert (await call(BASH, command="echo ok")).text == "ok"


async def test_a_timeout_tells_and_keeps_what_came(call) -> None:
    output = await call(BASH, command="echo begun; trap '' TERM; sleep 3600 & sleep 3600", timeout="2000")
    assert output.text == "Command timed out after 2 s and was ended, with all it had started.\nbegun"
    assert output.is_error and output.details.timed_out and output.details.exit_code is None


def test_the_timeout_is_clamped_and_may_be_missing() -> None:
    assert BASH.parse({"command": "x"}).timeout_ms == 120_000
    assert BASH.parse({"command": "x", "timeout": 10**9}).timeout_ms == 600_000
    for raw in ({"command": "x", "timeout": 0}, {"command": ""}, {}, {"command": "a\0b"}):
        with pytest.raises(InvalidToolInput, match=r"^Bash: `"):
            BASH.parse(raw)


async def test_a_background_process_returns_at_once(call) -> None:
    output = await call(BASH, command=f"{nap(31)} & echo started")
    assert output.text == "started"
    for process in napping(nap(31)):
        process.kill()


async def test_cancelling_leaves_no_process_and_no_file(desk, call) -> None:
    task = asyncio.ensure_future(call(BASH, command=f"touch up; echo $$ > pid; {nap(32)}"))
    assert await eventually(lambda: (desk.root / "pid").exists() and (desk.root / "pid").read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not psutil.pid_exists(int((desk.root / "pid").read_text())))
    assert list(desk.spill.iterdir()) == []


async def test_escapes_progress_lines_and_controls_are_cleaned(call) -> None:
    command = (
        r"printf '\033[31mred\033[0m \033]0;title\007x\r\n10%%\r20%%\r100%%\n\033]52;c;AAAA\nab\bc\a\0d\n\360\377 ok\n'"
    )
    assert (await call(BASH, command=command)).text == "red x\n100%\n\nacd\n�� ok"


async def test_long_output_shows_both_ends_and_is_kept(desk, call) -> None:
    output = await call(BASH, command="seq 20000")
    assert output.text.startswith("1\n2\n") and output.text.endswith("\n20000")
    assert "the output has 108,894 bytes" in output.text and len(output.text) < 11_000
    kept = Path(output.details.spilled_to)
    assert kept.parent == desk.spill and kept.read_text().split() == [str(i) for i in range(1, 20_001)]
    assert kept.stat().st_mode & 0o777 == 0o600 and desk.spill.stat().st_mode & 0o777 == 0o700


async def test_very_long_output_is_kept_too(call) -> None:
    output = await call(BASH, command="seq 400000")
    kept = Path(output.details.spilled_to)
    assert kept.read_text().endswith("399999\n400000\n")
    assert output.text.endswith("\n400000") and f"{kept.stat().st_size:,} bytes" in output.text


async def test_when_nothing_can_be_kept_the_ends_are_shown(desk, call) -> None:
    output = await call(BASH, command="seq 20000; rmdir ../spill 2>/dev/null; rm -rf ../spill; touch ../spill")
    assert output.text.startswith("1\n2\n") and "Could not" in output.text
    assert output.details.spilled_to == ""


async def test_what_a_disk_does_not_take_is_not_said_to_be_there(desk, call) -> None:
    with room_for(500_000):
        output = await call(BASH, command="seq 400000")
    kept = Path(output.details.spilled_to)
    assert f"its first {kept.stat().st_size:,} bytes are in {kept}" in output.text


async def test_a_disk_that_takes_nothing_does_not_stop_commands(desk, call) -> None:
    desk.spill.write_text("a file where the folder should be")
    assert (await call(BASH, command="echo ok")).text == "ok"
    assert (await call(BASH, command="cd /; exit 4")).text == "Exit code 4"


async def test_keys_are_neither_passed_on_nor_shown(desk, call) -> None:
    desk.env |= {"ANTHROPIC_API_KEY": "sk-ant-123456789", "GITHUB_TOKEN": "ghp_123456789", "EDITOR": "vi"}
    desk.write("key", "key: sk-ant-123456789\n")
    output = await call(BASH, command="env; cat key; seq 20000; cat key")
    everything = (
        output.text + output.details.output + "".join(desk.progress) + Path(output.details.spilled_to).read_text()
    )
    assert "123456789" not in everything.replace("\n".join(map(str, range(20_000))), "")
    assert "ANTHROPIC_API_KEY" not in everything and everything.count("key: [masked]") >= 4
    assert "EDITOR=true" in everything and "\nCI=" not in everything


async def test_output_is_shown_while_it_runs(desk, call) -> None:
    task = asyncio.ensure_future(call(BASH, command="echo L1; while [ ! -e go ]; do sleep 0.02; done; echo L2"))
    assert await eventually(lambda: "L1\n" in desk.progress)
    (desk.root / "go").touch()
    assert (await task).text == "L1\nL2"


async def test_a_shell_without_bash(desk, call, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to(os.path.realpath("/bin/sh"))
    desk.env["PATH"] = str(tmp_path / "bin")
    assert (await call(BASH, command="echo ok; cd /")).text == f"ok\nShell cwd was reset to {desk.root}"


async def test_a_command_the_system_refuses_is_an_error(call) -> None:
    with pytest.raises(ToolError, match="file instead"):
        await call(BASH, command="true " + "x" * 300_000)


def test_subject_is_the_command(desk) -> None:
    subject = BASH.subject(BASH.parse({"command": "npm test\nrm x"}), desk.root)
    assert (subject.access, subject.title, subject.command) == ("execute", "Bash npm test ...", "npm test\nrm x")
