"""The words beside the meter; nothing below the warning tier."""

from typing import assert_never

from agent.protocol.meter import Level, Reading


def meter_text(reading: Reading, *, auto: bool, compact_disabled: bool) -> str:
    """One plain line for a person, or "" when there is nothing to say.

    `auto`: auto-compact is on. `compact_disabled`: DISABLE_COMPACT is set, so no word may point to `/compact` or `/autocompact`; nor
    where there is nothing that a compaction could do.
    """
    match reading.level:
        case Level.UNKNOWN | Level.OK:
            return ""
        case Level.WARNING | Level.ERROR | Level.AUTO_COMPACT:
            # Past T it says 0 %: the next prompt compacts. While auto-compact rests nothing would happen: the person must act.
            if auto and not reading.resting:
                return f"Context left until auto-compact: {reading.percent_left}%"
            return _low(reading, compact_disabled or not reading.compactable)
        case Level.BLOCKING:
            if not (reading.compactable or compact_disabled):
                return "Context limit reached · /context shows the way out"
            return _limit_reached(auto, compact_disabled)
        case unreachable:
            assert_never(unreachable)


def _limit_reached(auto: bool, compact_disabled: bool) -> str:
    if compact_disabled:
        return "Context limit reached · /clear to continue"
    text = "Context limit reached · /compact or /clear to continue"
    return text if auto else f"{text} · auto-compact is off · /autocompact on"


def _low(reading: Reading, compact_disabled: bool) -> str:
    text = f"Context low ({reading.percent_left}% remaining)"
    return text if compact_disabled else f"{text} · Run /compact to compact & continue"
