"""A call's context over a real folder, and `call`, which does what the loop does with a tool."""

import itertools
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

from agent.protocol.tools import Tool, ToolContext, ToolOutput
from agent.tools.read_state import FileReadState

T = TypeVar("T")


class Desk:
    """A session's side of the tools: the folder `root`, what was read, what was written, what was shown live."""

    def __init__(self, base: Path, env: Mapping[str, str]) -> None:
        self.base = base
        self.root = base / "project"
        self.root.mkdir()
        self.spill = base / "spill"
        self.cwd = self.root
        self.env = dict(env)
        self.read_state = FileReadState()
        self.progress: list[str] = []
        self.snapshots: list[Path] = []
        self._ids = itertools.count(1)

    def context(self) -> ToolContext:
        async def progress(text: str) -> None:
            self.progress.append(text)

        return ToolContext(
            cwd=self.cwd,
            roots=(self.root,),
            read_state=self.read_state,
            env=self.env,
            spill_dir=self.spill,
            tool_use_id=f"toolu_{next(self._ids)}",
            progress=progress,
            set_cwd=self.go,
            before_write=self.snapshots.append,
        )

    def go(self, folder: Path) -> None:
        self.cwd = folder

    def write(self, name: str, data: bytes | str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file


Call = Callable[..., Awaitable[ToolOutput]]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty project."""
    return Desk(tmp_path, {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)})


@pytest.fixture
def call(desk: Desk) -> Call:
    """Parse and run: `await call(tool, field=value, ...)`; fields that are no Python names go into a dict as `fields`."""

    async def run(tool: Tool[T], fields: Mapping[str, object] | None = None, **more: object) -> ToolOutput:
        context = desk.context()
        parsed = tool.parse({**(fields or {}), **more})
        tool.subject(parsed, context.cwd)
        output = await tool.run(parsed, context)
        assert output.text.strip(), "a tool's text is never blank"
        return output

    return run
