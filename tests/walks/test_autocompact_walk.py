"""/autocompact: every spelling, the threshold in full, the scope that wins, what is clamped, and values for single models."""

import json

import pytest

from agent.api import Flags
from agent.protocol.events import Notice
from agent.rehearsal.script import say
from tests.walks.conftest import finished, of


def written(walk) -> dict[str, object]:
    """The person's own settings file."""
    file = walk.home / ".ccagent" / "settings.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write(folder, **values: object) -> None:
    """A settings file below `folder`."""
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "settings.json").write_text(json.dumps(values), encoding="utf-8")


@pytest.mark.parametrize(
    ("typed", "tokens", "threshold"),
    [("500k", 500_000, 467_000), ("1M", 1_000_000, 967_000), ("120000", 120_000, 87_000), ("300", 300_000, 267_000)],
)
async def test_a_window_is_set_at_once_kept_and_said_with_its_threshold(make_walk, typed, tokens, threshold):
    walk = await make_walk()
    text = finished(await walk.say(f"/autocompact {typed}")).text
    assert text.startswith(f"Auto-compact window set to {tokens:,} tokens. Auto-compact is on: ")
    assert f"auto-compact at {threshold:,} of {tokens:,} tokens" in text
    assert written(walk) == {"autoCompactWindow": tokens}
    assert walk.session.reading().tiers.auto_compact == threshold


async def test_off_on_and_auto(make_walk):
    walk = await make_walk()
    await walk.say("/autocompact 300k")
    off = finished(await walk.say("/autocompact off")).text
    assert off.startswith("Auto-compact is off (")
    assert off.endswith("settings.json, for all projects.")
    assert "Prompts are held at 977,000 tokens." in off
    assert walk.session.reading().tiers.auto_compact is None
    assert "auto-compact at 267,000 of 300,000" in finished(await walk.say("/autocompact on")).text
    text = finished(await walk.say("/autocompact auto")).text
    assert text.startswith("The auto-compact window follows the model again.")
    assert "auto-compact at 967,000 of 1,000,000" in text


async def test_a_higher_scope_wins_and_is_named_while_the_value_is_saved(make_walk, project):
    write(project / ".ccagent", autoCompactWindow=200_000, autoCompactEnabled=True)
    walk = await make_walk()
    text = finished(await walk.say("/autocompact 500k")).text
    place = project / ".ccagent" / "settings.json"
    assert f"It is saved, but {place} says 200,000 and wins." in text
    assert f"auto-compact at 167,000 of 200,000 tokens (window from settings: {place})" in text
    assert written(walk) == {"autoCompactWindow": 500_000}
    assert f"It is saved, but {place} says on and wins." in finished(await walk.say("/autocompact off")).text
    assert f"It is saved, but {place} says 200,000 and wins." in finished(await walk.say("/autocompact auto")).text


async def test_the_environment_wins_and_nothing_is_written(make_walk):
    walk = await make_walk()
    await walk.open(env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000", "DISABLE_AUTO_COMPACT": "1"})
    for line, name in (("500k", "CLAUDE_CODE_AUTO_COMPACT_WINDOW"), ("on", "DISABLE_AUTO_COMPACT")):
        text = finished(await walk.say(f"/autocompact {line}")).text
        assert text.startswith(f"{name} is set in the environment and wins; nothing was changed.")
    assert written(walk) == {}


async def test_the_command_replaces_what_this_launch_was_told(make_walk):
    walk = await make_walk()
    await walk.open(flags=Flags(autocompact="200k"))
    assert "window from flag" in finished(await walk.say("/autocompact")).text
    text = finished(await walk.say("/autocompact 300k")).text
    assert "wins" not in text
    assert "auto-compact at 267,000 of 300,000" in text


async def test_a_single_model_s_own_window_comes_first_and_is_named(make_walk):
    walk = await make_walk()
    write(walk.home / ".ccagent", autoCompactWindows={"claude-opus-5-5": 400_000}, autoCompactWindow=200_000)
    assert "auto-compact at 167,000 of 200,000" in finished(await walk.say("/autocompact")).text
    await walk.say("/model opus")
    assert "auto-compact at 367,000 of 400,000" in finished(await walk.say("/autocompact")).text
    text = finished(await walk.say("/autocompact 250k")).text
    assert "It is saved, but autoCompactWindows in " in text
    assert "says 400,000 and wins." in text


@pytest.mark.parametrize(
    ("env", "line"),
    [
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "12"}, "CLAUDE_CODE_AUTO_COMPACT_WINDOW=12 is too small; used 4,000."),
        ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "lots"}, "CLAUDE_CODE_AUTO_COMPACT_WINDOW=lots ignored"),
        ({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "400"}, "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=400 ignored"),
        ({"CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE": "5"}, "CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE=5 is not between"),
        ({"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "5"}, "CLAUDE_CODE_MAX_CONTEXT_TOKENS=5 is ignored"),
        ({"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "-5"}, "CLAUDE_CODE_MAX_OUTPUT_TOKENS=-5 ignored"),
    ],
)
async def test_an_absurd_override_is_one_line_that_names_its_source(make_walk, env, line):
    walk = await make_walk(say("one"))
    session = await walk.open(env=env)
    events = await walk.say("first")
    assert not finished(events).is_error
    await session.close()
    told = [event.text for event in of([event async for event in session.events()], Notice) if line in event.text]
    assert len(told) == 1, told
    assert "\n" not in told[0]


async def test_a_tiny_window_typed_by_hand_says_what_was_used(make_walk):
    walk = await make_walk()
    text = finished(await walk.say("/autocompact 2000")).text
    assert "autoCompactWindow in settings=2000 is too small; used 4,000." in text


@pytest.mark.parametrize("typed", ["lots", "-5", "0", "12", "1.5", "500kk"])
async def test_what_is_no_window_is_refused_in_one_line(make_walk, typed):
    walk = await make_walk()
    error = finished(await walk.say(f"/autocompact {typed}")).error
    assert error.startswith(
        "Auto-compact takes on, off, auto, or a number of tokens (at least 1,000) like 120000, 500k or 1M"
    )
    assert written(walk) == {}
