"""Every stored prompt is shown to fail: a word, an order, a block, a setting or a cache mark that differs is seen."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.snapshots.prompt_scenes import SCENES, STORED, MakeWalk, places
from tests.support.prompt_text import render


def altered(body: dict) -> Iterator[tuple[str, dict]]:
    """The body with one thing different, each time another one."""
    changes: dict[str, Callable[[dict], object]] = {
        "the order of the tools": lambda b: b["tools"].reverse(),
        "a tool's schema": lambda b: b["tools"][0]["input_schema"].update(additionalProperties=True),
        "a letter of the system prompt": lambda b: b["system"][0].update(text=b["system"][0]["text"] + "x"),
        "the answer's limit": lambda b: b.update(max_tokens=b["max_tokens"] + 1),
        "a message more": lambda b: b["messages"].append({"role": "user", "content": [{"type": "text", "text": "x"}]}),
        "a message less": lambda b: b["messages"].pop(),
        "the order of the blocks": lambda b: b["messages"][0]["content"].append({"type": "text", "text": "x"}),
        "a cache mark": lambda b: b["messages"][0]["content"][0].update(cache_control={"type": "ephemeral"}),
        "the thinking": lambda b: b.update(thinking={"type": "disabled"}),
    }
    for name, change in changes.items():
        copied = copy.deepcopy(body)
        change(copied)
        if copied != body:  # a first message that bears the mark already
            yield name, copied


@pytest.mark.parametrize("name", SCENES)
async def test_one_thing_that_differs_is_seen(make_walk: MakeWalk, project: Path, name: str) -> None:
    walk = await SCENES[name](make_walk, project)
    stored = (STORED / f"{name}.txt").read_text(encoding="utf-8")
    body = walk.bodies()[-1]
    assert render(body, places(walk)) == stored
    for what, changed in altered(body):
        assert render(changed, places(walk)) != stored, what
