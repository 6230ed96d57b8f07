"""Prompts as text: what is sent, to the letter. `pytest tests/snapshots/test_prompts.py --snapshot-update` writes them anew.

That each can fail is shown in test_prompts_can_fail.py: one character, one order, one cache mark that differs is seen.
"""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.snapshots.prompt_scenes import SCENES, MakeWalk, places
from tests.support.prompt_text import render


class PromptText(SingleFileSnapshotExtension):
    """One text file for each prompt."""

    _write_mode = WriteMode.TEXT
    _file_extension = "txt"


@pytest.mark.parametrize("name", SCENES)
async def test_prompt(make_walk: MakeWalk, project: Path, snapshot: SnapshotAssertion, name: str) -> None:
    walk = await SCENES[name](make_walk, project)
    assert render(walk.bodies()[-1], places(walk)) == snapshot(extension_class=PromptText)
