"""The prompt cache: what a request reads from it, writes to it, and pays in full."""

import hashlib
from collections.abc import Callable, Iterator

import msgspec

from agent.rehearsal.prompt import Piece, Prompt, chain, is_thinking
from agent.rehearsal.wire import as_object, as_text

LOOK_BACK = 20
"""Positions that are looked at before each mark; a run of tool calls, or of results, is one position."""

TTL = {"5m": 300.0, "1h": 3600.0}
"""Seconds that an entry lives, from the start of the request that wrote or read it."""

MAX_ENTRIES = 20_000


class CacheUse(msgspec.Struct, frozen=True):
    """Tokens of one prompt by what they cost: `fresh + read + write_5m + write_1h` is the whole prompt."""

    fresh: int
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0


class _Place(msgspec.Struct, frozen=True):
    """The end of one piece: the digest and the tokens up to there, its position, and the ttl of its mark."""

    digest: bytes
    tokens: int
    position: int
    ttl: str | None


class PromptCache:
    """Entries by digest of everything before a mark. `clock` gives seconds; tests may turn it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._entries: dict[bytes, tuple[float, float]] = {}

    def use(self, prompt: Prompt) -> CacheUse:
        """Account for a request that starts now: read the longest live prefix, write at every mark beyond it."""
        now = self._clock()
        places = list(_places(prompt))
        marks = [number for number, place in enumerate(places) if place.ttl is not None]
        read = max((self._read(places, mark, now) for mark in marks), default=0)
        boundary = read
        writes = {"5m": 0, "1h": 0}
        for mark in marks:
            place = places[mark]
            if place.ttl is None or place.tokens < prompt.model.min_cache:
                continue
            self._entries[place.digest] = (now + TTL[place.ttl], TTL[place.ttl])
            if place.tokens > boundary:
                writes[place.ttl] += place.tokens - boundary
                boundary = place.tokens
        self._prune(now)
        return CacheUse(prompt.tokens - boundary, read, writes["5m"], writes["1h"])

    def _read(self, places: list[_Place], mark: int, now: float) -> int:
        for place in reversed(places[: mark + 1]):
            if places[mark].position - place.position > LOOK_BACK:
                return 0
            expires, ttl = self._entries.get(place.digest, (0.0, 0.0))
            if expires > now:
                self._entries[place.digest] = (now + ttl, ttl)
                return place.tokens
        return 0

    def _prune(self, now: float) -> None:
        if len(self._entries) > MAX_ENTRIES:
            self._entries = {digest: entry for digest, entry in self._entries.items() if entry[0] > now}


def _places(prompt: Prompt) -> Iterator[_Place]:
    pieces = prompt.pieces
    digest = hashlib.blake2b(_settings(prompt, "model", "speed"), digest_size=16).digest()
    automatic = _automatic(prompt)
    tokens = position = 0
    before: Piece | None = None
    for number, piece in enumerate(pieces):
        if piece.area == "messages" and (before is None or before.area != "messages"):
            digest = chain(digest, _message_settings(prompt))
        run = before is not None and piece.kind in ("tool_use", "tool_result") and piece.kind == before.kind
        position += 0 if run else 1
        digest = chain(digest, piece.area.encode() + b"\0" + piece.content)
        tokens += piece.tokens
        mark = piece.mark if piece.mark is not None else automatic if number == len(pieces) - 1 else None
        ttl = (as_text(as_object(mark).get("ttl")) or "5m") if mark is not None else None
        yield _Place(digest, tokens, position, ttl if ttl in TTL else None)
        before = piece


def _automatic(prompt: Prompt) -> object:
    last = prompt.messages[-1].blocks[-1:] if prompt.messages else ()
    return None if last and is_thinking(last[0]) else prompt.body.get("cache_control")


def _message_settings(prompt: Prompt) -> bytes:
    """What throws the messages' cache away when it changes, though tools and system keep theirs."""
    images = any(piece.kind == "image" for piece in prompt.pieces)
    effort = as_object(prompt.body.get("output_config")).get("effort")
    return _settings(prompt, "tool_choice", "thinking") + msgspec.json.encode([images, effort])


def _settings(prompt: Prompt, *names: str) -> bytes:
    return msgspec.json.encode([prompt.body.get(name) for name in names], order="sorted")
