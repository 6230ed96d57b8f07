"""Whether a file's times can tell its next change."""

import os
import time

TICK_NS = 2_000_000_000  # the clocks of file systems tick every few milliseconds, the slowest every two seconds


def is_settled(status: os.stat_result) -> bool:
    """False for a file that was written a moment ago: written once more within one tick, it has the same mtime and may have the same size."""
    return time.time_ns() - status.st_mtime_ns > TICK_NS
