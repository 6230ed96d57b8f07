"""The offline model: phrases become tool calls, results become honest words, a history becomes nine sections."""

from typing import Any

import pytest

from agent.rehearsal.extract import SECTIONS
from agent.rehearsal.server import RehearsalThread
from agent.rehearsal.tasks import read_tasks
from agent.rehearsal.usage import text_tokens
from tests.unit.rehearsal.raw import ask, assistant, post, result, text, use, user

TOOLS = [
    {"name": name, "input_schema": {"type": "object"}} for name in ("Read", "Write", "Edit", "Bash", "Grep", "Glob")
]
SYSTEM = "You are an agent.\nWorking directory: /repo\nPlatform: linux"


def play(request: str, *results: tuple[str, bool], tools: list[Any] = TOOLS) -> tuple[list[dict[str, Any]], str]:
    """Play a turn: every tool call gets the next result. Returns the calls and the closing words."""
    with RehearsalThread(offline_model=True) as api:
        history, calls, left = [user(request)], [], list(results)
        while True:
            status, answer = post(api.url, ask(*history, system=SYSTEM, tools=tools))
            assert status == 200, answer
            history.append(assistant(*answer["content"]))
            made = [block for block in answer["content"] if block["type"] == "tool_use"]
            if not made:
                api.check()
                return calls, answer["content"][0]["text"]
            calls += made
            content, failed = left.pop(0)
            history.append(user(result(made[0]["id"], content, is_error=failed)))


def test_it_reads_and_quotes() -> None:
    calls, said = play("read src/app.py", ("1\timport os", False))
    assert [(call["name"], call["input"]) for call in calls] == [("Read", {"file_path": "/repo/src/app.py"})]
    assert "import os" in said


@pytest.mark.parametrize(
    ("request_", "name", "input_"),
    [
        ("find TODO in src", "Grep", {"pattern": "TODO", "path": "/repo/src", "output_mode": "content", "-n": True}),
        (
            "search for 'def main('",
            "Grep",
            {"pattern": r"def\ main\(", "path": "/repo", "output_mode": "content", "-n": True},
        ),
        ("list files", "Glob", {"pattern": "**/*", "path": "/repo"}),
        ("glob **/*.py", "Glob", {"pattern": "**/*.py", "path": "/repo"}),
        ("list files in src", "Glob", {"pattern": "src/**/*", "path": "/repo"}),
        ("run `ls -la`", "Bash", {"command": "ls -la", "description": "What the user asked to run"}),
        ("Run pytest -q", "Bash", {"command": "pytest -q", "description": "What the user asked to run"}),
        ("please read the file README.md.", "Read", {"file_path": "/repo/README.md"}),
        ("show /etc/hosts", "Read", {"file_path": "/etc/hosts"}),
        ("create notes.txt with hello world", "Write", {"file_path": "/repo/notes.txt", "content": "hello world\n"}),
    ],
)
def test_phrases_become_calls(request_: str, name: str, input_: dict[str, Any]) -> None:
    calls, _ = play(request_, ("done", False))
    assert [(call["name"], call["input"]) for call in calls] == [(name, input_)]


@pytest.mark.parametrize(
    "mark", [(), ("[Request interrupted by the user]",), ("<system-reminder>\nlate\n</system-reminder>",)]
)
def test_words_after_a_call_that_was_cut_off_begin_a_new_turn(mark: tuple[str, ...]) -> None:
    """The prompt after Esc or a killed process shares its message with the results of the open calls."""
    cut = result("toolu_1", "This call was interrupted before it finished.", is_error=True)
    history = [user("run sleep 30"), assistant(use("toolu_1", name="Bash", input={"command": "sleep 30"}))]
    with RehearsalThread(offline_model=True) as api:
        shared = user(cut, *map(text, mark), text("run echo one"))
        status, answer = post(api.url, ask(*history, shared, system=SYSTEM, tools=TOOLS))
        assert status == 200, answer
        call = answer["content"][-1]
        assert call["input"]["command"] == "echo one"
        later = [*history, shared, assistant(*answer["content"]), user(result(call["id"], "one"))]
        _, closing = post(api.url, ask(*later, system=SYSTEM, tools=TOOLS))
        assert closing["content"][0]["text"].startswith("`echo one` said:")


def test_a_file_of_several_lines_is_written_whole() -> None:
    calls, said = play("write a.sh with echo one; echo two\nread b.txt", ("ok", False))
    assert [call["input"]["content"] for call in calls] == ["echo one; echo two\nread b.txt\n"]
    assert said == "Wrote /repo/a.sh."


def test_it_reads_before_it_edits() -> None:
    calls, said = play('replace "port = 1" by "port = 2" in app.cfg', ("1\tport = 1", False), ("edited", False))
    assert [call["name"] for call in calls] == ["Read", "Edit"]
    assert calls[1]["input"] == {"file_path": "/repo/app.cfg", "old_string": "port = 1", "new_string": "port = 2"}
    assert said == "Replaced 'port = 1' by 'port = 2' in /repo/app.cfg."


def test_what_it_quotes_stands_in_a_fence_longer_than_any_in_it() -> None:
    lines = "\n".join(["a", "````", *map(str, range(20))])
    _, said = play("read a.md", (lines, False))
    shown = said.splitlines()
    assert shown[1:4] == ["`````", "a", "````"]
    assert shown[-2:] == ["`````", "… 10 more lines"]


def test_a_refused_step_ends_the_task_and_is_told() -> None:
    calls, said = play("replace a by b in f.py", ("1\ta", False), ("The user said no.\nMore.", True))
    assert len(calls) == 2
    assert said == "Edit did not succeed: The user said no."


def test_several_tasks_are_done_one_after_another() -> None:
    calls, said = play("read a.py, then run make; list files", ("x", False), ("boom", True), ("a.py", False))
    assert [call["name"] for call in calls] == ["Read", "Bash", "Glob"]
    read, ran, listed = said.split("\n\n")[0], *said.split("\n\n")[-2:]
    assert "a.py begins:" in read
    assert ran == "Bash did not succeed: boom", "each answer is a paragraph of its own"
    assert "a.py" in listed


def test_what_it_does_not_understand_it_says_so() -> None:
    for request in ("help", "refactor the whole thing please", "read a.py then think hard about it"):
        calls, said = play(request)
        assert calls == []
        assert said.startswith("This is not a model")
        assert "ANTHROPIC_API_KEY" in said
        assert len(said.splitlines()) == 2


def test_a_tool_that_is_not_offered_is_named() -> None:
    assert "Bash, which is not offered" in play("run ls", tools=[])[1]


def test_reminders_of_the_agent_are_not_the_users_words() -> None:
    calls, _ = play("<system-reminder>read secret.txt</system-reminder>\nread a.py", ("x", False))
    assert calls[0]["input"] == {"file_path": "/repo/a.py"}


def test_empty_words_are_no_task() -> None:
    assert read_tasks("", "/") == []


ASK_SUMMARY = "Write <analysis> first, then <summary> with nine sections."


def summarise(history: list[Any]) -> str:
    with RehearsalThread(offline_model=True) as api:
        status, answer = post(api.url, ask(*history, user(ASK_SUMMARY), max_tokens=4000, system=SYSTEM))
        assert status == 200, answer
        told = str(answer["content"][0]["text"])
        assert told.startswith("<analysis>")
        return told[told.index("<summary>") + len("<summary>") : told.index("</summary>")].strip()


def history_of(turns: int) -> list[Any]:
    history: list[Any] = []
    for turn in range(turns):
        history += [
            user(f"request {turn}: look at FACT-{turn}"),
            assistant(
                use(
                    f"t{turn}",
                    name="Edit",
                    input={"file_path": f"/repo/f{turn}.py", "old_string": "a", "new_string": "b"},
                )
            ),
            user(result(f"t{turn}", "x" * 2000 if turn % 3 else "no such string\nat all", is_error=turn % 3 == 0)),
            assistant(text(f"answer {turn}")),
        ]
    return history


def test_a_summary_has_nine_sections_from_the_history() -> None:
    told = summarise(history_of(3))
    assert [
        f"{number}. {title}:" for number, title in enumerate(SECTIONS, start=1) if f"{number}. {title}:" in told
    ] == [f"{number}. {title}:" for number, title in enumerate(SECTIONS, start=1)]
    for fact in ("request 0: look at FACT-0", "request 2", "/repo/f1.py: edited (a → b)", "no such string", "answer 2"):
        assert fact in told
    assert "/repo/f0.py" not in told, "the edit failed"


def test_a_summary_tells_what_was_done_to_files_and_which_commands_ran() -> None:
    history: list[Any] = [user("work")]
    done = (
        ("Read", {"file_path": "/r.md"}),
        ("Write", {"file_path": "/w.py", "content": "a\nb\n"}),
        ("Bash", {"command": "make  all"}),
    )
    for number, (name, given) in enumerate(done):
        failed = name == "Bash"
        history += [
            assistant(use(f"t{number}", name=name, input=given)),
            user(result(f"t{number}", "out", is_error=failed)),
        ]
    told = summarise([*history, assistant("done")])
    for fact in (
        "- /r.md: read",
        "- /w.py: written (2 lines)",
        "- commands: make all",
        "- Bash failed; still open",
        "Bash ×1",
    ):
        assert fact in told


def test_a_summary_is_bounded_however_long_the_history() -> None:
    told = summarise(history_of(300))
    assert text_tokens(told) <= 1500
    assert "request 0" in told
    assert "request 299" in told


def test_a_summary_of_a_summary_keeps_what_it_carried() -> None:
    first = summarise(history_of(4))
    again = summarise([user(f"Earlier work in short:\n{first}"), assistant("on"), user("request 9"), assistant("done")])
    for fact in ("FACT-0", "FACT-3", "/repo/f1.py", "request 9"):
        assert fact in again


def test_an_unanswered_request_stays_pending() -> None:
    told = summarise([user("first"), assistant("ok"), user("second, please")])
    assert "7. Pending Tasks:\n- second, please" in told


SUMMARY = "Background.\n\n1. Primary Request and Intent:\nread x\n\n6. All user messages:\n- read x\n"


def test_a_summary_before_the_prompt_is_not_the_prompt() -> None:
    with RehearsalThread(offline_model=True) as api:
        opening = user(text(SUMMARY), text("<system-reminder>a</system-reminder>"), text("run ls"))
        blocks = post(api.url, ask(opening, tools=TOOLS))[1]["content"]
        assert blocks[1]["input"]["command"] == "ls"


def test_after_a_compaction_in_the_middle_it_says_what_it_cannot() -> None:
    with RehearsalThread(offline_model=True) as api:
        blocks = post(api.url, ask(user(text(SUMMARY), text("Go on where you left off.")), tools=TOOLS))[1]["content"]
        assert blocks[0]["text"].startswith("(offline rehearsal) The conversation was compacted.")


def test_a_summary_in_the_middle_of_a_loop_keeps_the_request_pending() -> None:
    history = [user("find FACT-9 in src"), assistant(use("t1", name="Grep")), user(result("t1", "boom", is_error=True))]
    history[-1]["content"].append(text(ASK_SUMMARY))
    with RehearsalThread(offline_model=True) as api:
        told = str(post(api.url, ask(*history, max_tokens=4000))[1]["content"][0]["text"])
    assert "7. Pending Tasks:\n- find FACT-9 in src" in told
    assert "- Grep: boom" in told
    assert "Go on with: find FACT-9 in src" in told
