"""apiKeyHelper in whole sessions: asked when needed, again when refused, never stored, never trusted from a project unasked."""

import json

import pytest

from agent.api import Flags
from agent.protocol.errors import MissingCredentials
from agent.rehearsal.script import fail, say
from tests.walks.conftest import finished

NO_KEY = {"ANTHROPIC_API_KEY": ""}


def helper(folder, command):
    (folder / ".claude").mkdir(exist_ok=True)
    (folder / ".claude" / "settings.json").write_text(json.dumps({"apiKeyHelper": command}), encoding="utf-8")


def counting(folder):
    """A command whose key counts its runs."""
    count = folder / "count"
    return f"echo x >> {count}; echo key-number-$(wc -l < {count})"


def runs(folder):
    """How often it has run."""
    count = folder / "count"
    return len(count.read_text().splitlines()) if count.exists() else 0


async def test_the_printed_key_is_sent_and_kept_in_memory(make_walk, clean_environment):
    helper(clean_environment, counting(clean_environment))
    walk = await make_walk(say("one"), say("two"))
    await walk.open(env=NO_KEY)
    await walk.say("first")
    assert finished(await walk.say("second")).text == "two"
    assert runs(clean_environment) == 1
    assert {"x-api-key", "authorization"} <= set(walk.api.requests[0].headers)
    await walk.session.close()
    ours = [path for path in (clean_environment / ".ccagent").rglob("*") if path.is_file()]
    assert ours != []
    assert not any(b"key-number" in path.read_bytes() for path in ours)


async def test_a_key_of_the_environment_comes_first(make_walk, clean_environment):
    helper(clean_environment, counting(clean_environment))
    walk = await make_walk(say("one"))
    await walk.say("first")
    assert runs(clean_environment) == 0


async def test_a_refused_key_is_asked_for_again_once(make_walk, clean_environment):
    helper(clean_environment, counting(clean_environment))
    walk = await make_walk(fail(401), say("one"))
    await walk.open(env=NO_KEY)
    assert finished(await walk.say("first")).text == "one"
    assert (runs(clean_environment), len(walk.bodies())) == (2, 2)


async def test_a_helper_that_has_no_other_key_is_not_asked_for_ever(make_walk, clean_environment):
    helper(clean_environment, f"echo x >> {clean_environment}/count; echo the-same-key")
    walk = await make_walk(fail(401))
    await walk.open(env=NO_KEY)
    assert finished(await walk.say("first")).is_error
    assert (runs(clean_environment), len(walk.bodies())) == (2, 1)


async def test_an_old_key_is_asked_for_again(make_walk, clean_environment):
    helper(clean_environment, counting(clean_environment))
    walk = await make_walk(say("one"), say("two"))
    await walk.open(env={**NO_KEY, "CLAUDE_CODE_API_KEY_HELPER_TTL_MS": "0"})
    await walk.say("first")
    await walk.say("second")
    assert runs(clean_environment) >= 2


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo locked >&2; exit 3", "exit code 3, locked"),
        ("true", "no key on its standard output"),
        ("/no/such/helper", "not found"),
    ],
)
async def test_a_helper_that_fails_says_so_and_the_session_goes_on(make_walk, clean_environment, command, why):
    helper(clean_environment, command)
    walk = await make_walk(say("one"))
    await walk.open(env=NO_KEY)
    result = finished(await walk.say("first"))
    assert "apiKeyHelper" in result.error
    assert why in result.error
    helper(clean_environment, "echo mended")
    assert walk.bodies() == []


async def test_a_projects_helper_waits_for_trust(make_walk, project):
    helper(project, f"touch {project}/PWNED; echo key")
    walk = await make_walk(say("one"))
    bare = {**NO_KEY, "ANTHROPIC_BASE_URL": ""}
    with pytest.raises(MissingCredentials):
        await walk.open(env=bare, interactive=False)
    assert not (project / "PWNED").exists()
    await walk.open(env=NO_KEY, flags=Flags(trust=True), interactive=False)
    assert finished(await walk.say("first")).text == "one"
    assert (project / "PWNED").exists()
