"""Figures of the token counter and the meter: speed, and the error of the anchored meter on real sessions.

python tests/bench/bench_tokens.py      sessions come from $CCAGENT_BENCH_DATA (*.jsonl.gz with usage, there or one folder below), else from a generator
python tests/bench/bench_tokens.py ctok       the same sessions counted by `ctok`, after our own system prompt and tools (Python 3.12+, `pip install ctok`; a minute)
"""

import gzip
import importlib
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

from agent.context.meter import Meter
from agent.context.sources import overhead_of
from agent.context.tiers import compute_tiers
from agent.prompts.system import system_prompt
from agent.protocol.blocks import Text, ToolResult
from agent.protocol.messages import Message, Usage, user_message
from agent.protocol.meter import Windows, WindowSource
from agent.tokens.counter import TokenCounter
from agent.tokens.features import estimate_text
from agent.tokens.vocabulary import vocabulary
from agent.tools.registry import all_tools

WORDS = [
    "parser",
    "module",
    "function",
    "returns",
    "value",
    "error",
    "stream",
    "buffer",
    "render",
    "cache",
    "index",
    "path",
    "session",
    "token",
    "because",
    "when",
]


class Turn(Struct, frozen=True):
    """One message and, for an answer, what the API counted for it."""

    message: Message
    usage: Usage | None


class Replay(Struct):
    """Relative errors of the meter before each response but the first, and whether the margin held."""

    errors: list[float]
    held: list[bool]


def code(size: int, seed: int = 1) -> str:
    """Some text that looks like a program, `size` characters long."""
    dice = random.Random(seed)
    lines, length = [], 0
    while length < size:
        words = [dice.choice(WORDS) for _ in range(dice.randint(3, 9))]
        lines.append(
            "    " * dice.randint(0, 4) + f"{words[0]}_{words[1]}({', '.join(words[2:])}) = {dice.randint(0, 9999)}\n"
        )
        length += len(lines[-1])
    return "".join(lines)[:size]


def best_of(count: int, run: Callable[[], object]) -> float:
    """Milliseconds of CPU of the fastest of `count` runs: other work on the machine counts little."""
    times = []
    for _ in range(count):
        begun = time.process_time()
        run()
        times.append(1_000 * (time.process_time() - begun))
    return min(times)


def new_meter(tokenizer: str) -> Meter:
    windows = Windows(model=1_000_000, compaction=1_000_000, max_output=64_000, source=WindowSource.ASSUMED)
    meter = Meter(tokenizer)
    meter.configure(windows, compute_tiers(windows, auto=True)[0], True)
    return meter


def speed() -> None:
    million = code(1_000_000)
    programs = "".join(path.read_text() for path in sorted(Path(os.__file__).parent.glob("*.py")))[:1_000_000]
    history = [user_message(code(10_000, seed)) for seed in range(100)]
    meter = new_meter("v4.8")
    print(f"reading the vocabulary        {best_of(5, lambda: vocabulary.__wrapped__('v4.8')):8.2f} ms")
    print(f"1 MB of text, cold            {best_of(5, lambda: estimate_text(million)):8.2f} ms")
    print(f"1 MB of real programs, cold   {best_of(5, lambda: estimate_text(programs)):8.2f} ms")
    print(f"100 messages of 10 KB, cold   {best_of(1, lambda: meter.read(history, 3_000)):8.2f} ms")
    print(f"the same again                {best_of(20, lambda: meter.read(history, 3_000)):8.3f} ms")
    meter.observe([*history, Message(role="assistant", blocks=(Text(text="ok"),))], Usage(input=400_000, output=2))
    grown = [*history, Message(role="assistant", blocks=(Text(text="ok"),))]
    fresh = iter(range(1_000, 1_100))
    texts = {seed: code(10_000, seed) for seed in range(1_000, 1_100)}
    print(
        f"one more message of 10 KB     {best_of(20, lambda: meter.read([*grown, user_message(texts[next(fresh)])], 3_000)):8.3f} ms"
    )


def recorded(folder: Path) -> Iterator[list[Turn]]:
    """Sessions as recorded; `system` counts as a first user message, since it is what the prompt held, and the output of a command as a result."""
    for path in sorted((*folder.glob("*.jsonl.gz"), *folder.glob("*/*.jsonl.gz"))):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield [_turn(place, record) for place, record in enumerate(json.loads(line)["messages"])]


def _turn(place: int, record: dict[str, object]) -> Turn:
    role = "assistant" if record["role"] == "assistant" else "user"
    usage = record.get("usage")
    counted = None
    if isinstance(usage, dict):
        cached = int(usage.get("cached_tokens") or 0)
        counted = Usage(input=usage["prompt_tokens"] - cached, cache_read=cached, output=usage["completion_tokens"])
    text = str(record["content"])
    is_output = role == "user" and place > 1
    block = ToolResult(tool_use_id=f"call-{place}", content=text) if is_output else Text(text=text)
    return Turn(message=Message(role=role, blocks=(block,)), usage=counted)


def generated(sessions: int = 20, turns: int = 40) -> Iterator[list[Turn]]:
    """Sessions of a server whose tokens are 0.85 of our estimate, give or take 8 % a block."""
    for seed in range(sessions):
        dice = random.Random(seed)
        total, session = 0, []
        for turn in range(turns):
            said, done = (
                code(dice.randint(50, 9_000), seed * 1_000 + turn),
                code(dice.randint(50, 900), seed * 2_000 + turn),
            )
            total += round(0.85 * dice.gauss(1, 0.08) * estimate_text(said, "v3"))
            output = estimate_text(done, "v3")
            session += [Turn(user_message(said), None)]
            session += [Turn(Message(role="assistant", blocks=(Text(text=done),)), Usage(input=total, output=output))]
            total += output
        yield session


FRAMES = {"v3": 7, "v4.8": 6}  # tokens that ctok adds to a text as the frame of a lone message
AROUND = 5  # tokens around a message in a conversation


def oracle(tokenizer: str) -> Callable[[str], int]:
    """Claude's tokens of a text, as far as ctok knows its tokenizer."""
    token_count: Callable[[str, str], int] = importlib.import_module("ctok").token_count

    @cache
    def count(text: str) -> int:
        return token_count(text, tokenizer.removeprefix("v")) - FRAMES[tokenizer]

    return count


def beginning(counter: TokenCounter) -> int:
    """Tokens of our system prompt and tools."""
    return overhead_of(system_prompt(), [tool.spec for tool in all_tools(None, {})], counter)


def counted_by(count: Callable[[str], int], session: list[Turn], overhead: int) -> list[Turn]:
    """The session with the usage that Claude's API would have reported."""
    total, counted = overhead, []
    for turn in session:
        (block,) = turn.message.blocks
        size = count(block.text if isinstance(block, Text) else str(block.content)) + AROUND
        usage = Usage(input=total, output=size) if turn.message.role == "assistant" else None
        counted.append(Turn(turn.message, usage))
        total += size
    return counted


def replay(session: list[Turn], tokenizer: str, overhead: int, figures: Replay) -> None:
    """`overhead` is what the meter is told of system and tools: its own estimate, as in a session."""
    meter = new_meter(tokenizer)
    view: list[Message] = []
    observed = False
    for turn in session:
        if turn.usage is not None:
            reading = meter.read(view, overhead)
            if observed and reading.used is not None:
                error = abs(reading.used - turn.usage.prompt)
                figures.errors.append(100 * error / turn.usage.prompt)
                figures.held.append(error <= reading.margin)
            observed = True
        view.append(turn.message)
        if turn.usage is not None:
            meter.observe(view, turn.usage)


def accuracy(sessions: list[list[Turn]], tokenizer: str, overhead: int = 0) -> None:
    figures = Replay(errors=[], held=[])
    for session in sessions:
        replay(session, tokenizer, overhead, figures)
    errors = sorted(figures.errors)
    mean, held = sum(errors) / len(errors), 100 * sum(figures.held) / len(figures.held)
    p50, p95, p99 = (errors[int(share * len(errors))] for share in (0.5, 0.95, 0.99))
    print(
        f"{tokenizer:5} {len(sessions)} sessions, {len(errors)} requests: mean {mean:.3f} %, median {p50:.3f} %, "
        f"p95 {p95:.2f} %, p99 {p99:.2f} %; the 95 % margin held {held:.1f} %"
    )


def main() -> None:
    speed()
    folder = os.environ.get("CCAGENT_BENCH_DATA")
    sessions = list(recorded(Path(folder))) if folder else list(generated())
    if sys.argv[1:] != ["ctok"]:
        print(f"replay of {'recorded' if folder else 'generated'} sessions:")
        accuracy(sessions, "other")  # what the model of another vendor gets
        return
    print(f"replay of {'recorded' if folder else 'generated'} sessions, counted by ctok:")
    for tokenizer in FRAMES:
        count = oracle(tokenizer)
        before = beginning(TokenCounter(tokenizer, count))
        counted = [counted_by(count, session, before) for session in sessions]
        accuracy(counted, tokenizer, beginning(TokenCounter(tokenizer)))


if __name__ == "__main__":
    sys.exit(main())
