"""The requests that have a stored text: each is the last one of a short session."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import msgspec

from agent.api import Flags
from agent.rehearsal.replies import Reply
from agent.rehearsal.script import call, reply, say, summary, thinking, tool
from tests.walks.conftest import Walk, used

STORED = Path(__file__).parent / "prompts"
WINDOW = 60_000


class MakeWalk(Protocol):
    """The fixture of the walks."""

    async def __call__(self, *replies: Reply, **server: object) -> Walk: ...


Scene = Callable[[MakeWalk, Path], Awaitable[Walk]]


async def first_request(make_walk: MakeWalk, project: Path) -> Walk:
    """A prompt with memory and an attached file."""
    (project / "CLAUDE.md").write_text("Use four blanks.\n", encoding="utf-8")
    walk = await make_walk(say("one"))
    await walk.say("look at @hello.py")
    return walk


async def tool_loop(make_walk: MakeWalk, project: Path) -> Walk:
    """Thinking, two calls side by side, a refusal, a command of the person's."""
    calls = (tool("Read", {"file_path": str(project / "hello.py")}), tool("Bash", {"command": "echo hi; exit 3"}))
    walk = await make_walk(reply(thinking("look"), *calls), say("one"), say("two"))
    await walk.say("look and run")
    async for _event in walk.session.run_shell("echo from me"):
        pass
    await walk.say("and now?")
    return walk


async def spilled_result(make_walk: MakeWalk, project: Path) -> Walk:
    """A result that went to a file."""
    (project / "long.txt").write_text("".join(f"line {n} of a long file\n" for n in range(4_000)), encoding="utf-8")
    walk = await make_walk(call("Bash", command="cat long.txt"), say("one"), window=WINDOW)
    await walk.say("show it")
    return walk


def _long_looks(project: Path) -> list[Reply]:
    text = "".join(f"line {n} of a long file that goes on and on\n" for n in range(370))
    (project / "long.txt").write_text(text, encoding="utf-8")
    return [reply(thinking(f"step {n}"), tool("Bash", {"command": f"cat long.txt # {n}"})) for n in range(8)]


async def cleared_by_stubs(make_walk: MakeWalk, project: Path) -> Walk:
    """Microcompact with our own words, where no thinking is bound."""
    walk = await make_walk(*_long_looks(project), say("done"), window=WINDOW)
    await walk.open(flags=Flags(model="claude-opus-5"))
    await walk.say("look at it eight times")
    return walk


async def cleared_by_the_server(make_walk: MakeWalk, project: Path) -> Walk:
    """Microcompact by context editing, where thinking is bound."""
    walk = await make_walk(*_long_looks(project), say("done"), window=WINDOW)
    await walk.say("look at it eight times")
    return walk


async def stripped_of_thinking(make_walk: MakeWalk, project: Path) -> Walk:
    """Microcompact where thinking is bound and the server cannot clear: thinking goes with the results."""
    walk = await make_walk(*_long_looks(project), say("done"), window=WINDOW)
    said = {"window": {"max_input_tokens": WINDOW, "max_tokens": 64_000}, "at": time.time()}
    cache = walk.home / ".ccagent" / "cache"
    cache.mkdir(parents=True)
    (cache / "windows.json").write_bytes(msgspec.json.encode({f"{walk.api.url} claude-sonnet-5-5": said}))
    await walk.say("look at it eight times")
    return walk


async def request_for_a_summary(make_walk: MakeWalk, project: Path) -> Walk:
    """/compact with instructions: the live prefix, and one more message."""
    walk = await make_walk(call("Read", file_path=str(project / "hello.py")), say("one"), summary("S-1"))
    await walk.say("first, and never push to main")
    await walk.say("/compact keep the names")
    return walk


async def after_a_compaction(make_walk: MakeWalk, project: Path) -> Walk:
    """The next prompt: summary, kept messages, what is given back."""
    (project / "CLAUDE.md").write_text("Use four blanks.\n", encoding="utf-8")
    walk = await make_walk(
        call("Read", file_path=str(project / "hello.py")), say("one"), say("two"), summary("S-1"), say("three")
    )
    await walk.say("first, and never push to main")
    await walk.say("second")
    await walk.say("/pin the port is 8080")
    await walk.say("/compact")
    await walk.say("third")
    return walk


async def after_an_automatic_compaction_in_a_turn(make_walk: MakeWalk, project: Path) -> Walk:
    """The tool loop goes on after it."""
    look = tool("Read", {"file_path": str(project / "hello.py")})
    walk = await make_walk(reply(look, usage=used(168_000)), summary("S-1"), say("done"), window=200_000)
    await walk.say("first")
    return walk


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        first_request,
        tool_loop,
        spilled_result,
        cleared_by_stubs,
        cleared_by_the_server,
        stripped_of_thinking,
        request_for_a_summary,
        after_a_compaction,
        after_an_automatic_compaction_in_a_turn,
    )
}


def places(walk: Walk) -> dict[Path, str]:
    """The folders of this run."""
    return {walk.project: "<project>", walk.home: "<home>"}
