"""Figures of Glob and Grep on 100,000 files, beside ripgrep doing the same work.

Run: python tests/bench/bench_search.py
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agent.protocol.tools import ToolContext
from agent.tools.glob import Glob
from agent.tools.grep import Grep
from agent.tools.limits import Limits
from agent.tools.read_state import FileReadState

FOLDERS, FILES = 200, 500
REPEATS = 5
RG = str(Path(sys.executable).parent / "rg")


def make_tree(root: Path) -> None:
    """100,000 small files; every third a text."""
    for folder in range(FOLDERS):
        place = root / f"d{folder % 20}" / f"s{folder}"
        place.mkdir(parents=True)
        for number in range(FILES):
            (place / f"f{number}.{'py' if number % 3 else 'txt'}").write_text(f"line {number}\n", encoding="utf-8")


def context(root: Path) -> ToolContext:
    async def progress(_text: str) -> None:
        return None

    return ToolContext(
        cwd=root,
        roots=(root,),
        read_state=FileReadState(),
        env=dict(os.environ),
        spill_dir=root.parent / "spill",
        tool_use_id="bench",
        progress=progress,
        set_cwd=lambda _folder: None,
    )


def best(work: Callable[[], object]) -> float:
    """Wall milliseconds, the best of a few."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times) * 1000


def rg(root: Path, *words: str) -> float:
    command = [RG, "--no-config", "--hidden", *words]
    return best(lambda: subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=False))


def ours(root: Path, tool: Glob | Grep, **fields: object) -> float:
    return best(lambda: asyncio.run(tool.run(tool.parse(fields), context(root))))  # type: ignore[arg-type]  # parsed by the same tool


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        make_tree(root)
        rows = [
            ("Glob **/*", ours(root, Glob(Limits()), pattern="**/*"), rg(root, "--files", "--sortr=modified")),
            (
                "Glob *.txt",
                ours(root, Glob(Limits()), pattern="*.txt"),
                rg(root, "--files", "-g*.txt", "--sortr=modified"),
            ),
            (
                "Grep, files",
                ours(root, Grep(Limits()), pattern="line 42$"),
                rg(root, "-l", "--sortr=modified", "line 42$"),
            ),
            (
                "Grep, lines",
                ours(root, Grep(Limits()), pattern="line 42$", output_mode="content"),
                rg(root, "--sort=path", "line 42$"),
            ),
        ]
    for name, mine, theirs in rows:
        print(f"{name:<12} {mine:7.0f} ms   rg, sorted alike {theirs:7.0f} ms   {mine / theirs:4.2f} times")


if __name__ == "__main__":
    main()
