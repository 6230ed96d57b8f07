"""The whole command with its real engine, offline: bad input is one plain line, good input an answer."""

import errno
import json
import os
import signal
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.support.ccagent import BOOT, COMMAND, ccagent
from tests.support.patience import PATIENCE

OFFLINE = "info: Offline: rules answer, not a model. Set ANTHROPIC_API_KEY to talk to one.\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "hello.txt").write_text("hello world\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def test_a_prompt_is_answered_offline_and_continued(repo: Path) -> None:
    first = ccagent("-p", "read hello.txt", "--offline", cwd=repo)
    assert (first.code, first.err) == (0, OFFLINE)
    assert "hello world" in first.out
    second = ccagent("-pc", "find hello", "--offline", "--output-format", "json", cwd=repo)
    assert second.err == OFFLINE
    record = json.loads(second.out)
    listed = ccagent("sessions", cwd=repo).out.splitlines()
    assert [line.partition(" ")[0] for line in listed] == [record["session_id"]]


def test_records_name_the_branch_they_were_written_on(repo: Path) -> None:
    branches = []
    for branch in ("main", "topic"):
        subprocess.run(["git", "symbolic-ref", "HEAD", f"refs/heads/{branch}"], cwd=repo, check=True)
        assert ccagent("-p", "hello", "--offline", *branches and ["-c"], cwd=repo).code == 0
        branches.append(branch)
    [transcript] = (Path(os.environ["HOME"]) / ".ccagent" / "projects").glob("*/*.jsonl")
    records = [json.loads(line) for line in transcript.read_text().splitlines()]
    assert [name for name, _ in groupby(record["gitBranch"] for record in records if "uuid" in record)] == branches


def test_a_long_stdin_joins_the_prompt(repo: Path) -> None:
    ran = ccagent("-p", "hello", "--offline", cwd=repo, stdin="a pasted log")
    shown = ccagent("sessions", ccagent("sessions", cwd=repo).out.split()[0], cwd=repo)
    assert ran.code == 0
    assert "> hello\n>\n> a pasted log\n" in shown.out


def test_stream_json_follows_the_engine(repo: Path) -> None:
    skill = repo / ".claude" / "skills" / "tidy" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("Tidy up.")
    ran = ccagent("-p", "read hello.txt", "--offline", "--output-format", "stream-json", "--verbose", cwd=repo)
    records = [json.loads(line) for line in ran.out.splitlines()]
    kinds = [record["type"] for record in records]
    assert kinds[0] == "system"
    assert kinds[-1] == "result"
    assert [kind for kind in kinds if kind in ("assistant", "user")] == ["assistant", "user", "assistant"]
    init, call, answer = records[0], records[1], records[2]
    assert init["cwd"] == str(repo)
    promised = "tools mcp_servers model permissionMode slash_commands apiKeySource output_style agents skills plugins"
    assert set(promised.split()) < set(init)
    assert (init["apiKeySource"], init["skills"]) == ("none", ["tidy"])
    use = next(block for block in call["message"]["content"] if block["type"] == "tool_use")
    assert answer["message"]["content"][0]["tool_use_id"] == use["id"]


def test_a_slash_command_prints_its_text(repo: Path) -> None:
    ran = ccagent("-p", "/autocompact", "--offline", cwd=repo)
    assert ran.code == 0
    assert "auto-compact at 967,000" in ran.out


def test_an_unknown_slash_command_fails(repo: Path) -> None:
    ran = ccagent("-p", "/nonsense", "--offline", cwd=repo)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(OFFLINE + "ccagent: Unknown command: /nonsense.")


@pytest.mark.parametrize("words", [["/help"], ["/context"], ["/cost", "--continue"], ["/permissions"]])
def test_a_command_that_makes_no_request_needs_no_credentials(repo: Path, words: list[str]) -> None:
    ccagent("-p", "read hello.txt", "--offline", cwd=repo)
    ran = ccagent("-p", *words, cwd=repo)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.strip()


def test_a_call_that_nobody_could_be_asked_about_says_so_and_names_the_flag(repo: Path) -> None:
    """To the model with each refusal, to the person once."""
    ran = ccagent("-p", "run touch a", "--offline", cwd=repo)
    assert not (repo / "a").exists()
    assert "The user did not" not in ran.out
    assert (
        "nobody could be asked, because this session has no screen (-p). --allowed-tools 'Bash(touch a)' allows it."
        in ran.out
    )
    assert ran.err.count("nobody could be asked") == 1
    again = ccagent("-p", "run touch a", "--offline", "--allowed-tools", "Bash(touch a)", cwd=repo)
    assert (again.code, (repo / "a").exists()) == (0, True)


def test_permissions_names_the_commands_that_run_unasked(repo: Path) -> None:
    ran = ccagent("-p", "/permissions", cwd=repo)
    assert all(f"`{name}`" in ran.out for name in ("wc", "cat", "grep", "pwd", "git status"))


def test_a_command_that_makes_a_request_fails_without_credentials(repo: Path) -> None:
    ccagent("-p", "read hello.txt", "--offline", cwd=repo)
    ran = ccagent("-p", "/compact", "--continue", cwd=repo)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("ccagent: No credentials found. The conversation is unchanged. Set ANTHROPIC_API_KEY")


def test_settings_that_might_have_brought_credentials_are_named_when_there_are_none(repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude" / "settings.json").write_text('{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}}')
    (repo / ".claude" / "settings.local.json").write_text('{"apiKeyHelper": "echo key",}')
    ran = ccagent("-p", "hi", cwd=repo)
    broken, held, failed = ran.err.splitlines()
    assert "settings.local.json:1:29: trailing comma" in broken
    assert held.startswith("warning: Not trusted, so not used: env ANTHROPIC_BASE_URL")
    assert (ran.code, failed.startswith("ccagent: No credentials found.")) == (1, True)


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (["--modle"], 1, "ccagent: unknown option --modle. Did you mean --model?\n"),
        (["-p", "hi"], 1, "ccagent: No credentials found. Set ANTHROPIC_API_KEY"),
        (["-p", "hi", "--offline", "--resume", "X"], 1, "ccagent: No conversation found with session ID: X\n"),
        (["-p", "hi", "--offline=none.toml"], 1, "ccagent: --offline: cannot read the script none.toml"),
        (["-p", "hi", "--system-prompt-file", "/dev/zero"], 1, "ccagent: /dev/zero is larger than 4 MiB."),
        (["-p", "hi", "--model", "x", "--context-window", "9" * 400], 1, "ccagent: --context-window needs a number"),
        (["-p", "hi", "--system-prompt-file", "none.txt"], 1, "ccagent: none.txt cannot be read"),
        (["-p", "hi", "--settings", "{bad", "--offline"], 1, "ccagent: "),
        (["-p", "hi", "--add-dir", "hello.txt", "--offline"], 1, "ccagent: --add-dir hello.txt: no such folder.\n"),
        (["sessions", "nobody"], 1, "ccagent: No conversation found with session ID: nobody\n"),
        (["context", "none.jsonl"], 1, "ccagent: "),
        (["doctor", "--onlin"], 2, "usage: ccagent doctor"),
    ],
)
def test_bad_input_is_a_plain_line_and_changes_nothing(repo: Path, words: list[str], code: int, line: str) -> None:
    before = sorted(path.name for path in repo.iterdir())
    ran = ccagent(*words, cwd=repo)
    assert ran.code == code
    assert ran.err.startswith(line)
    assert "Traceback" not in ran.err
    assert sorted(path.name for path in repo.iterdir()) == before
    assert not (Path(os.environ["HOME"]) / ".ccagent" / "projects").exists()


def test_broken_settings_are_named_and_the_rest_works(repo: Path) -> None:
    (repo / ".ccagent").mkdir()
    (repo / ".ccagent" / "settings.json").write_text('{\n  "model": "haiku",,\n}')
    ran = ccagent("-p", "read hello.txt", "--offline", cwd=repo)
    assert ran.code == 0
    assert "warning: " in ran.err
    assert "settings.json:2:" in ran.err


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"import os; os.rmdir({str(gone)!r}); " + BOOT
    finished = subprocess.run(
        [COMMAND[0], "-c", script, "-p", "hi"], cwd=gone, capture_output=True, input=b"", timeout=PATIENCE
    )
    assert finished.returncode == 1
    assert finished.stderr == b"ccagent: the current folder no longer exists. Change to another one.\n"


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="from 3.13 on pathlib's glob passes over the refusal")
def test_what_the_system_refuses_unforeseen_is_one_line(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = "/" + "a" * 300
    monkeypatch.setenv("CCAGENT_HOME", home)
    ran = ccagent("sessions", "prune", cwd=repo)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"ccagent: {home}")
    assert ran.err.endswith(f": {os.strerror(errno.ENAMETOOLONG)}.\n") and ran.err.count("\n") == 1


def test_undecodable_words_do_no_harm(repo: Path) -> None:
    finished = subprocess.run(
        [*COMMAND, "-p", b"caf\xe9", "--offline", "--output-format=json"],
        cwd=repo,
        capture_output=True,
        input=b"",
        timeout=PATIENCE,
    )
    assert finished.returncode == 0
    assert json.loads(finished.stdout)["is_error"] is False


def test_sigterm_in_a_tool_leaves_a_session_to_continue(repo: Path) -> None:
    words = ["-p", "run sleep 60", "--offline", "--allowed-tools", "Bash(sleep:*)", "--output-format", "stream-json"]
    with subprocess.Popen([*COMMAND, *words], cwd=repo, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while b'"tool_use"' not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGTERM)
        last = json.loads(process.stdout.read().splitlines()[-1])
        assert process.wait(timeout=PATIENCE) == 143
    assert (last["type"], last["terminal_reason"], last["num_turns"]) == ("result", "aborted_tools", 1)
    again = ccagent("-pc", "read hello.txt", "--offline", cwd=repo)
    assert again.code == 0
    shown = ccagent("sessions", ccagent("sessions", cwd=repo).out.split()[0], cwd=repo).out
    assert "\n\n> run sleep 60\n" in shown
    assert "> read hello.txt" in shown


@pytest.mark.parametrize("face", ["--print", "--plain"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_the_session_has_the_same_code(
    repo: Path, face: str, number: signal.Signals, code: int
) -> None:
    os.mkfifo(repo / "words")
    words = [face, "hi", "--offline", "--system-prompt-file", "words"]
    process = subprocess.Popen([*COMMAND, *words], cwd=repo, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with process, (repo / "words").open("wb"):  # opens as soon as ccagent reads it
        process.send_signal(number)
        _out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (code, b"")


def test_without_a_terminal_the_line_repl_answers(repo: Path) -> None:
    ran = ccagent(cwd=repo, stdin="read hello.txt\n/exit\n")
    assert ran.code == 0
    assert "hello world" in ran.out
    assert "Offline: rules answer, not a model." in ran.out


def test_a_folder_whose_name_is_no_text_does_no_harm(repo: Path) -> None:
    odd = os.fsencode(repo) + b"/caf\xe9"
    os.mkdir(odd)
    with open(odd + b"/CLAUDE.md", "w") as memory:
        memory.write("Be brief.")
    for words in (["-p", "hi"], ["-pc", "list files", "--output-format=stream-json"], ["-pc", "/compact"]):
        finished = subprocess.run(
            [*COMMAND, *words, "--offline"], cwd=odd, capture_output=True, input=b"", timeout=PATIENCE
        )
        assert (finished.returncode, b"Traceback" in finished.stderr) == (0, False), finished.stderr
        assert finished.stdout.decode()


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["doctor"], ["sessions"], ["--plain", "--offline"]])
@pytest.mark.parametrize(
    ("redirect", "line"),
    [
        (">/dev/full", "ccagent: standard output cannot be written (No space left on device).\n"),
        (">&-", "ccagent: standard output is closed.\n"),
    ],
)
def test_an_output_that_takes_nothing_is_one_line(repo: Path, words: list[str], redirect: str, line: str) -> None:
    shell = ["sh", "-c", f'exec "$@" {redirect}', "sh", *COMMAND, *words]
    finished = subprocess.run(shell, cwd=repo, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    assert (finished.returncode, finished.stderr.decode()) == (1, line)


@pytest.mark.parametrize("words", [["--help"], ["doctor"], ["sessions"]])
def test_a_reader_that_leaves_gets_no_story(repo: Path, words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    finished = subprocess.run([*COMMAND, *words], cwd=repo, stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE)
    os.close(writer)
    assert (finished.returncode, finished.stderr) == (1, b"")


def test_notices_that_nobody_can_hear_stop_nothing(repo: Path) -> None:
    with open("/dev/full", "wb") as full:
        finished = subprocess.run(
            [*COMMAND, "-p", "read hello.txt", "--offline"],
            cwd=repo,
            input=b"",
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=PATIENCE,
        )
    assert (finished.returncode, b"hello" in finished.stdout) == (0, True)


def test_init_offline_says_that_it_leaves_wishes_out(repo: Path) -> None:
    for told in ("Wrote", "nothing was written"):  # the second time the file is there
        out = ccagent("-p", "/init keep it short", "--offline", cwd=repo).out
        assert told in out
        assert "Your wishes need a model and were left out." in out
