"""Whatever the program opens by itself goes through `agent/files/regular.py`: a pipe or an endless device in a file's place must hold nobody up."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
GIVEN = "named by a person: a pipe of the shell's is welcome, and it is bounded"
PACKAGED = "comes with the program"
WRITTEN = "written, not read"
OTHERWISE = {
    "agent/files/regular.py": "the reader itself",
    "agent/rehearsal/given_file.py": GIVEN,
    "agent/settings/launch.py": GIVEN,
    "tui/session_options.py": GIVEN,
    "agent/compact/prompt.py": PACKAGED,
    "agent/permissions/risky_options.py": PACKAGED,
    "agent/prompts/init.py": PACKAGED,
    "agent/prompts/system.py": PACKAGED,
    "agent/tools/spec.py": PACKAGED,
    "agent/tokens/vocabulary.py": PACKAGED,
    "agent/files/atomic.py": WRITTEN,
    "agent/process/capture.py": WRITTEN,
    "agent/rehearsal/journal.py": WRITTEN,
    "agent/telemetry/log.py": WRITTEN,
    "agent/transcript/store.py": WRITTEN,
    "tui/app/terminal_guard.py": WRITTEN,
    "tui/std_streams.py": WRITTEN,
    "agent/tools/matches.py": "a folder",
}
NO_FILES = {"self", "store", "questions", "Transcript", "self.journal", "self._conversations", "self._runner"}


def reads(path: Path) -> Iterator[str]:
    """The calls in a module that open a file in a way of their own."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id="open" as call)):
                yield call
            case ast.Call(func=ast.Attribute(attr="read_bytes" | "read_text" as call)):
                yield call
            case ast.Call(func=ast.Attribute(value=owner, attr="open" as call)) if ast.unparse(owner) not in NO_FILES:
                yield f"{ast.unparse(owner)}.{call}"


def test_every_file_is_opened_by_the_one_reader() -> None:
    found = {
        name: sorted(calls)
        for package in ("agent", "tui")
        for path in sorted((ROOT / package).rglob("*.py"))
        if (calls := set(reads(path))) and (name := path.relative_to(ROOT).as_posix()) not in OTHERWISE
    }
    assert found == {}


def test_no_exception_is_left_over() -> None:
    assert [name for name in OTHERWISE if not set(reads(ROOT / name))] == []
