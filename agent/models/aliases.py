"""From the name a person types to the id the API takes, and to the id the table knows."""

import re
from functools import lru_cache

DEFAULT_MODEL = "claude-sonnet-5-5"

ALIASES = {
    "opus": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
    "fable": "claude-fable-5-1",
}

_MILLION_SUFFIX = re.compile(r"\[1m\]$", re.IGNORECASE)
_VENDOR_PREFIX = re.compile(r"^(?:anthropic/|(?:[a-z]+\.)?anthropic\.)")
_CLAUDE = re.compile(r"claude-(?P<line>[a-z]+)-(?P<version>\d+(?:-\d+)?)")
_SNAPSHOT_SUFFIX = re.compile(r"(?:[-@]\d{8}|@latest)?(?:-v\d+(?::\d+)?)?$")


def resolve_alias(name: str) -> str:
    """The id to send: an alias becomes its model, and the suffix "[1m]" goes, because the API does not know it.

    The suffix is a statement about the window: ask `declared_window` for it before it is gone.
    """
    bare = _MILLION_SUFFIX.sub("", name.strip())
    return ALIASES.get(bare.lower(), bare)


def declared_window(name: str) -> int | None:
    """1,000,000 when the name ends in "[1m]", else None; counts like `--context-window`."""
    return 1_000_000 if _MILLION_SUFFIX.search(name.strip()) else None


def display_name(model: str) -> str:
    """How a person calls it: "Sonnet 5.5" for claude-sonnet-5-5; other vendors' ids as they are."""
    found = _CLAUDE.fullmatch(table_id(model))
    return f"{found['line'].capitalize()} {found['version'].replace('-', '.')}" if found else model


@lru_cache(maxsize=256)  # a long record names its model with each answer
def table_id(model: str) -> str:
    """The id without what platforms put around it: "anthropic/", "us.anthropic.", "@20260101", "-20260101-v1:0"."""
    return _SNAPSHOT_SUFFIX.sub("", _VENDOR_PREFIX.sub("", resolve_alias(model)))
