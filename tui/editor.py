"""The person's own editor on a file, in this terminal, until they leave it."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress

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
        code = _run(command, env)
    except OSError as error:
        return f"{command[0]} could not be started ({error.strerror or error}); the file is {path}"
    return f"{command[0]} ended with {code}; the file is {path}" if code else ""


def _run(command: list[str], env: Mapping[str, str]) -> int:
    """The exit code. On a terminal the editor is its foreground group, so that Ctrl+C in it is the editor's alone."""
    if not os.isatty(0):
        return subprocess.run(command, env=dict(env), stderr=subprocess.STDOUT, check=False).returncode
    editor = subprocess.Popen(command, env=dict(env), stderr=subprocess.STDOUT, process_group=0)
    heard = signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # we change the foreground from the background
    try:
        with suppress(OSError):  # it may have ended already
            os.tcsetpgrp(0, editor.pid)
        while editor.returncode is None:
            # it may have asked for the terminal too early, and after Ctrl+Z nobody could resume it
            with suppress(OSError):
                os.killpg(editor.pid, signal.SIGCONT)
            _pid, status = os.waitpid(editor.pid, os.WUNTRACED)
            editor.returncode = None if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)
    finally:
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, heard)
    return editor.returncode
