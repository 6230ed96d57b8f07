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


def is_main_thread(query_source: str | None) -> bool:
    """Whether a request belongs to the conversation the person sees: no source, `repl_main_thread*`, or `sdk` (design note 001 section 5)."""
    return query_source is None or query_source.startswith("repl_main_thread") or query_source == "sdk"


class Sourced(Struct, Generic[T], frozen=True):
    """A value and the plain name of the place that set it (a file path, 'environment', 'flag', 'default')."""

    value: T
    source: str
