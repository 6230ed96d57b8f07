"""Signed thinking: a signature is an HMAC that binds a block to its text, its model, the conversation before it and the thinking before it."""

from collections.abc import Iterator

import msgspec

from agent.rehearsal.prompt import Message, Piece, Prompt, chain, is_thinking, opens_turn
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.seals import unseal
from agent.rehearsal.walk import Walk
from agent.rehearsal.wire import Json, as_object, as_text, kind


class Seal(msgspec.Struct, frozen=True, array_like=True):
    """What a signature vouches for.

    `prefix` digests the conversation before the block without its thinking, `previous` the thinking block before it, `summary` the
    compaction block at its head; `hidden` is a redacted text.
    """

    model: str
    prefix: bytes
    previous: bytes
    summary: bytes = b""
    hidden: str = ""
    pad: str = ""


class Drop(msgspec.Struct, frozen=True):
    """A thinking block of the request that the model is not shown."""

    message: int
    block: int
    reason: str

    def report(self) -> Json:
        """The drop as an entry of `input_transformations`."""
        path = f"messages.{self.message}.content.{self.block}"
        return {"type": "thinking_dropped", "path": path, "reason": self.reason}


def identity(block: Json) -> bytes:
    """A thinking block's short digest, by which the next one names it."""
    return chain(b"", (signature_of(block) + "\0" + as_text(block.get("thinking"))).encode("utf-8", "surrogatepass"))


def signature_of(block: Json) -> str:
    """The opaque string of a thinking block: its signature, or a redacted block's data."""
    return as_text(block.get("signature" if kind(block) == "thinking" else "data"))


class Checked(msgspec.Struct, frozen=True):
    """A request whose thinking was looked at: what is left of it, what was dropped, and where the walk ended."""

    prompt: Prompt
    drops: tuple[Drop, ...]
    walk: Walk


def check(prompt: Prompt) -> Checked:
    """Verify every thinking block of a request.

    Raises `Refusal` for a signature that is not the server's, and for a block bound to a different conversation unless
    `thinking.block_binding` says to drop it. Blocks of another model are always dropped.
    """
    walk = Walk(prompt.root)
    lenient = as_object(prompt.thinking.get("block_binding")).get("prefix_mismatch_behavior") == "drop_block"
    drops: list[Drop] = []
    failing = False
    for piece, block in message_pieces(prompt):
        if not is_thinking(block):
            walk.go(piece, block)
            failing = False
            continue
        reason = _judge(prompt, walk, piece, block) or ("prefix_binding_mismatch" if failing else None)
        if reason is None:
            walk.previous = identity(block)
            continue
        failing = reason == "prefix_binding_mismatch"
        if failing and not lenient:
            raise _bound(piece)
        drops.append(Drop(piece.message, piece.block, reason))
    return Checked(_without(prompt, drops), tuple(drops), walk)


def shown(prompt: Prompt) -> Prompt:
    """The request as the model reads it: older models are not shown the thinking of earlier turns."""
    if prompt.model.keeps_thinking:
        return prompt
    start = max((m.index for m in prompt.messages if opens_turn(m)), default=-1)
    earlier = [
        Drop(message.index, place, "")
        for message in prompt.messages
        if message.index < start
        for place, block in enumerate(message.blocks)
        if is_thinking(block)
    ]
    return _without(prompt, earlier)


def _bound(piece: Piece) -> Refusal:
    """The refusal of a block whose conversation was changed."""
    where = f"messages.{piece.message}.content.{piece.block}"
    return Refusal(
        "thinking.bound",
        f"{where}: Invalid `signature` in `thinking` block. The block is bound to a different conversation",
    )


def _judge(prompt: Prompt, walk: Walk, piece: Piece, block: Json) -> str | None:
    found = unseal(signature_of(block), as_text(block.get("thinking")), Seal)
    if found is None:
        where = f"messages.{piece.message}.content.{piece.block}"
        field = "signature" if kind(block) == "thinking" else "data"
        raise Refusal("thinking.signature", f"{where}: Invalid `{field}` in `{kind(block)}` block")
    if found.model != prompt.model.id:
        return "model_binding_mismatch"
    if not prompt.model.bound:
        return None
    elsewhere = found.prefix != walk.prefix or found.summary not in (walk.summary, walk.under)
    if elsewhere or (walk.previous and found.previous != walk.previous):
        return "prefix_binding_mismatch"
    return None


def message_pieces(prompt: Prompt) -> Iterator[tuple[Piece, Json]]:
    """Every message block with its piece."""
    blocks = (block for message in prompt.messages for block in message.blocks)
    pieces = (piece for piece in prompt.pieces if piece.area == "messages")
    return zip(pieces, blocks, strict=True)


def _without(prompt: Prompt, drops: list[Drop]) -> Prompt:
    if not drops:
        return prompt
    gone = {(drop.message, drop.block) for drop in drops}
    kept = [
        Message(m.role, tuple(b for place, b in enumerate(m.blocks) if (m.index, place) not in gone), m.index)
        for m in prompt.messages
    ]
    return prompt.with_messages([message for message in kept if message.blocks])
