"""Deterministic texts that look like what agents say."""

import random
from collections.abc import Iterator

WORDS = [
    "the",
    "a",
    "parser",
    "module",
    "function",
    "returns",
    "value",
    "error",
    "test",
    "widget",
    "stream",
    "buffer",
    "layout",
    "render",
    "cache",
    "index",
    "file",
    "path",
    "config",
    "session",
    "token",
    "context",
    "agent",
    "tool",
    "call",
    "result",
    "diff",
    "line",
    "message",
    "update",
    "state",
    "event",
    "loop",
    "async",
    "await",
    "thread",
    "queue",
    "lock",
    "because",
    "when",
]


def sentence(source: random.Random, words: int) -> str:
    """A sentence with some inline code, emphasis and links."""
    chosen = [source.choice(WORDS) for _ in range(words)]
    for at, word in enumerate(chosen):
        dice = source.random()
        if dice < 0.04:
            chosen[at] = f"`{word}_{source.choice(WORDS)}()`"
        elif dice < 0.06:
            chosen[at] = f"**{word}**"
        elif dice < 0.065:
            chosen[at] = f"[{word}](https://example.com/{word})"
    return " ".join(chosen).capitalize() + "."


def paragraph(source: random.Random) -> str:
    """Two to five sentences."""
    return " ".join(sentence(source, source.randint(6, 18)) for _ in range(source.randint(2, 5))) + "\n\n"


def fence(source: random.Random) -> str:
    """Five to thirty lines of Python."""
    lines = [
        f"    self.{source.choice(WORDS)}[{number}] = {source.choice(WORDS)!r}  # {source.choice(WORDS)}"
        for number in range(source.randint(5, 30))
    ]
    return "\n".join([f"```python\ndef {source.choice(WORDS)}(self):", *lines, "```"]) + "\n\n"


def bullets(source: random.Random) -> str:
    """A list."""
    return "".join(f"- {sentence(source, source.randint(5, 14))}\n" for _ in range(source.randint(3, 8))) + "\n"


def table(source: random.Random) -> str:
    """A table."""
    rows = "".join(
        f"| {source.choice(WORDS)} | {source.randint(1, 9999)} | {sentence(source, 4)} |\n" for _ in range(5)
    )
    return f"| name | value | note |\n|---|---:|---|\n{rows}\n"


def mixed(characters: int, seed: int = 1) -> str:
    """Paragraphs, code, lists, tables and headings."""
    source = random.Random(seed)
    parts: list[str] = []
    size = 0
    while size < characters:
        make = source.choices((paragraph, fence, bullets, table), (48, 19, 24, 9))[0]
        parts.append(make(source) if source.random() > 0.1 else f"## {sentence(source, 4)}\n\n")
        size += len(parts[-1])
    return "".join(parts)[:characters]


def pieces(text: str, mean: int = 20, seed: int = 2) -> Iterator[str]:
    """`text` in pieces of about `mean` characters, as deltas come."""
    source = random.Random(seed)
    at = 0
    while at < len(text):
        size = max(1, int(source.expovariate(1 / mean)))
        yield text[at : at + size]
        at += size
