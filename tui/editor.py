"""The person's own editor on a file, in this terminal, until they leave it."""

import shlex
import shutil
import subprocess
from collections.abc import Mapping

FALLBACKS = ("nano", "vi")


def editor_command(path: str, env: Mapping[str, str]) -> list[str] | None:
    """$VISUAL, else $EDITOR, else nano or vi, with `path`; None when there is none of them."""
    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(env.get(name, ""))
        except ValueError:
            words = []
        if words:
            return [*words, path]
    found = next((name for name in FALLBACKS if shutil.which(name, path=env.get("PATH"))), None)
    return [found, path] if found else None


def edit_file(path: str, env: Mapping[str, str]) -> str:
    """Opens `path` and waits; what went wrong, in one line, or "". The terminal must be free for it."""
    command = editor_command(path, env)
    if command is None:
        return f"No editor was found (set EDITOR); the file is {path}"
    try:
        done = subprocess.run(command, env=dict(env), stderr=subprocess.STDOUT, check=False)
    except OSError as error:
        return f"{command[0]} could not be started ({error.strerror or error}); the file is {path}"
    return f"{command[0]} ended with {done.returncode}; the file is {path}" if done.returncode else ""
