"""What the README says of the app: its picture and its keys."""

import re
import subprocess
from pathlib import Path

from tests.support.ccagent import ccagent
from tests.support.picture import PICTURE, draw
from tui.app.keys import KEYS

README = (Path(__file__).parents[3] / "README.md").read_text()


def test_the_picture_is_what_the_app_draws() -> None:
    """`python -m tests.support.picture` draws it anew."""
    assert PICTURE.read_text() == draw()
    assert f"](docs/{PICTURE.name})" in README


def test_the_keys_are_the_ones_that_the_app_shows() -> None:
    rows = [f"| {keys} | {meaning} |" for keys, meaning in KEYS]
    assert [row for row in rows if row not in README.splitlines()] == []


def test_the_hook_recipe_works_when_pasted(tmp_path: Path) -> None:
    recipe = re.search(r"\*\*A hook\.\*\*.*?```sh\n(.*?)```", README, re.DOTALL)
    assert recipe is not None
    (tmp_path / "notes.txt").write_text("TICKET-1\n")
    subprocess.run(["sh", "-c", recipe[1]], cwd=tmp_path, check=True)
    assert ccagent("-p", "--offline", "--trust", "read notes.txt", cwd=tmp_path).code == 0
    ran = ccagent("-p", "--offline", "--trust", "-c", "--output-format=stream-json", "/compact", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "Keep every ticket number." in ran.out
    (copy,) = (tmp_path / ".ccagent" / "transcripts").iterdir()
    assert "TICKET-1" in copy.read_text()
