"""Permission modes: how much happens without a question."""

from enum import StrEnum


class Mode(StrEnum):
    """The words of `--permission-mode`."""

    DEFAULT = "default"
    ACCEPT_EDITS = "acceptEdits"
    PLAN = "plan"
    DONT_ASK = "dontAsk"
    BYPASS = "bypassPermissions"
