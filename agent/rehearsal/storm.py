"""Bad weather by the seed: the same mixture of faults every time, before and around the replies of a script."""

import random
from collections.abc import Callable

import msgspec

from agent.rehearsal.replies import Cut, Reply, Weather
from agent.rehearsal.script import Script, breaks, drop, empty, fail, html, say

SHORT = 400
"""Bytes after which no answer is complete yet."""

FAULTS: tuple[Callable[[random.Random], Reply], ...] = (
    lambda chance: fail(429, message="Too many requests", headers={"retry-after": "0"}),
    lambda chance: fail(429, message="Too many requests"),
    lambda chance: fail(529),
    lambda chance: fail(500, message="Internal server error"),
    lambda chance: html(chance.choice((502, 503, 504))),
    lambda chance: empty(),
    lambda chance: drop(chance.randrange(0, SHORT)),
    lambda chance: drop(chance.randrange(0, SHORT), rst=True),
    lambda chance: breaks(after_words=chance.randrange(0, 40)),
    lambda chance: breaks("api_error", after_words=3, message="Internal server error"),
)
"""What a client should survive by asking again."""

STALLS = 0.2
"""The share of the replies that pause on their way."""


def storm(script: Script, seed: int, *, faults: int = 2) -> Script:
    """The script, each reply after 0 to `faults` faults and in rough weather of its own: slow starts, pauses, odd chunks."""
    chance = random.Random(seed)
    played: list[Reply] = []
    for reply in script.replies:
        played.extend(chance.choice(FAULTS)(chance) for _ in range(chance.randint(0, faults)))
        played.append(reply.by(_rough(reply.weather, chance)))
    return Script(played, loop=script.loop, name=f"storm {seed}", window=script.window, fills=script.fills)


def bare_storm(seed: int, count: int = 50) -> Script:
    """A storm around a script of plain answers, for who has none."""
    return storm(Script([say(f"Answer {number} came through.") for number in range(1, count + 1)]), seed)


def _rough(weather: Weather, chance: random.Random) -> Weather:
    return msgspec.structs.replace(
        weather,
        delay=chance.choice((0.0, 0.0, chance.uniform(0.0, 0.1))),
        chunk=chance.choice((0, 1, 7, chance.randrange(1, 4096))),
        piece=chance.choice((1, 5, 24, 400)),
        cut=weather.cut or (_stall(chance) if chance.random() < STALLS else None),
    )


def _stall(chance: random.Random) -> Cut:
    return Cut("stall", after_words=chance.randrange(3), seconds=chance.uniform(0.0, 0.2), pings=chance.random() < 0.5)
