"""What is installed, found, trusted and reachable: the findings of `ccagent doctor` and `/doctor`."""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple

from agent.settings.credentials import find_credentials, routing_of
from agent.settings.paths import Places
from agent.settings.settings import Settings

PACKAGES = ("anthropic", "msgspec", "prompt_toolkit", "rich", "textual", "tiktoken")
API = "https://api.anthropic.com"
WAIT = 5.0  # seconds


class Finding(NamedTuple):
    """One line of the report; `broken` makes the exit code 1."""

    state: Literal["ok", "note", "broken"]
    name: str
    text: str


def findings(
    settings: Settings, places: Places, *, version: str, online: bool, offline: bool = False
) -> Iterator[Finding]:
    """One after the other, as each is found. Blocks; nothing is changed, and nothing is sent unless `online`. `offline`: the rehearsal answers."""
    yield Finding("ok", "ccagent", f"{version}, in {Path(__file__).resolve().parents[2]}")
    yield from _installed()
    yield from _programs(settings.environment)
    yield _home(places)
    yield from _settings(settings, places)
    if offline:
        yield Finding(
            "note", "api", "offline: the rehearsal model answers; set ANTHROPIC_API_KEY to talk to a real one"
        )
    else:
        yield from _access(settings, places, online=online)


def _installed() -> Iterator[Finding]:
    yield Finding("ok", "python", f"{platform.python_version()} ({sys.executable}), {platform.platform(terse=True)}")
    for package in PACKAGES:
        try:
            yield Finding("ok", package, metadata.version(package))
        except metadata.PackageNotFoundError:
            yield Finding("broken", package, "not installed: install ccagent again")


def _programs(env: Mapping[str, str]) -> Iterator[Finding]:
    rg = shutil.which("rg", path=os.pathsep.join((sysconfig.get_path("scripts"), env.get("PATH", ""))))
    yield _program("rg", rg, "Grep and Glob cannot work without ripgrep", needed=True)
    yield _program("git", shutil.which("git", path=env.get("PATH")), "branch and status are not shown", needed=False)


def _program(name: str, path: str | None, without: str, *, needed: bool) -> Finding:
    missing: Literal["broken", "note"] = "broken" if needed else "note"
    if path is None:
        return Finding(missing, name, f"not found: {without}")
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=WAIT, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(missing, name, f"{path} does not run ({error}): {without}")
    return Finding("ok", name, f"{(shown.stdout.splitlines() or [''])[0]} ({path})")


def _home(places: Places) -> Finding:
    """Whether sessions can be written; the probe file is gone at once."""
    folder = places.ccagent_home
    existing = next(parent for parent in (folder, *folder.parents) if os.path.exists(parent))
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        return Finding("broken", "home", f"{existing} cannot be written ({error.strerror}): no session can be recorded")
    return Finding("ok", "home", str(folder) if existing == folder else f"{folder} (made at the first prompt)")


def _settings(settings: Settings, places: Places) -> Iterator[Finding]:
    for notice in settings.notices:
        broken = notice.startswith(tuple(f"{path}{mark}" for path in settings.broken for mark in (":", " ")))
        yield Finding("broken" if broken else "note", "settings", notice)
    yield Finding("ok", "model", f"{settings.model.value} (from {settings.model.source})")
    yield Finding("ok", "project", str(places.project_root))
    if not settings.held_back:
        yield Finding("ok", "trust", "nothing here waits for trust")
    for item in settings.held_back:
        yield Finding("note", "trust", f"not trusted, so not used: {item.kind} {item.text} ({item.source})")


def _access(settings: Settings, places: Places, *, online: bool) -> Iterator[Finding]:
    credentials = find_credentials(settings.environment, places)
    helper = settings.api_key_helper
    if helper.value and not (credentials and credentials.secret_of_its_own):
        yield Finding("ok", "credentials", f"from apiKeyHelper in {helper.source} (not run)")
        credentials = credentials or routing_of(settings.environment)
    elif credentials is None:
        yield Finding(
            "note",
            "credentials",
            "none found: interactive faces use the offline rehearsal model; set ANTHROPIC_API_KEY",
        )
        return
    else:
        yield Finding("ok", "credentials", f"from {credentials.source}")
    base_url = credentials.base_url or API
    yield (
        _reachable(base_url)
        if online
        else Finding("ok", "api", f"{base_url} (not asked; ccagent doctor --online asks)")
    )


def _reachable(base_url: str) -> Finding:
    """Whether somebody answers there; any HTTP answer counts, no key is sent."""
    if not base_url.startswith(("http://", "https://")):
        return Finding("broken", "api", f"{base_url} is not a web address")
    try:
        with urllib.request.urlopen(f"{base_url.rstrip('/')}/v1/models", timeout=WAIT):
            pass
    except urllib.error.HTTPError:
        pass
    except (OSError, ValueError) as error:
        return Finding("broken", "api", f"{base_url} cannot be reached ({error})")
    return Finding("ok", "api", f"{base_url} answers")
