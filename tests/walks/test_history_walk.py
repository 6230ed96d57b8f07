"""Going back, branching, naming and exporting a conversation."""

import json
import stat
from pathlib import Path

from agent.protocol.clock import RandomIds, SystemClock
from agent.protocol.events import HistoryChanged, Notice, PromptAccepted
from agent.rehearsal.script import call, say, summary
from agent.transcript.entries import AttachmentEntry
from agent.transcript.transcript import Transcript
from agent.transcript.view import screen_page, screen_view
from tests.walks.conftest import finished, of


def said(body) -> str:
    return json.dumps(body["messages"])


def output(events) -> str:
    return "\n".join(event.text for event in of(events, Notice) if event.level == "output")


async def test_rewind_lists_the_prompts_and_goes_back_to_before_one(make_walk):
    walk = await make_walk(say("a1"), say("a2"), say("a3"), say("a2 again"))
    for text in ("first FACT-1", "second FACT-2", "third FACT-3"):
        await walk.say(text)
    listed = output(await walk.say("/rewind"))
    assert [line for line in listed.splitlines() if line.startswith("- ")] == [
        "- `3` third FACT-3",
        "- `2` second FACT-2",
        "- `1` first FACT-1",
    ]
    assert [choice.text for choice in walk.session.complete("/rewind ")] == ["/rewind 3", "/rewind 2", "/rewind 1"]
    events = await walk.say("/rewind 2")
    assert of(events, HistoryChanged) == [HistoryChanged("rewind", prompt="second FACT-2")]
    assert "second FACT-2" in output(events)
    assert [event.text for event in of(list(walk.session.history()), PromptAccepted)] == ["first FACT-1"]
    assert finished(await walk.say("second, otherwise")).text == "a2 again"
    body = said(walk.bodies()[-1])
    assert ("FACT-1" in body, "FACT-2" in body, "FACT-3" in body) == (True, False, False)
    assert len(walk.bodies()) == 4  # going back asks nobody


async def test_what_came_with_a_prompt_goes_with_it_and_is_sent_once_again(make_walk, project):
    (project / "notes.txt").write_text("NOTE-77\n", encoding="utf-8")
    walk = await make_walk(say("a1"), say("a2"), say("a2 again"))
    await walk.say("first")
    await walk.say("look at @notes.txt")
    await walk.say("/rewind 2")
    await walk.say("look again at @notes.txt")
    assert said(walk.bodies()[-1]).count("NOTE-77") == 1


async def test_back_to_the_very_beginning_gives_the_opening_once(make_walk, project):
    walk = await make_walk(say("a1"), say("a1 again"))
    await walk.say("first")
    await walk.say("/rewind 1")
    assert walk.session.history() == ()
    await walk.say("other")
    assert said(walk.bodies()[-1]).count(f"Working directory: {project}") == 1
    assert "first" not in said(walk.bodies()[-1])


async def test_a_huge_prompt_is_quoted_by_its_head(make_walk):
    walk = await make_walk(say("a1"))
    await walk.say("\n".join(f"line {number}" for number in range(500)))
    events = await walk.say("/rewind 1")
    assert output(events).endswith("> line 11\n> … 488 more lines")
    assert of(events, HistoryChanged)[0].prompt.endswith("line 499")


async def test_the_branch_is_known_before_the_first_prompt(make_walk):
    walk = await make_walk(say("a1"))
    await walk.say("first")
    session = await walk.open(continue_=True)
    await session.start()
    assert session.status().branch == "main"


async def test_a_rewind_is_taken_back_also_after_a_resume(make_walk):
    walk = await make_walk(say("a1"), say("a2"), say("a3"))
    await walk.say("first")
    await walk.say("second FACT-2")
    await walk.say("/rewind 2")
    await walk.open(continue_=True)
    await walk.say("/rewind undo")
    await walk.say("third")
    assert "FACT-2" in said(walk.bodies()[-1]) and "a2" in said(walk.bodies()[-1])


async def test_rewind_across_a_compaction_finds_the_old_messages(make_walk):
    walk = await make_walk(say("a1 LONG-1"), say("a2 LONG-2"), summary("SUM-1"), say("a3"), say("back"))
    await walk.say("first")
    await walk.say("second")
    await walk.compact()
    await walk.say("third")
    listed = output(await walk.say("/rewind"))
    assert {"- `2` second (before a compaction)", "- `3` third"} <= set(listed.splitlines())
    await walk.say("/rewind 2")
    await walk.say("second, otherwise")
    body = said(walk.bodies()[-1])
    assert ("LONG-1" in body, "LONG-2" in body, "SUM-1" in body) == (True, False, False)


async def test_files_that_are_no_longer_in_context_must_be_read_again(make_walk, project):
    file = str(project / "hello.py")
    walk = await make_walk(
        say("a1"),
        call("Read", file_path=file),
        say("read"),
        call("Edit", file_path=file, old_string="'hello'", new_string="'hi'"),
        say("it must be read first"),
    )
    await walk.say("first")
    await walk.say("read it")
    await walk.say("/rewind 2")
    await walk.say("edit it blindly")
    assert "'hello'" in (project / "hello.py").read_text()


async def test_a_prompt_that_is_not_there_changes_nothing(make_walk):
    walk = await make_walk(say("a1"))
    await walk.say("first")
    before = walk.transcript_text()
    for line in ("/rewind 7", "/rewind x", "/rewind undo"):
        assert finished(await walk.say(line)).is_error
    assert walk.transcript_text() == before


async def test_a_branch_goes_on_and_the_original_is_intact(make_walk):
    walk = await make_walk(say("a1"), say("here"), say("there"))
    assert finished(await walk.say("/branch too early")).is_error
    await walk.say("first FACT-1")
    original, before = walk.session.id, walk.transcript_text()
    events = await walk.say("/branch try it")
    assert of(events, HistoryChanged) == [HistoryChanged("resume")]
    assert walk.session.id != original
    assert finished(await walk.say("on the branch")).text == "here"
    assert "FACT-1" in said(walk.bodies()[-1])
    await walk.say(f"/resume {original}")
    assert walk.transcript_text() == before
    await walk.say("on the trunk")
    assert "on the branch" not in said(walk.bodies()[-1])
    assert any("try it" in choice.hint for choice in walk.session.complete("/resume "))


async def test_a_title_is_listed_and_survives_compaction_and_resume(make_walk):
    walk = await make_walk(say("a1"), summary("S"), say("a2"))
    await walk.say("first")
    await walk.say("/rename  The   great\trefactoring ")
    await walk.compact()
    first = walk.session.id
    await walk.say("/clear")
    assert f"`{first}`" in output(await walk.say("/resume"))
    assert "The great refactoring" in output(await walk.say("/resume"))
    assert finished(await walk.say("/rename")).is_error


async def test_export_writes_all_of_it_and_never_over_a_file(make_walk, project):
    walk = await make_walk(call("Bash", command="printf '```\\033[31mred'"), say("*done*"), summary("SUM-9"), say("a2"))
    await walk.say("run FACT-1")
    await walk.compact()
    await walk.say("go on")
    events = await walk.say("/export talk.md")
    assert str(project / "talk.md") in output(events)
    text = (project / "talk.md").read_text(encoding="utf-8")
    for part in (
        "# run FACT-1",
        "## You\n\ngo on\n\n## Assistant\n\na2",
        "## Assistant\n\n**Bash printf",
        "**Bash printf",
        "````\n```",
        "compacted (manual)",
        "SUM-9",
        "*done*",
    ):
        assert part in text, part
    assert text.count("## Assistant") == 2, "one for each turn"
    assert "\x1b" not in text
    assert stat.S_IMODE((project / "talk.md").stat().st_mode) == 0o600
    assert finished(await walk.say("/export talk.md")).is_error
    assert finished(await walk.say("/export nowhere/talk.md")).is_error
    assert (project / "talk.md").read_text(encoding="utf-8") == text
    await walk.say("/export talk.json")
    whole = json.loads((project / "talk.json").read_text(encoding="utf-8"))
    kinds = [entry["type"] for entry in whole["entries"]]
    assert [kinds.count(kind) for kind in ("assistant", "compaction", "summary")] == [3, 1, 1]
    await walk.say("/export ~/at-home.md")
    assert (walk.home / "at-home.md").exists()
    await walk.say("/export")
    assert (project / f"conversation-{walk.session.id[:8]}.md").exists()
    await walk.say("/export talk.txt")
    plain = (project / "talk.txt").read_text(encoding="utf-8")
    assert "> run FACT-1\n\nAssistant:\n\n" in plain and "> go on\n\nAssistant:\n\na2" in plain


async def test_pages_begin_with_a_prompt_and_together_are_the_history(make_walk, project):
    walk = await make_walk(*(reply for n in range(5) for reply in (call("Bash", command=f"echo {n}"), say(f"a{n}"))))
    (project / "notes.txt").write_text("n\n", encoding="utf-8")
    for number in range(5):
        await walk.say(f"prompt {number} @notes.txt")
    assert walk.session.history_page().events == walk.session.history()
    path = Path(walk.session.status().transcript)
    await walk.session.close()
    transcript = Transcript.open(path, cwd=project, version="1", clock=SystemClock(), ids=RandomIds())
    pages, first = [], None
    while first != 0:
        entries, first = screen_page(transcript.entries(), transcript.leaf, first, 3)
        pages.insert(0, entries)
    transcript.close()
    prompts = [next(entry for entry in page if not isinstance(entry, AttachmentEntry)) for page in pages]
    assert [prompt.message.text for prompt in prompts] == [f"prompt {n} @notes.txt" for n in range(5)]
    assert tuple(entry for page in pages for entry in page) == screen_view(transcript.entries(), transcript.leaf)


async def test_what_a_prompt_brought_along_is_told_again_when_the_conversation_is_drawn_anew(make_walk, project):
    (project / "notes.txt").write_text("NOTE-77\n", encoding="utf-8")
    walk = await make_walk(say("a1"), say("a2"))
    live = await walk.say("look at @notes.txt")
    await walk.say("thanks")
    session = await walk.open(resume=walk.session.id)
    told = [event for event in session.history() if isinstance(event, PromptAccepted | Notice)]
    assert of(live, Notice)[-1] == told[1] == Notice(level="info", text="Attached: notes.txt (1 line)")
    assert [type(event) for event in told] == [PromptAccepted, Notice, PromptAccepted]


async def test_clear_names_the_old_conversation_if_there_is_one(make_walk):
    walk = await make_walk(say("one"))
    assert output(await walk.say("/clear")) == "New conversation."
    await walk.say("hello")
    id = walk.session.id
    assert output(await walk.say("/clear")) == f"New conversation. The old one is kept: /resume {id}"
    assert not finished(await walk.say(f"/resume {id}")).is_error


async def test_an_empty_conversation_is_not_exported(make_walk, project):
    walk = await make_walk()
    assert finished(await walk.say("/export talk.md")).error.startswith("There is nothing to export yet.")
    assert not (project / "talk.md").exists()
