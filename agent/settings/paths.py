"""The folders and files a session knows, found without running anything."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

MANAGED_DIR = Path("/etc/claude-code")  # reference 2.1, Linux
SLUG_LIMIT = 200  # reference 6.1


class Places(Struct, frozen=True):
    """Absolute, symlink-free folders; `project_root` is the git root above `cwd`, else `cwd`."""

    home: Path
    claude_home: Path
    ccagent_home: Path
    cwd: Path
    project_root: Path
    managed_dir: Path = MANAGED_DIR

    @classmethod
    def resolve(cls, cwd: Path, env: Mapping[str, str], *, managed_dir: Path = MANAGED_DIR) -> "Places":
        """The places for a session in `cwd`; HOME, CLAUDE_CONFIG_DIR and CCAGENT_HOME move what they name."""
        home = _real(Path(env.get("HOME") or Path.home()))
        here = _real(cwd)
        return cls(
            home=home,
            claude_home=_real(_moved(env, "CLAUDE_CONFIG_DIR", home / ".claude", home)),
            ccagent_home=_real(_moved(env, "CCAGENT_HOME", home / ".ccagent", home)),
            cwd=here,
            project_root=git_root(here) or here,
            managed_dir=managed_dir,
        )

    @property
    def sessions_dir(self) -> Path:
        """Where this folder's transcripts are."""
        return self.ccagent_home / "projects" / slug(self.cwd)

    @property
    def logs_dir(self) -> Path:
        """Where the telemetry log is."""
        return self.ccagent_home / "logs"

    @property
    def cache_dir(self) -> Path:
        """What may be deleted at any time."""
        return self.ccagent_home / "cache"

    @property
    def history_file(self) -> Path:
        """Prompts typed in the app and the REPL."""
        return self.ccagent_home / "history"

    @property
    def trust_file(self) -> Path:
        """Which folders are trusted with what."""
        return self.ccagent_home / "trust.json"

    @property
    def user_settings(self) -> Path:
        """The one settings file we write."""
        return self.ccagent_home / "settings.json"


def slug(cwd: Path) -> str:
    """The folder name for `cwd`: every UTF-16 unit that is no ASCII letter or digit becomes "-"; long ones end in a hash (reference 6.1)."""
    raw = str(cwd).encode("utf-16-le", "surrogatepass")
    units = [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]
    name = re.sub(r"[^a-zA-Z0-9]", "-", "".join(map(chr, units)))
    return name if len(name) <= SLUG_LIMIT else f"{name[:SLUG_LIMIT]}-{_hash36(units)}"


def git_root(start: Path) -> Path | None:
    """The nearest folder at or above `start` that holds `.git` (a folder, or a file in worktrees and submodules)."""
    for folder in (start, *start.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return None


def _hash36(units: list[int]) -> str:
    """The 32-bit `h*31 + c` string hash in base 36, made positive."""
    value = 0
    for unit in units:
        value = (value * 31 + unit) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >= 1 << 31 else value)
    digits = ""
    while value:
        value, rest = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits or "0"


def _moved(env: Mapping[str, str], name: str, default: Path, home: Path) -> Path:
    told = env.get(name, "").strip()
    if told == "~" or told.startswith("~/"):
        return home / told[2:]
    return Path(told) if told else default


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
