"""The requests around a compaction, word for word: before it, for the summary, and after it. `--snapshot-update` writes them anew."""

import sys

from agent.rehearsal.script import call, reply, say, summary, thinking, tool
from tests.support.request_text import request_text
from tests.walks.conftest import Walk

SECTIONS = "\n".join(f"{at}. Section {at}: what matters of it." for at in range(1, 10))


async def compacted(make_walk, project) -> tuple[Walk, list[str]]:
    (project / "CLAUDE.md").write_text("Tabs only.\n", encoding="utf-8")
    walk = await make_walk(
        reply(thinking("Where to look?"), tool("Read", {"file_path": str(project / "hello.py")})),
        say("It says hello."),
        call("Bash", command="cat missing"),
        say("There is no such file."),
        summary(SECTIONS),
        say("Where were we."),
    )
    for prompt in ("look at hello.py", "and at the other", "/compact keep the names", "go on"):
        await walk.say(prompt)
    places = {str(walk.project): "/project", str(walk.home): "/home", f"Platform: {sys.platform}": "Platform: PLATFORM"}
    return walk, [request_text(body, places) for body in walk.bodies()]


async def test_the_requests_before_for_and_after_a_compaction(make_walk, project, snapshot):
    _, requests = await compacted(make_walk, project)
    assert len(requests) == 6
    assert requests[0] == snapshot(name="first request")
    heads = {request.partition("\n== user")[0] for request in requests}
    assert len(heads) == 1, "system prompt, tools and settings never change, or the cache is lost"
    for request, name in zip(requests[3:], ("before the compaction", "for the summary", "after it"), strict=True):
        assert request.partition("\n== user")[2] == snapshot(name=name)


async def test_the_text_tells_a_changed_word_block_and_cache_mark(make_walk, project):
    walk, requests = await compacted(make_walk, project)
    body, text = walk.bodies()[3], requests[3]
    places = {str(walk.project): "/project", str(walk.home): "/home", f"Platform: {sys.platform}": "Platform: PLATFORM"}
    messages = body["messages"]
    assert request_text(body, places) == text
    assert request_text({**body, "max_tokens": 1}, places) != text
    assert request_text({**body, "messages": messages[:-1]}, places) != text
    first, *rest = messages[0]["content"]
    for changed in ({**first, "text": first["text"] + "!"}, {**first, "cache_control": {"type": "ephemeral"}}):
        odd = {**body, "messages": [{"role": "user", "content": [changed, *rest]}, *messages[1:]]}
        assert request_text(odd, places) != text
