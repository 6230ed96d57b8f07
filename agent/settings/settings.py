"""The merged settings: each knob with the place that set it."""

from pathlib import Path

from msgspec import Struct

from agent.protocol.asks import TrustItem
from agent.protocol.source import Sourced
from agent.settings.hook_entries import HookEntry
from agent.settings.schema import Scope, StatusLine


class SourcedRule(Struct, frozen=True):
    """A permission rule as written, the file it stands in, and the folder that `/x` in it starts from."""

    text: str
    source: str
    scope: Scope
    base: Path


class Settings(Struct, frozen=True, kw_only=True):
    """What all places together say.

    Sources are a file path, "environment", "--settings", "flag", "experiment" or "default". Token counts are plain integers;
    `auto_compact_window` is already resolved (environment > flag > settings > experiment), `auto_compact_windows`
    are the windows of single models, by id, and come before it. `env` is what settings put into the environment (`env_sources`: from
    where) and `environment` the whole result, which children and every other reader should use from here on. `files` are all places
    that had a say or could have one, with the project's scripts: a change of any of them is worth a new look. `broken` are those that could not be read at all.
    """

    model: Sourced[str]
    effort: Sourced[str | None]
    max_thinking_tokens: Sourced[int | None]
    max_output_tokens: Sourced[int | None]
    max_context_tokens: Sourced[int | None]
    context_window_flag: int | None
    auto_compact_enabled: Sourced[bool]
    auto_compact_window: Sourced[int | None]
    auto_compact_windows: dict[str, Sourced[int]]
    pct_override: Sourced[int | None]
    blocking_override: Sourced[int | None]
    disable_compact: bool
    auto_compact_policy: Sourced[str]
    auto_compact_approve: Sourced[bool]
    precompute_compaction: Sourced[bool]
    reactive_compact: Sourced[bool]
    reactive_compact_remote: Sourced[bool]
    spill_limit: Sourced[int | None]
    session_memory: Sourced[bool]
    cleanup_period_days: Sourced[int]
    message_idle_notif_threshold_ms: Sourced[int]
    file_checkpointing: Sourced[bool]
    claude_md_excludes: tuple[Sourced[str], ...]
    permission_mode: Sourced[str]
    allow: tuple[SourcedRule, ...]
    deny: tuple[SourcedRule, ...]
    ask: tuple[SourcedRule, ...]
    additional_directories: tuple[Sourced[Path], ...]
    hooks: tuple[HookEntry, ...]
    disable_all_hooks: Sourced[bool]
    env: dict[str, str]
    env_sources: dict[str, str]
    environment: dict[str, str]
    api_key_helper: Sourced[str | None]
    status_line: Sourced[StatusLine | None]
    held_back: tuple[TrustItem, ...]
    files: tuple[Path, ...]
    broken: tuple[Path, ...]
    notices: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Settings(model={self.model!r}, permission_mode={self.permission_mode!r})"  # environments hold keys

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return [("model", self.model), ("permission_mode", self.permission_mode)]
