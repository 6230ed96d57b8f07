"""Environment knobs: what counts as on, as a number, and as a secret."""

import re
from collections.abc import Mapping

ON = frozenset({"1", "true", "yes", "on"})
OFF = frozenset({"0", "false", "no", "off"})

SECRET_VARIABLES = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_FOUNDRY_API_KEY",
        "ANTHROPIC_IDENTITY_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
        "CLAUDE_CODE_OAUTH_TOKEN",
    }
)
NOISE_VARIABLES = frozenset({"BASH_ENV", "ENV"})  # a profile's echo would stand before a child's JSON

_NUMBER = re.compile(r"[+-]?\d+(?:_\d+)*(?:\.\d+)?(?:[eE]\+?\d{1,3})?")


def flag(env: Mapping[str, str], name: str) -> bool | None:
    """On, off, or None when unset or not understood (reference 2.4: 1/true and 0/false, any case)."""
    word = env.get(name, "").strip().lower()
    return True if word in ON else False if word in OFF else None


def number(text: str) -> int | None:
    """A whole number as the reference writes them: `64000`, `64_000`, `2e3`; None for anything else."""
    word = text.strip()
    if len(word) > 40 or not _NUMBER.fullmatch(word):
        return None
    value = float(word.replace("_", ""))
    return int(value) if value.is_integer() and abs(value) < 1e15 else None


def plain_digits(text: str) -> int | None:
    """A number written in ASCII digits only; None for anything else."""
    word = text.strip()
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 15 else None


def effective_env(env: Mapping[str, str], overrides: Mapping[str, str]) -> dict[str, str]:
    """`env` with the settings' `env` applied: it beats the shell, and an empty value unsets (reference 2.2)."""
    merged = {**env, **overrides}
    return {name: value for name, value in merged.items() if value or name not in overrides}


def child_env(env: Mapping[str, str]) -> dict[str, str]:
    """`env` for the programs that settings name: without keys, without what makes shells noisy, without OTEL_*."""
    hidden = SECRET_VARIABLES | NOISE_VARIABLES
    return {name: value for name, value in env.items() if name not in hidden and not name.startswith("OTEL_")}
