"""The question before a rewind: with files it lists each, and the first answer changes none."""

from agent.protocol.asks import Rewind
from tui.render.questions import question_rows, replies
from tui.render.theme import DARK

FILES = ("restore src/a.py", "remove \x1b[31mnew.py")


def test_without_files_it_is_yes_or_no() -> None:
    ask = Rewind("u", "fix it")
    assert [row.text for row in question_rows(ask, 60, DARK)] == ["fix it"]
    assert [reply.answer.choice for reply in replies(ask)] == ["once", "deny"]


def test_with_files_each_is_listed_and_the_first_answer_leaves_them_alone() -> None:
    ask = Rewind("u", "fix it", FILES, ("b.txt",))
    assert [row.text for row in question_rows(ask, 70, DARK)] == [
        "fix it",
        "",
        "Files that can be put back as they were before it:",
        "  restore src/a.py",
        "  remove new.py",
        "Not covered, changed by commands: b.txt",
    ]
    assert [(reply.answer.choice, reply.words) for reply in replies(ask)] == [
        ("once", "Yes, the conversation; files stay as they are"),
        ("session", "Yes, and put 2 files back as listed"),
        ("deny", "No"),
    ]
