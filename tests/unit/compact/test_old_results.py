"""Which old results may be cleared: the notes' tools alone, never the newest, the pinned or what is worked with."""

from agent.compact.old_results import compactable_results
from agent.protocol.blocks import Image, Text, ToolResult, ToolUse
from agent.protocol.messages import Message
from agent.tokens.counter import TokenCounter
from agent.transcript.entries import MessageEntry

PICTURE = Image(source={"type": "base64", "media_type": "image/png", "data": "iVBO"})


def rounds(*calls: tuple[str, str, str], content: object = "word " * 2_600) -> list[MessageEntry]:
    """One call and its result (2,600 tokens) a round: (id, tool, path)."""
    view = []
    for name, tool, path in calls:
        call = ToolUse(id=name, name=tool, input={"file_path": path} if path else {"command": "ls"})
        for message in (
            Message("assistant", (call,)),
            Message("user", (ToolResult(tool_use_id=name, content=content),)),
        ):
            view.append(MessageEntry(uuid=f"u{len(view)}", parent_uuid=None, message=message))
    return view


def free(view, *, threshold=20_000, pinned=(), cleared=()) -> list[str]:
    """The ids that may be cleared; of the newest at most a quarter of the threshold stays."""
    found = compactable_results(view, TokenCounter("v4.8"), threshold=threshold, pinned=pinned, cleared=cleared)
    return [result.call.id for result in found if not result.stays]


def test_the_newest_stay_up_to_their_budget_and_the_last_two_rounds_in_any_case():
    view = rounds(*[(f"b{n}", "Bash", "") for n in range(6)])
    assert free(view, threshold=20_000) == ["b0", "b1", "b2", "b3"]
    assert free(view, threshold=60_000) == ["b0"]
    assert free(view, threshold=1_000_000) == []
    assert free(view, threshold=4) == ["b0", "b1", "b2", "b3"]


def test_only_the_notes_tools_are_cleared():
    view = rounds(
        ("a", "Read", "x"),
        ("b", "mcp__db__query", ""),
        ("c", "WebFetch", ""),
        *[(f"z{n}", "Bash", "") for n in range(3)],
    )
    assert "b" not in free(view)
    assert "c" in free(view)


def test_the_latest_read_of_a_working_file_stays_and_older_ones_go():
    view = rounds(
        ("r1", "Read", "/p/a.py"),
        ("r2", "Read", "/p/a.py"),
        ("e1", "Edit", "/p/a.py"),
        *[(f"z{n}", "Bash", "") for n in range(3)],
    )
    assert free(view) == ["r1", "e1", "z0"]


def test_the_sixth_file_back_is_no_working_file():
    view = rounds(*[(f"r{n}", "Read", f"/p/{n}.py") for n in range(7)])
    assert free(view, threshold=4) == ["r0", "r1"]


def test_pinned_results_stay_and_cleared_ones_are_gone():
    view = rounds(*[(f"b{n}", "Bash", "") for n in range(6)])
    assert free(view, pinned=("b1",)) == ["b0", "b2", "b3"]
    assert free(view, cleared=("b0",)) == ["b1", "b2", "b3"]


def test_a_picture_stays_unless_read_can_bring_it_back():
    view = rounds(("s", "Bash", ""), ("p", "Read", "/p/x.png"), content=[Text(text="word " * 2_000), PICTURE])
    view += rounds(*[(f"r{n}", "Read", f"/p/{n}.py") for n in range(6)])
    assert free(view) == ["p", "r0"]
