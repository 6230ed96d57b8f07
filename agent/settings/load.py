"""Reads every place that has a say and merges them into one `Settings`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from agent.models.aliases import DEFAULT_MODEL
from agent.protocol.asks import TrustItem
from agent.protocol.errors import SettingsError
from agent.protocol.source import Sourced
from agent.settings.auto_compact import (
    AutoCompactFlag,
    autocompact_flag,
    resolve_enabled,
    resolve_window,
    resolve_windows,
)
from agent.settings.env import effective_env, flag, number
from agent.settings.flags import Flags
from agent.settings.held import held_items, held_scripts, without_held
from agent.settings.launch import env_layer, flag_layer, settings_flag
from agent.settings.layers import Layer, candidate_files, read_files
from agent.settings.merge import find, merge_directories, merge_env, merge_rules, pick, pick_optional
from agent.settings.paths import Places
from agent.settings.settings import Settings
from agent.settings.without_effect import without_effect

IDLE_MS = 60_000  # reference 1.4: idle_prompt

Trusted = Callable[[Sequence[TrustItem]], bool]


def load_settings(
    places: Places, env: Mapping[str, str], flags: Flags, *, trusted: Trusted, before: Settings | None = None
) -> Settings:
    """The merged settings.

    `trusted` is asked once, and only when the project brings something that needs trust; without it these items are left out and
    listed in `held_back`. A broken or unreadable file becomes a notice; raises UsageError for flags and SettingsError for
    `--settings` that cannot be used. With `before`, the settings in force, it also raises SettingsError for a file that has become
    unreadable: half a save must not switch a deny rule off.
    """
    files = read_files(places)
    if before is not None and (broken := [path for path in files.broken if path not in before.broken]):
        lines = [line for line in files.notices if line.startswith(tuple(str(path) for path in broken))]
        raise SettingsError("; ".join(lines))
    asked = settings_flag(flags.settings, places)
    notices = [*files.notices, *asked.notices]
    layers, held = _apply_trust(files.layers, places, trusted)
    managed = tuple(layer for layer in layers if layer.scope == "managed")
    below = tuple(layer for layer in layers if layer.scope != "managed")
    overrides = merge_env((*below, *asked.layers, *managed))
    environment = effective_env(env, overrides)
    order = (*below, env_layer(environment, places), *asked.layers, flag_layer(flags, places), *managed)
    merged = _merge(order, places, environment, overrides, flags, held, notices)
    return msgspec.structs.replace(merged, files=_watched(places, flags, files.layers), broken=files.broken)


def _watched(places: Places, flags: Flags, layers: Sequence[Layer]) -> tuple[Path, ...]:
    named = () if flags.settings is None or flags.settings.lstrip().startswith("{") else (places.cwd / flags.settings,)
    candidates = (path for path, _scope in candidate_files(places))
    scripts = held_scripts(layers, places.project_root)
    return (*candidates, places.managed_dir / "managed-settings.d", *named, *scripts)


def _apply_trust(
    layers: Sequence[Layer], places: Places, trusted: Trusted
) -> tuple[tuple[Layer, ...], tuple[TrustItem, ...]]:
    items = held_items(layers, places.project_root)
    if not items or trusted(items):
        return tuple(layers), ()
    stripped = tuple(without_held(layer) if layer.scope in ("project", "local") else layer for layer in layers)
    return stripped, items


def _merge(
    order: Sequence[Layer],
    places: Places,
    env: Mapping[str, str],
    overrides: dict[str, str],
    flags: Flags,
    held: tuple[TrustItem, ...],
    notices: list[str],
) -> Settings:
    told = AutoCompactFlag() if flags.autocompact is None else autocompact_flag(flags.autocompact)
    mode = _permission_mode(order, notices)
    notices.extend(without_effect(order))
    return Settings(
        model=pick(order, lambda v: v.model, DEFAULT_MODEL),
        effort=pick_optional(order, lambda v: v.effort_level),
        max_thinking_tokens=_env_number(env, "MAX_THINKING_TOKENS", 0, None, notices),
        max_output_tokens=_env_number(env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS", 1, None, notices),
        max_context_tokens=_env_number(env, "CLAUDE_CODE_MAX_CONTEXT_TOKENS", 1, None, notices),
        context_window_flag=flags.context_window,
        auto_compact_enabled=resolve_enabled(env, told, order),
        auto_compact_window=resolve_window(env, told, order, notices),
        auto_compact_windows=resolve_windows(env, told, order),
        pct_override=_env_number(env, "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", 1, 100, notices),
        blocking_override=_env_number(env, "CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE", 1, None, notices),
        disable_compact=bool(flag(env, "DISABLE_COMPACT")),
        auto_compact_policy=pick(order, lambda v: v.auto_compact_policy, "window"),
        auto_compact_approve=pick(order, lambda v: v.auto_compact_approve, False),
        precompute_compaction=pick(order, lambda v: v.precompute_compaction_enabled, False),
        reactive_compact=pick(order, lambda v: v.reactive_compact, True),
        reactive_compact_remote=pick(order, lambda v: v.reactive_compact_remote, True),
        spill_limit=pick_optional(order, lambda v: v.experiments.spill_limit),
        session_memory=pick(order, lambda v: v.experiments.session_memory, False),
        message_idle_notif_threshold_ms=pick(order, lambda v: v.message_idle_notif_threshold_ms, IDLE_MS),
        cleanup_period_days=pick(order, lambda v: v.cleanup_period_days, 30),
        file_checkpointing=pick(order, lambda v: v.file_checkpointing_enabled, True),
        claude_md_excludes=tuple(
            Sourced(glob, layer.source) for layer in order for glob in layer.values.claude_md_excludes
        ),
        permission_mode=mode,
        allow=merge_rules(order, lambda v: v.permissions.allow),
        deny=merge_rules(order, lambda v: v.permissions.deny),
        ask=merge_rules(order, lambda v: v.permissions.ask),
        additional_directories=merge_directories(order, places.home),
        hooks=tuple(entry for layer in order for entry in layer.hooks),
        disable_all_hooks=pick(order, lambda v: v.disable_all_hooks, False),
        env=overrides,
        env_sources={name: layer.source for layer in order for name in layer.values.env},
        environment=dict(env),
        api_key_helper=pick_optional(order, lambda v: v.api_key_helper),
        status_line=pick_optional(order, lambda v: v.status_line),
        held_back=held,
        files=(),
        broken=(),
        notices=tuple(notices),
    )


def _permission_mode(order: Sequence[Layer], notices: list[str]) -> Sourced[str]:
    """The highest mode; bypassing falls back to asking where any layer forbids it."""
    said = find(order, lambda v: v.permissions.default_mode) or Sourced("default", "default")
    mode = Sourced("default" if said.value == "manual" else said.value, said.source)
    barrier = next((layer for layer in order if layer.values.permissions.disable_bypass_permissions_mode), None)
    if mode.value == "bypassPermissions" and barrier is not None:
        notices.append(f"bypassPermissions is switched off by {barrier.source}; permissions are asked for")
        return Sourced("default", barrier.source)
    return mode


def _env_number(
    env: Mapping[str, str], name: str, lowest: int, highest: int | None, notices: list[str]
) -> Sourced[int | None]:
    text = env.get(name, "").strip()
    if not text:
        return Sourced(None, "default")
    value = number(text)
    if value is None or value < lowest or (highest is not None and value > highest):
        span = f"a whole number from {lowest}" + (f" to {highest}" if highest is not None else "")
        notices.append(f"{name}={text[:40]} ignored: not {span}")
        return Sourced(None, "default")
    return Sourced(value, "environment")
