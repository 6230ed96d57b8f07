"""Recall: whatever a compacted session knew is found again by at most two calls of Grep and Read, with its exact bytes."""

import json
import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from agent.protocol.events import ToolFinished, ToolStarted
from agent.rehearsal.script import call, reply, say, summary, tool
from tests.walks.conftest import Walk, finished, of

ALPHABETS = {
    "plain": "abcdefghij klmnop",
    "code": "(){}[]<>|&;$`'\"\\/*+?.^%#@!~=,: ",
    "cjk": "编译器内存泄漏测试失败修复配置端口数据库ひらがなカタカナ한국어",
    "accents": "àéîõüßøłžЖдијאבجد",
    "emoji": "🙂🚀👩‍💻🇩🇪✅⚠️",
    "blanks": "a \t b  \tc",
}


class Facts:
    """Generated lines, each with a key that names it; `of` remembers what must be found again."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.lines: dict[str, str] = {}

    def of(self, kind: str) -> str:
        """One line for each alphabet, joined by newlines."""
        return "\n".join(self._line(kind, alphabet) for alphabet in ALPHABETS.values())

    def _line(self, kind: str, alphabet: str) -> str:
        key = f"{kind}-{len(self.lines)}-{self._random.randrange(10**6):06}"
        noise = "".join(self._random.choices(alphabet, k=self._random.randrange(5, 60))).strip()
        self.lines[key] = line = f"{key} {noise} end"
        return line


async def ask_tools(walk: Walk, name: str, inputs: dict[str, dict[str, object]]) -> dict[str, str]:
    """What a tool says to each of these inputs when the model calls it; nothing is asked for it."""
    script, asked = walk.api.api.script, len(walk.asked)
    script.replies[len(walk.api.requests)] = reply(*[tool(name, each) for each in inputs.values()])
    events = await walk.say("look it up")
    assert len(walk.asked) == asked
    told = {event.id: event.output.text for event in of(events, ToolFinished)}
    said = {event.id: event.input for event in of(events, ToolStarted)}
    return {key: next(told[id] for id, given in said.items() if given == each) for key, each in inputs.items()}


async def recalled(walk: Walk, keys: Iterable[str], folder: str) -> dict[str, str]:
    """The line that begins with each key: one Grep finds its place, one Read shows it."""
    found = await ask_tools(
        walk, "Grep", {key: {"pattern": key, "path": folder, "output_mode": "content"} for key in keys}
    )
    places = {key: re.search(rf"^(.+?):(\d+):.*{key}", text, re.MULTILINE) for key, text in found.items()}
    assert [key for key, place in places.items() if place is None] == []
    reads = {
        key: {"file_path": str(walk.project / place[1]), "offset": int(place[2]), "limit": 1}
        for key, place in places.items()
    }
    shown = await ask_tools(walk, "Read", reads)
    return {key: text.split("\n")[0].partition("\t")[2] for key, text in shown.items()}


def folder_of(walk: Walk) -> str:
    """Where the continuation says that the earlier conversation is."""
    return re.search(r"in the other files of (\S+?)\.(?:\\n|\"|$)", walk.texts()[-1])[1]


async def lived(make_walk, project: Path, facts: Facts) -> Walk:
    """A session in which every kind of block holds facts, two compactions, and room for questions."""
    (project / "read.txt").write_text(facts.of("READ") + "\n", encoding="utf-8")
    (project / "mentioned.md").write_text(facts.of("MENTION") + "\n", encoding="utf-8")
    (project / "bad.sh").write_text(f"cat <<'_EOF_' >&2\n{facts.of('ERROR')}\n_EOF_\nexit 3\n", encoding="utf-8")
    middle = [f"{n} {'x' * 90}" for n in range(600)]
    middle[300:300] = facts.of("SPILLED").split("\n")
    (project / "huge.txt").write_text("\n".join(middle) + "\n", encoding="utf-8")
    (project / "flat.json").write_text(
        "y" * 5_000 + facts.of("LONG").replace("\n", " ") + "y" * 5_000, encoding="utf-8"
    )
    (project / "edit.txt").write_text("before\n", encoding="utf-8")
    walk = await make_walk(
        reply(
            tool("Read", {"file_path": str(project / "read.txt")}),
            tool("Bash", {"command": "sh bad.sh"}),
            tool("Bash", {"command": "cat huge.txt"}),
            tool("Bash", {"command": "cat flat.json"}),
            tool("Bash", {"command": "printf 'a\\0b'"}),
        ),
        say(facts.of("ANSWER")),
        summary("None"),
        reply(
            tool("Write", {"file_path": str(project / "new.txt"), "content": facts.of("WRITE")}),
            tool(
                "Edit", {"file_path": str(project / "edit.txt"), "old_string": "before", "new_string": facts.of("EDIT")}
            ),
        ),
        say("ok"),
        summary("None"),
        *[say("ok")] * 9,
        window=200_000,
    )
    await walk.say(f"{facts.of('PROMPT')}\nsee @mentioned.md")
    await walk.compact()
    await walk.say(facts.of("LATER"))
    assert not finished(await walk.say("/compact")).is_error
    await walk.say("go on")
    return walk


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_every_fact_of_a_compacted_session_is_found_in_two_calls_with_its_exact_bytes(make_walk, project, seed):
    facts = Facts(seed)
    walk = await lived(make_walk, project, facts)
    for file in [path for path in project.iterdir() if path.is_file()]:
        file.unlink()  # nothing is found because it still lies on the disk
    folder = folder_of(walk)
    told = await recalled(walk, facts.lines, folder)
    assert len(facts.lines) == 10 * len(ALPHABETS)
    assert {key: told[key] for key, line in facts.lines.items() if line not in told[key]} == {}


async def test_what_was_looked_up_is_not_given_back_as_a_file_that_was_worked_on(make_walk, project):
    walk = await make_walk(say("ANSWER-1 is here"), summary("None"), *[say("ok")] * 3, summary("None"), say("ok"))
    await walk.say("hello")
    await walk.compact()
    await walk.say("go on")
    folder = folder_of(walk)
    file = next(Path(folder).iterdir())
    walk.api.api.script.replies[3] = call("Read", file_path=str(file))
    await walk.say("read it")
    await walk.compact()
    await walk.say("go on")
    assert f"Content of {file}" not in walk.texts()[-1]


async def test_what_was_dropped_from_the_context_before_is_found_too(make_walk, project):
    facts = Facts(4)
    (project / "read.txt").write_text(facts.of("DROPPED") + "\n", encoding="utf-8")
    walk = await make_walk(call("Bash", command="cat read.txt"), say("seen"), summary("None"), *[say("ok")] * 9)
    await walk.say("show it")
    items = finished(await walk.say("/context all")).text
    number = next(row.split("|")[1].strip() for row in items.splitlines() if "result of Bash cat read.txt" in row)
    await walk.say(f"/context drop {number}")
    await walk.compact()
    await walk.say("go on")
    told = await recalled(walk, facts.lines, folder_of(walk))
    assert all(line in told[key] for key, line in facts.lines.items())


@pytest.mark.parametrize("how", [{}, {"fork": True}])
async def test_what_was_compacted_is_found_after_a_resume_and_in_a_fork(make_walk, project, how):
    facts = Facts(5)
    walk = await make_walk(say(facts.of("ANSWER")), summary("None"), *[say("ok")] * 9)
    await walk.say("tell me")
    await walk.compact()
    await walk.open(resume=walk.session.id, **how)
    await walk.say("go on")
    told = await recalled(walk, facts.lines, folder_of(walk))
    assert all(line in told[key] for key, line in facts.lines.items())


async def test_what_a_part_took_out_of_sight_is_found(make_walk, project):
    facts = Facts(6)
    walk = await make_walk(say("one"), say(facts.of("ANSWER")), say("three"), summary("None"), *[say("ok")] * 9)
    for prompt in ("first", "second", "third"):
        await walk.say(prompt)
    await walk.compact("/compact from 4")
    await walk.say("go on")
    told = await recalled(walk, facts.lines, folder_of(walk))
    assert all(line in told[key] for key, line in facts.lines.items())


async def test_a_file_that_is_resumed_opens_no_folder_by_naming_it_as_its_source(make_walk, project, tmp_path):
    secret = tmp_path / "elsewhere" / "deep"
    secret.mkdir(parents=True)
    (secret / "key.txt").write_text("SECRET-1\n", encoding="utf-8")
    walk = await make_walk(say("ok"), call("Read", file_path=str(secret / "key.txt")), say("on"))
    await walk.say("hello")
    path = Path(walk.session.status().transcript)
    await walk.session.close()
    source = {
        "type": "forked-from",
        "sessionId": path.stem,
        "sources": [f"{secret}.jsonl", f"{path.parent.parent}.jsonl"],
    }
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(source) + "\n", encoding="utf-8")
    await walk.open(resume=path.stem)
    await walk.say("read it")
    assert [ask.tool for ask in walk.asked] == ["Read"]


async def test_a_copy_finds_everything_also_when_its_original_is_gone(make_walk, project):
    facts = Facts(7)
    middle = [f"{n} {'x' * 90}" for n in range(600)]
    middle[300:300] = facts.of("SPILLED").split("\n")
    (project / "huge.txt").write_text("\n".join(middle) + "\n", encoding="utf-8")
    walk = await make_walk(
        say(facts.of("EARLIER")),
        summary("None"),
        call("Bash", command="cat huge.txt"),
        say("seen"),
        summary("None"),
        *[say("ok")] * 9,
    )
    await walk.say("tell me")
    await walk.compact()
    await walk.say("show it")
    original = Path(walk.session.status().transcript)
    await walk.open(resume=walk.session.id, fork=True)
    shutil.rmtree(original.with_suffix(""))
    original.unlink()
    (project / "huge.txt").unlink()
    await walk.compact()
    await walk.say("go on")
    told = await recalled(walk, facts.lines, folder_of(walk))
    assert all(line in told[key] for key, line in facts.lines.items())
