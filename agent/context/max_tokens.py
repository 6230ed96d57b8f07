"""How large an answer may be: one rule for turns and for the compaction request."""

from agent.protocol.meter import Reading, Windows, scaled

DEFAULT_MAX_TOKENS = 32_000
MIN_MAX_TOKENS = 1_024
_SLACK = 1_000  # what the server may count beyond our reading even when it rests on usage


def max_tokens_for(windows: Windows, reading: Reading, model_max: int, setting: int | None) -> int:
    """min(model max, CLAUDE_CODE_MAX_OUTPUT_TOKENS or 32,000, W - used - margin), in tokens, at least 1,024.

    `reading` must count the whole request, the compaction instruction included. While it is unknown the answer gets the reserve.
    """
    wanted = min(model_max, DEFAULT_MAX_TOKENS if setting is None else setting)
    return max(min(MIN_MAX_TOKENS, model_max), min(wanted, _room(windows, reading)))


def _room(windows: Windows, reading: Reading) -> int:
    if reading.used is None:
        return windows.reserve
    return windows.model - reading.used - max(reading.margin, scaled(_SLACK, windows.model))
