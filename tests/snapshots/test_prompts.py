"""Prompts as text: what is sent, to the letter. `pytest tests/snapshots/test_prompts.py --snapshot-update` writes them anew.

That each can fail is shown in test_prompts_can_fail.py: one character, one order, one cache mark that differs is seen.
"""

from pathlib import Path

import pytest

from tests.snapshots.prompt_scenes import SCENES, STORED, MakeWalk, places
from tests.support.prompt_text import render


@pytest.mark.parametrize("name", SCENES)
async def test_prompt(make_walk: MakeWalk, project: Path, request: pytest.FixtureRequest, name: str) -> None:
    walk = await SCENES[name](make_walk, project)
    text, file = render(walk.bodies()[-1], places(walk)), STORED / f"{name}.txt"
    if request.config.getoption("update_snapshots"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_every_stored_prompt_has_its_scene() -> None:
    assert sorted(file.stem for file in STORED.iterdir()) == sorted(SCENES)
