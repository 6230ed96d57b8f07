"""The keys of a settings file and the type of each."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

Scope: TypeAlias = Literal["user", "project", "local", "flag", "managed"]

Tokens = Annotated[int, Meta(ge=1, le=100_000_000)]


class StatusLine(Struct, frozen=True, kw_only=True, rename="camel"):
    """A command that prints the status line (reference 7.4); `refresh_interval` in seconds."""

    type: Literal["command"]
    command: str
    padding: int = 0
    refresh_interval: Annotated[float, Meta(ge=1)] | None = None


class PermissionSettings(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """`permissions`: rules in the syntax of reference 2.3; the mode "manual" is "default"."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    additional_directories: tuple[str, ...] = ()
    default_mode: Literal["default", "manual", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] | None = None
    disable_bypass_permissions_mode: Literal["disable"] | None = None


class Experiments(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """`experiments`: the local stand-in for remote experiments."""

    auto_compact_window: Tokens | None = None
    spill_limit: Tokens | None = None
    session_memory: bool | None = None


class FileSettings(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What one settings file says; None and empty mean "not said". `hooks` are read by `hook_entries`."""

    model: str | None = None
    effort_level: str | None = None
    auto_compact_enabled: bool | None = None
    auto_compact_window: Tokens | None = None
    auto_compact_windows: dict[str, Tokens] = {}
    auto_compact_policy: Literal["window", "price"] | None = None
    auto_compact_approve: bool | None = None
    precompute_compaction_enabled: bool | None = None
    reactive_compact: bool | None = None
    reactive_compact_remote: bool | None = None
    message_idle_notif_threshold_ms: Annotated[int, Meta(ge=1)] | None = None
    cleanup_period_days: Annotated[int, Meta(ge=1)] | None = None
    file_checkpointing_enabled: bool | None = None
    claude_md_excludes: tuple[str, ...] = ()
    disable_all_hooks: bool | None = None
    api_key_helper: str | None = None
    status_line: StatusLine | None = None
    env: dict[str, str] = {}
    permissions: PermissionSettings = PermissionSettings()
    experiments: Experiments = Experiments()
    hooks: dict[str, object] = {}


# Keys people bring along that have no effect here; naming each of them would only be noise.
_BROUGHT_ALONG = """
    $schema allowManagedHooksOnly allowManagedPermissionRulesOnly allowedHttpHookUrls alwaysThinkingEnabled attribution
    autoMemoryDirectory autoMemoryEnabled autoUpdatesChannel availableModels awsAuthRefresh awsCredentialExport companyAnnouncements
    defaultMode disableAutoMode disableSkillShellExecution disabledMcpjsonServers enableAllProjectMcpServers enabledMcpjsonServers
    enabledPlugins extraKnownMarketplaces fallbackModel fastMode feedbackSurveyRate fileSuggestion forceLoginMethod forceLoginOrgUUID
    httpHookAllowedEnvVars includeCoAuthoredBy includeGitInstructions language mcpServers minimumVersion modelOverrides otelHeadersHelper
    outputStyle plansDirectory preferredNotifChannel prefersReducedMotion respectGitignore respondToBashCommands sandbox
    showClearContextOnPlanAccept showThinkingSummaries showTurnDuration skipDangerousModePermissionPrompt skipWebFetchPreflight
    spinnerTipsEnabled spinnerTipsOverride spinnerVerbs strictKnownMarketplaces teammateMode terminalProgressBarEnabled theme tui
    verbose voiceEnabled worktree
"""
KEYS_WITHOUT_EFFECT = frozenset(_BROUGHT_ALONG.split())
