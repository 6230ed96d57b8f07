"""The one number that meter, trigger and /context share, and the ladder it climbs."""

from enum import StrEnum

from msgspec import Struct

RESERVE_CAP = 20_000  # summary output reserve (design note 000 section 2)
SMALL_WINDOW = 100_000  # below it reserves scale down linearly


class Level(StrEnum):
    """Where `used` stands on the ladder; the values are the `level` words of headless output."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"
    AUTO_COMPACT = "auto_compact"
    BLOCKING = "blocking"
    UNKNOWN = "unknown"


class WindowSource(StrEnum):
    """Where a window came from; the values are the `source` words of headless output."""

    API = "api"
    TABLE = "table"
    ENV = "env"
    FLAG = "flag"
    SETTINGS = "settings"
    EXPERIMENT = "experiment"
    ASSUMED = "assumed"


class Windows(Struct, frozen=True):
    """The model window W (what the API accepts), the compaction window C <= W (what the person wants filled), in tokens."""

    model: int
    compaction: int
    max_output: int
    source: WindowSource
    compaction_source: WindowSource = WindowSource.TABLE

    @property
    def reserve(self) -> int:
        """Output reserve at the model window: min(max_output, 20,000), scaled down below 100,000."""
        return scaled(min(self.max_output, RESERVE_CAP), self.model)

    @property
    def effective(self) -> int:
        """E = W - reserve: the effective window."""
        return self.model - self.reserve


class Tiers(Struct, frozen=True):
    """The ladder, in tokens; `auto_compact` is None when auto-compact is off."""

    warning: int
    error: int
    auto_compact: int | None
    blocking: int

    @property
    def threshold(self) -> int:
        """What 100 % on the meter means: the auto-compact threshold T, or the blocking limit when auto-compact is off."""
        return self.blocking if self.auto_compact is None else self.auto_compact

    def level(self, used: int | None) -> Level:
        """The highest tier that `used` has reached."""
        if used is None:
            return Level.UNKNOWN
        if used >= self.blocking:
            return Level.BLOCKING
        if self.auto_compact is not None and used >= self.auto_compact:
            return Level.AUTO_COMPACT
        if used >= self.error:
            return Level.ERROR
        return Level.WARNING if used >= self.warning else Level.OK


class Reading(Struct, frozen=True):
    """How full the context is: tokens used (None = unknown), the 95 % margin of the estimated part, and the ladder.

    `auto` says that auto-compact is on, `resting` that it failed too often and does not run for now, `compactable` that there is
    something a compaction could summarise, and room to keep a summary in.
    """

    used: int | None
    windows: Windows
    tiers: Tiers
    margin: int = 0
    estimated: bool = False
    auto: bool = True
    resting: bool = False
    compactable: bool = True

    @property
    def window(self) -> int:
        """W, the model window."""
        return self.windows.model

    @property
    def level(self) -> Level:
        """The level of `used` on the ladder."""
        return self.tiers.level(self.used)

    @property
    def percent(self) -> float | None:
        """100 * used / T; may exceed 100; None when unknown."""
        return None if self.used is None else 100 * self.used / max(1, self.tiers.threshold)

    @property
    def percent_left(self) -> int | None:
        """N of the meter's texts: max(0, 100 - percent), rounded down."""
        percent = self.percent
        return None if percent is None else max(0, int(100 - percent))


def scaled(amount: int, window: int) -> int:
    """`amount` scaled by min(1, window / 100,000), rounded down."""
    return amount * min(window, SMALL_WINDOW) // SMALL_WINDOW
