"""Why the prompt cache missed: a comparison of a request with the one that a client names as its last."""

from collections.abc import Iterable

import msgspec

from agent.rehearsal.prompt import Piece, Prompt, chain
from agent.rehearsal.wire import Json, as_object, as_text

REMEMBERED = 500


class Fingerprint(msgspec.Struct, frozen=True):
    """What decides over a prompt's cache: the model, digests of tools, system and other settings, every message block."""

    model: str
    tools: bytes
    system: bytes
    settings: bytes
    blocks: tuple[bytes, ...]
    tokens: tuple[int, ...]


class Diagnoses:
    """Fingerprints of answered requests by message id."""

    def __init__(self) -> None:
        self._known: dict[str, Fingerprint] = {}

    def diagnose(self, prompt: Prompt) -> Json | None:
        """`diagnostics` of an answer: None when it was not asked for, or nothing diverged."""
        if "diagnostics" not in prompt.body:
            return None
        previous = as_object(prompt.body["diagnostics"]).get("previous_message_id")
        if previous is None:
            return None
        before = self._known.get(as_text(previous))
        reason = _reason(before, fingerprint(prompt)) if before is not None else {"type": "previous_message_not_found"}
        return None if reason is None else {"cache_miss_reason": reason}

    def remember(self, message_id: str, prompt: Prompt) -> None:
        """Note the request that a message answered."""
        if "diagnostics" not in prompt.body:
            return
        if len(self._known) >= REMEMBERED:
            self._known.pop(next(iter(self._known)))
        self._known[message_id] = fingerprint(prompt)


def fingerprint(prompt: Prompt) -> Fingerprint:
    """The fingerprint of a request."""
    areas = {area: [piece for piece in prompt.pieces if piece.area == area] for area in ("tools", "system", "messages")}
    settings = [prompt.body.get(name) for name in ("tool_choice", "thinking", "output_config")]
    return Fingerprint(
        f"{prompt.model.id} {prompt.body.get('speed')}",
        _digest(areas["tools"]),
        _digest(areas["system"]),
        chain(b"", msgspec.json.encode(settings, order="sorted")),
        tuple(chain(b"", piece.content) for piece in areas["messages"]),
        tuple(piece.tokens for piece in areas["messages"]),
    )


def _digest(pieces: Iterable[Piece]) -> bytes:
    return chain(b"", b"\0".join(piece.content for piece in pieces))


def _reason(before: Fingerprint, now: Fingerprint) -> Json | None:
    missed = sum(before.tokens)
    if before.model != now.model:
        return {"type": "model_changed", "cache_missed_input_tokens": missed}
    if before.system != now.system:
        return {"type": "system_changed", "cache_missed_input_tokens": missed}
    if before.tools != now.tools:
        return {"type": "tools_changed", "cache_missed_input_tokens": missed}
    if before.settings != now.settings:
        return {"type": "unavailable"}
    same = 0
    for old, new in zip(before.blocks, now.blocks, strict=False):
        if old != new:
            break
        same += 1
    if same < len(before.blocks):
        return {"type": "messages_changed", "cache_missed_input_tokens": sum(before.tokens[same:])}
    return None
