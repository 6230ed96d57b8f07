"""The whole command in a home and a folder whose files are no files: it never waits, never fills the memory, and says what it left out."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.ccagent import ccagent

HOME_FILES = (
    ".claude/settings.json",
    ".claude/CLAUDE.md",
    ".claude/rules/a.md",
    ".claude/commands/a.md",
    ".claude/skills/a/SKILL.md",
    ".ccagent/settings.json",
    ".ccagent/CLAUDE.md",
    ".ccagent/trust.json",
    ".ccagent/history",
    ".ccagent/cache/windows.json",
    ".ccagent/logs/ccagent.jsonl",
    ".config/anthropic/active_config",
)
FOLDER_FILES = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".ccagent/settings.json",
    ".claude/commands/b.md",
    "hook.sh",
    "mentioned.txt",
)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


@pytest.fixture(params=[pipe, endless, folder])
def odd(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    make: Callable[[Path], None] = request.param
    return make


def test_a_session_begins_and_answers(tmp_path: Path, odd: Callable[[Path], None]) -> None:
    places = [*(Path(os.environ["HOME"]) / name for name in HOME_FILES), *(tmp_path / name for name in FOLDER_FILES)]
    for path in places:
        path.parent.mkdir(parents=True, exist_ok=True)
        odd(path)
    ran = ccagent("-p", "read mentioned.txt then list files, see @mentioned.txt", "--offline", "--trust", cwd=tmp_path)
    assert ran.code == 0
    assert "Traceback" not in ran.err
    assert "settings.json skipped: not a file but" in ran.err
    assert f"{tmp_path}/CLAUDE.md left out: " in ran.err


def test_trust_is_not_taken_from_and_not_written_to_what_is_no_file(tmp_path: Path) -> None:
    home = Path(os.environ["HOME"]) / ".ccagent"
    home.mkdir()
    pipe(home / "trust.json")
    (tmp_path / ".claude").mkdir()
    hook = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}}
    (tmp_path / ".claude/settings.json").write_text(json.dumps(hook))
    ran = ccagent("-p", "hi", "--offline", cwd=tmp_path)
    assert ran.code == 0
    assert not (tmp_path / "ran").exists()


def test_a_transcript_that_is_no_file_is_no_session(tmp_path: Path) -> None:
    assert ccagent("-p", "hi", "--offline", cwd=tmp_path).code == 0
    (sessions,) = (Path(os.environ["HOME"]) / ".ccagent/projects").iterdir()
    pipe(sessions / "6ba7b810-9dad-41d1-80b4-00c04fd430c8.jsonl")
    pipe(sessions / "cleared.jsonl")
    assert ccagent("sessions", cwd=tmp_path).code == 0
    assert ccagent("context", "--all", cwd=tmp_path).code == 0
    assert ccagent("-pc", "hi", "--offline", cwd=tmp_path).code == 0
    ran = ccagent("-p", "hi", "--offline", "--resume", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", cwd=tmp_path)
    assert (ran.code, ran.err.splitlines()[-1][:9]) == (1, "ccagent: ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["rehearse", "--script", "/dev/zero"], "rehearse: cannot read the script /dev/zero: larger than 256 MiB"),
        (["rehearse", "--convert", "/dev/zero"], "rehearse: [Errno 27] larger than 256 MiB: '/dev/zero'"),
        (
            ["-p", "hi", "--offline=/dev/zero"],
            "ccagent: --offline: cannot read the script /dev/zero: larger than 256 MiB",
        ),
        (["-p", "hi", "--offline", "--settings", "/dev/zero"], "ccagent: --settings /dev/zero: larger than 2 MiB."),
        (
            ["-p", "hi", "--offline", "--append-system-prompt-file", "/dev/zero"],
            "ccagent: /dev/zero is larger than 4 MiB.",
        ),
        (["-p", "hi", "--offline", "--resume", "/dev/zero"], "ccagent: "),
        (["context", "/dev/zero"], "ccagent: There is no transcript /dev/zero."),
    ],
)
def test_an_endless_file_named_by_a_person_is_refused(tmp_path: Path, words: list[str], line: str) -> None:
    ran = ccagent(*words, cwd=tmp_path)
    assert ran.code in (1, 2)
    assert ran.err.splitlines()[-1].startswith(line)


def test_a_home_that_can_hold_nothing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCAGENT_HOME", "/proc")
    ran = ccagent("-p", "hi", "--offline", cwd=tmp_path)
    assert ran.code == 1
    assert ran.err.endswith("Nothing was changed. Set CCAGENT_HOME to a folder that can be written.\n")
    assert "No conversation found" not in ran.err
