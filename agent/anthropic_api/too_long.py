"""The many ways in which servers say that a prompt is too long."""

import re

from msgspec import Struct


class Excess(Struct, frozen=True):
    """How long the prompt was and how long it may be, in tokens; None where the server did not say."""

    used: int | None = None
    limit: int | None = None


_NUMBERS = (  # used, limit
    re.compile(r"prompt is too long: (\d+) tokens > (\d+)"),
    re.compile(r"^(?=.*token).*?(\d+)\D{0,80}exceeds the limit of (\d+)", re.DOTALL),
    re.compile(r"request \((\d+) tokens\) exceeds the available context size \((\d+) tokens\)"),  # llama.cpp
)
_PARTS = re.compile(r"exceed context limit: (\d+) \+ (\d+) > (\d+)")  # input + max_tokens > limit
_LIMIT_FIRST = re.compile(r"maximum context length is (\d+) tokens[^\n]*?(\d+) (?:input )?tokens")  # vLLM
_WORDS = (
    "prompt is too long",
    "input is too long for requested model",  # Bedrock
    "prompt_too_long",
    "contextwindowexceedederror",
    "exceed context limit",
    "exceeds the available context size",
    "exceed_context_size_error",
)


def find_excess(message: str) -> Excess | None:
    """What `message` says of a prompt beyond the window; None when it says nothing of the kind (reference 1.5).

    Where the server counts the answer's allowance as well, `used` is the sum.
    """
    parts = _PARTS.search(message)
    if parts:
        return Excess(int(parts[1]) + int(parts[2]), int(parts[3]))
    for pattern in _NUMBERS:
        found = pattern.search(message)
        if found:
            return Excess(int(found[1]), int(found[2]))
    limit_first = _LIMIT_FIRST.search(message)
    if limit_first:
        return Excess(int(limit_first[2]), int(limit_first[1]))
    folded = message.lower()
    return Excess() if any(words in folded for words in _WORDS) else None
