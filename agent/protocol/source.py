"""Who asks the model, and where a setting's value came from."""

from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct

T = TypeVar("T")


class QuerySource(StrEnum):
    """Who sends a request (design note 001, post-compact cleanup: only main-thread sources clean main-thread state)."""

    REPL = "repl_main_thread"
    SDK = "sdk"
    COMPACT = "compact"
    SIDE = "side"

    @property
    def is_main_thread(self) -> bool:
        """Whether this is the conversation the person sees."""
        return self in (QuerySource.REPL, QuerySource.SDK)


class Sourced(Struct, Generic[T], frozen=True):
    """A value and the plain name of the place that set it (a file path, 'environment', 'flag', 'default')."""

    value: T
    source: str
