"""Keys stay out of messages: whatever a server echoes is masked before anybody reads it."""

import re
from collections.abc import Iterable

_MASK = "[key]"
_SHAPE = re.compile(r"sk-[\w-]{8,}")
_MIN_LENGTH = 6  # a shorter "key" (a local server's placeholder) would mask ordinary words


def mask(text: str, secrets: Iterable[str]) -> str:
    """`text` without the literal `secrets` and without anything shaped like an API key."""
    for secret in secrets:
        if len(secret) >= _MIN_LENGTH:
            text = text.replace(secret, _MASK)
    return _SHAPE.sub(_MASK, text)
