"""A process that runs `tui.headless` over a scripted session: `python headless_main.py SCRIPT FORMAT [PROMPT] [--input-json] [--partial]`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agent.protocol.errors import SessionNotFound
from agent.protocol.events import Notice, TextDelta
from tests.support.fake_session import FakeSession, Step, Wait, fail, say
from tui.headless.run import Print, run_print

SCRIPTS: dict[str, list[list[Step]]] = {
    "say": [say("hello")],
    "big": [say("x" * 3_000_000)],
    "twice": [say("one"), say("two")],
    "fail": [fail("The API refused.")],
    "escape": [say("a\x1b]0;owned\x07b")],
    "notices": [[Notice("warning", "settings.json: bad\x1b[2J key"), *say("hello")]],
    "hang": [[TextDelta("a"), Wait()]],
}


class Announcing(FakeSession):
    """Says on stderr what a test waits for."""

    async def start(self) -> None:
        print("started", file=sys.stderr, flush=True)

    async def close(self) -> None:
        print("closed", file=sys.stderr, flush=True)


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    script, output_format, prompt = words[0], words[1], words[2] if len(words) > 2 else None

    async def make() -> FakeSession:
        if script == "missing":
            raise SessionNotFound("No conversation found with session ID: X")
        return Announcing(*SCRIPTS[script])

    job = Print(
        prompt=prompt,
        output_format=output_format,
        input_format="stream-json" if "--input-json" in sys.argv else "text",
        partial="--partial" in sys.argv,
        version="0.0.0",
    )
    return run_print(make, job)


if __name__ == "__main__":
    sys.exit(main())
