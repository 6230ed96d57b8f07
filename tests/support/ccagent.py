"""The real command, run as a process in a folder of the test's own."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
BOOT = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tui.cli import entry; sys.exit(entry())"
COMMAND = (sys.executable, "-c", BOOT)


class Ran(NamedTuple):
    """How it ended and what it said."""

    code: int
    out: str
    err: str


def ccagent(*words: str, cwd: Path, stdin: str = "") -> Ran:
    """Run `ccagent WORDS` in `cwd` to its end."""
    finished = subprocess.run([*COMMAND, *words], cwd=cwd, input=stdin.encode(), capture_output=True, timeout=PATIENCE)
    return Ran(finished.returncode, finished.stdout.decode(), finished.stderr.decode())
