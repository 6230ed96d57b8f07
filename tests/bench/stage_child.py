"""Runs the app on this terminal with an engine that streams: `stage_child.py CHARACTERS CHUNKS_PER_SECOND MESSAGES` (0 = as fast as it is read)."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from bench_texts import mixed, paragraph, pieces  # noqa: E402

from agent.protocol.blocks import Text  # noqa: E402
from agent.protocol.events import AssistantDone, Event, Notice, PromptAccepted, TextDelta, TurnStarted  # noqa: E402
from agent.protocol.messages import Message  # noqa: E402
from tests.support.scripted_engine import DONE, ScriptedEngine  # noqa: E402
from tui.app.run import run_app  # noqa: E402


def assistant(text: str) -> AssistantDone:
    """A recorded answer."""
    message = Message("assistant", (Text(text=text),))
    return AssistantDone(uuid="a", message=message, message_id="m", model="x", stop_reason="end_turn", usage=None)


class StreamingEngine(ScriptedEngine):
    """Answers every prompt with one long text at a steady pace."""

    def __init__(self, characters: int, pace: float, messages: int) -> None:
        import random

        source = random.Random(7)
        history: list[Event] = []
        for number in range(messages // 2):
            history += [PromptAccepted(str(number), f"prompt {number}"), assistant(paragraph(source) + "- a\n- b\n")]
        super().__init__(history=history)
        self._text = mixed(characters)
        self._pace = pace

    async def prompt(self, text: str) -> AsyncIterator[Event]:
        """The long answer, then a line that says how long it took."""
        yield PromptAccepted("p", text)
        yield TurnStarted(1)
        began = time.perf_counter()
        for number, piece in enumerate(pieces(self._text, 80)):
            if self._pace:
                await asyncio.sleep(max(0.0, began + number / self._pace - time.perf_counter()))
            elif number % 64 == 0:
                await asyncio.sleep(0)
            yield TextDelta(piece)
        yield assistant(self._text)
        yield Notice("info", "THE END")
        yield DONE


def main() -> int:
    """Run until left."""
    characters, pace, messages = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    engine = StreamingEngine(characters, pace, messages)

    async def open_engine() -> StreamingEngine:
        return engine

    return run_app(open_engine, first_prompt=None, history=None, env=os.environ)


if __name__ == "__main__":
    sys.exit(main())
