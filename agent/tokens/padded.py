"""The notes' padded estimate, for content that no counter can read."""

import math

_CHARS_PER_TOKEN = 4
_PADDING = 4 / 3  # design note 001: rather too high than too low


def padded_estimate(chars: int) -> int:
    """Tokens of `chars` characters at four a token, times 4/3, rounded up.

    A last resort: it knows nothing of the content, counts dense text far too low (Chinese by half) and English prose a little high.
    """
    return math.ceil(chars / _CHARS_PER_TOKEN * _PADDING)
