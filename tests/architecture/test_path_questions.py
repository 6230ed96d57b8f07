"""Questions to the disk that always have an answer.

`Path.exists()` and its kin raise for a folder one may not look into and for a name that is too long, `Path.expanduser()` for a user
nobody knows; paths come from models, settings and people, and each of these once ended a session. `os.path` says no instead.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
RAISING = {"exists", "is_dir", "is_file", "is_symlink", "expanduser"}


def asked(source: str) -> list[int]:
    """The lines that put such a question to a Path, or to an entry of a folder."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
        if node.func.attr in RAISING
    ]


def test_the_disk_is_asked_in_ways_that_always_answer() -> None:
    assert asked("from pathlib import Path\nPath('x').is_file()\nimport os\nos.path.isfile('x')") == [2]
    files = [file for package in ("agent", "tui") for file in (ROOT / package).rglob("*.py")]
    assert {str(file): lines for file in files if (lines := asked(file.read_text(encoding="utf-8")))} == {}
