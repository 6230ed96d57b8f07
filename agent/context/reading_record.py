"""The Reading in JSON's words: headless output, the status line's input and hooks all say it the same way."""

from agent.protocol.meter import Reading


def reading_record(reading: Reading) -> dict[str, object]:
    """`used`, `window` (W), `source`, `level`, `percent` of the threshold (one decimal); null where unknown."""
    percent = reading.percent
    return {
        "used": reading.used,
        "window": reading.window,
        "source": reading.windows.source.value,
        "level": reading.level.value,
        "percent": None if percent is None else round(percent, 1),
    }
