"""Finds the way to the API without importing the SDK."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from agent.files.regular import read_regular
from agent.settings.paths import Places

NAME_LIMIT = 4096  # bytes of the file that names the profile in use
PLACEHOLDER_KEY = "no-key-needed"  # the SDK refuses to start without any; a local server ignores it


class Credentials(Struct, frozen=True, kw_only=True):
    """What the client needs; `profile` means the SDK's own profile chain decides. The repr hides every secret."""

    api_key: str | None = None
    auth_token: str | None = None
    base_url: str | None = None
    custom_headers: tuple[tuple[str, str], ...] = ()
    profile: bool = False
    source: str = "environment"

    def __repr__(self) -> str:
        kind = "profile" if self.profile else "token" if self.auth_token else "key"
        return f"Credentials({kind} from {self.source}, base_url={self.base_url!r})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return [("source", self.source), ("base_url", self.base_url)]

    @property
    def secret_of_its_own(self) -> bool:
        """Whether the environment brings a key or token; a placeholder or a profile on the disk is none."""
        return bool(self.auth_token) or self.api_key not in (None, PLACEHOLDER_KEY)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The literal values that must never be recorded or sent to a model."""
        values = (self.api_key, self.auth_token, *(value for _name, value in self.custom_headers))
        return tuple(value for value in values if value and value != PLACEHOLDER_KEY)


def routing_of(env: Mapping[str, str]) -> Credentials:
    """The address and the headers alone, for a key that comes from elsewhere (`apiKeyHelper`)."""
    headers = parse_headers(env.get("ANTHROPIC_CUSTOM_HEADERS", ""))
    return Credentials(base_url=env.get("ANTHROPIC_BASE_URL", "").strip() or None, custom_headers=headers)


def find_credentials(env: Mapping[str, str], places: Places) -> Credentials | None:
    """Key or token, a profile named in the environment, a base URL alone, a profile on disk, in that order; None when there is none.

    `env` is the environment with the settings' `env` applied (`Settings.environment`). A base URL alone gets a placeholder key.
    """
    key = env.get("ANTHROPIC_API_KEY", "").strip() or None
    token = env.get("ANTHROPIC_AUTH_TOKEN", "").strip() or None
    base_url = env.get("ANTHROPIC_BASE_URL", "").strip() or None
    headers = parse_headers(env.get("ANTHROPIC_CUSTOM_HEADERS", ""))
    if key or token:
        name = "ANTHROPIC_API_KEY" if key else "ANTHROPIC_AUTH_TOKEN"
        return Credentials(api_key=key, auth_token=token, base_url=base_url, custom_headers=headers, source=name)
    if chosen := _chosen_profile(env):
        return Credentials(profile=True, base_url=base_url, custom_headers=headers, source=chosen)
    if base_url:  # a profile that merely lies on the disk is not sent to whatever server this is
        return Credentials(
            api_key=PLACEHOLDER_KEY, base_url=base_url, custom_headers=headers, source="ANTHROPIC_BASE_URL"
        )
    if found := _profile_file(env, places):
        return Credentials(profile=True, custom_headers=headers, source=found)
    return None


def parse_headers(text: str) -> tuple[tuple[str, str], ...]:
    """`Name: Value` lines as pairs; lines without a name or a colon are left out."""
    pairs = (line.partition(":") for line in text.splitlines())
    return tuple((name.strip(), value.strip()) for name, colon, value in pairs if colon and name.strip())


def _chosen_profile(env: Mapping[str, str]) -> str:
    """The variable that makes the SDK use a profile or a federated identity of its own; "" when none does."""
    if env.get("ANTHROPIC_PROFILE"):
        return "ANTHROPIC_PROFILE"
    identity = env.get("ANTHROPIC_IDENTITY_TOKEN_FILE") or env.get("ANTHROPIC_IDENTITY_TOKEN")
    if env.get("ANTHROPIC_FEDERATION_RULE_ID") and env.get("ANTHROPIC_ORGANIZATION_ID") and identity:
        return "ANTHROPIC_FEDERATION_RULE_ID"
    return ""


def _profile_file(env: Mapping[str, str], places: Places) -> str:
    """The profile on disk that the SDK would use; "" when there is none."""
    told = env.get("ANTHROPIC_CONFIG_DIR")
    folder = Path(told) if told else places.home / ".config" / "anthropic"
    config = folder / "configs" / f"{_active_profile(folder)}.json"
    return str(config) if os.path.isfile(config) else ""


def _active_profile(folder: Path) -> str:
    try:
        name = read_regular(folder / "active_config", NAME_LIMIT).decode().strip()
    except (OSError, UnicodeDecodeError):
        return "default"
    return name if name and not name.startswith(".") and not set(name) & set("/\\\0") else "default"
