"""A folder to work in, and the app started there on a terminal of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.app_terminal import APP, environment
from tests.support.terminal import Terminal

Start = Callable[..., Terminal]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A folder with one file."""
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.py").write_text("def f():\n    return 1\n")
    return folder


@pytest.fixture
def start(repo: Path) -> Iterator[Start]:
    """`start(ARGUMENTS, before="exec", after="")`: the app, offline, with shell words before and after it."""
    opened: list[Terminal] = []

    def run(arguments: str = "", *, before: str = "exec", after: str = "", **size: int) -> Terminal:
        offline = "" if "--offline" in arguments else "--offline"
        command = f"{before} {APP} {offline} {arguments} {after}"
        opened.append(
            Terminal(["/bin/sh", "-c", command], cwd=repo, env=environment(PROMPT_TOOLKIT_NO_CPR="1"), **size)
        )
        return opened[-1]

    yield run
    for terminal in opened:
        terminal.close()
