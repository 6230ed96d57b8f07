"""A session of sixty small tool turns, and what it is billed."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agent.rehearsal.replies import Reply
from agent.rehearsal.script import call, reply, thinking, tool

TURNS = 60
READ, WRITTEN = 0.1, 1.25  # of the price of a plain token


def values_file(folder: Path) -> Path:
    """A hundred short lines to look through."""
    path = folder / "values.py"
    path.write_text("".join(f"value_{n} = {n * n}  # the square of {n}\n" for n in range(100)), encoding="utf-8")
    return path


def steps(file: str) -> Iterator[Reply]:
    """Reads, searches, commands, thinking and parallel calls, as a session of small steps has them."""
    for n in range(TURNS // 4):
        yield call("Read", file_path=file, offset=1 + n, limit=20)
        yield call("Grep", pattern=f"value_{n}\\b", path=file, output_mode="content")
        yield call("Bash", command=f"sed -n {n + 1},{n + 12}p {file}", description="look")
        yield reply(
            thinking(f"what next, {n}?"),
            tool("Read", {"file_path": file, "offset": 50 + n, "limit": 5}),
            tool("Bash", {"command": f"wc -l {file} # {n}"}),
        )


def billed(usages: Sequence[Mapping[str, int]]) -> float:
    """All prompts in plain tokens: what the cache read at a tenth, what it wrote at five quarters of their price."""
    return sum(
        usage["input_tokens"] + READ * usage["cache_read_input_tokens"] + WRITTEN * usage["cache_creation_input_tokens"]
        for usage in usages
    )
