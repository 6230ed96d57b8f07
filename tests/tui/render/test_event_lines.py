"""One-line events and questions in words."""

import pytest

from agent.protocol.asks import Answer, Ask, Permission, Plan, Preview, Rewind, Trust, TrustItem
from agent.protocol.details import FileDiff, Hunk
from agent.protocol.events import (
    CompactFailed,
    CompactFinished,
    Event,
    Failed,
    HookFinished,
    Interrupted,
    MicroCompacted,
    ModelChanged,
    Notice,
    RetryScheduled,
    TextDelta,
)
from agent.protocol.results import Failure, Receipt
from tui.render.events import event_line
from tui.render.questions import question_rows, question_title, replies
from tui.render.theme import DARK

RECEIPT = Receipt(trigger="manual", boundary="b", pre_tokens=100_000, post_tokens=9_000, summary="s")


def hook(outcome: str, text: str = "", code: int | None = None) -> HookFinished:
    return HookFinished(
        id="h", event="PreCompact", command="a.sh\x1b[2J", outcome=outcome, text=text, exit_code=code, duration_ms=80
    )


@pytest.mark.parametrize(
    ("event", "text", "tone"),
    [
        (hook("ok"), "PreCompact hook ok · 80ms · a.sh", "quiet"),
        (hook("blocked", "not now\n"), "PreCompact hook blocked · 80ms · a.sh\nnot now", "warn"),
        (hook("failed", code=3), "PreCompact hook failed (exit 3) · 80ms · a.sh", "bad"),
        (hook("timeout"), "PreCompact hook timed out · 80ms · a.sh", "bad"),
        (CompactFailed("auto", "no network"), "Compaction failed · no network", "bad"),
        (CompactFailed("manual", "mine", kind="vetoed"), "Compaction vetoed by a hook · mine", "warn"),
        (CompactFailed("manual", "", kind="cancelled"), "Compaction cancelled · the conversation is unchanged", "note"),
        (CompactFailed("manual", "Not enough.", kind="nothing"), "Not enough.", "note"),
        (MicroCompacted(3, 12_000), "Cleared 3 old tool results · ~12,000 tokens freed", "quiet"),
        (RetryScheduled(2, 10, 4.4, "Overloaded\nnow"), "Overloaded now · trying again in 4s (2/10)", "warn"),
        (Notice("info", "[red]hi[/]"), "[red]hi[/]", "note"),
        (Notice("error", "x\x1b[2Jy"), "xy", "bad"),
        (Failed(Failure("Broke.", "Nothing lost.", "Try again.")), "Broke.\nNothing lost.\nTry again.", "bad"),
        (Interrupted(), "Interrupted · what should be done instead?", "warn"),
        (ModelChanged("claude-x"), "Model: claude-x", "note"),
    ],
)
def test_events_in_words(event: Event, text: str, tone: str) -> None:
    found = event_line(event)
    assert found is not None
    assert (found.text, found.tone) == (text, tone)


def test_a_receipt_names_both_numbers() -> None:
    found = event_line(CompactFinished(RECEIPT))
    assert found is not None
    assert found.text.startswith("Conversation compacted · 100,000 → 9,000 tokens (manual)")


@pytest.mark.parametrize("event", [TextDelta("x"), Notice("output", "x")])
def test_streams_and_output_are_no_lines(event: Event) -> None:
    assert event_line(event) is None


DIFF = FileDiff("a.py", False, 1, 0, (Hunk(1, 0, 1, 1, ("+new",)),))
QUESTIONS: list[tuple[Ask, str, list[str], list[tuple[str, Answer]]]] = [
    (
        Permission(
            "Bash",
            "t",
            "Bash rm [/red]",
            {"command": "rm \u202e[/red]\nls"},
            rule="Bash(rm:*)",
            reason="not in the rules",
        ),
        "Allow? Bash rm [/red]",
        ["not in the rules", "rm \ufffd[/red]", "ls"],
        [("y", Answer("once")), ("a", Answer("session")), ("n", Answer("deny"))],
    ),
    (
        Permission("Edit", "t", "Edit a.py", {}, DIFF),
        "Allow? Edit a.py",
        ["1 + new"],
        [("y", Answer("once")), ("n", Answer("deny"))],
    ),
    (
        Permission("Other", "t", "Other", {"n": 3, "text": "a b"}),
        "Allow? Other",
        ["n: 3", "text: a b"],
        [("y", Answer("once")), ("n", Answer("deny"))],
    ),
    (
        Trust(
            "/repo",
            (
                TrustItem("hook", "PreToolUse: ./x.sh", ".claude/settings.json"),
                TrustItem("env", "A=1", ".claude/settings.json"),
            ),
        ),
        "Trust this folder? /repo",
        [
            "Its settings would run code or widen",
            "rights on your machine:",
            "",
            ".claude/settings.json",
            "  hook  PreToolUse: ./x.sh",
            "  env  A=1",
        ],
        [("y", Answer("once")), ("n", Answer("deny"))],
    ),
    (
        Trust(
            "/repo",
            (TrustItem("hook", "Stop: ./x", "s"), TrustItem("env", "A=1", "s")),
            ("its content has changed", ""),
        ),
        "Trust this folder? /repo",
        [
            "Its settings would run code or widen",
            "rights on your machine: What is",
            "different since you trusted it is",
            "marked.",
            "",
            "s",
            "  hook  Stop: ./x",
            "  ^ its content has changed",
            "  env  A=1",
        ],
        [("y", Answer("once")), ("n", Answer("deny"))],
    ),
    (Plan("# Do\n\n- it"), "Carry out this plan?", ["Do", "", "• it"], [("y", Answer("once")), ("n", Answer("deny"))]),
    (
        Preview("story", 9_000, 2_000),
        "Install this compaction? 9,000 → 2,000 tokens",
        ["story"],
        [("y", Answer("once")), ("e", Answer("once")), ("i", Answer("deny")), ("n", Answer("deny"))],
    ),
    (
        Preview("", 9_000, 2_000, report="~$0.02", automatic=True),
        "Compact this conversation?",
        ["~$0.02"],
        [("y", Answer("once")), ("a", Answer("session")), ("i", Answer("once")), ("n", Answer("deny"))],
    ),
    (Rewind("u", "do it"), "Rewind to before this prompt?", ["do it"], [("y", Answer("once")), ("n", Answer("deny"))]),
]


@pytest.mark.parametrize(
    ("ask", "title", "rows", "given"), QUESTIONS, ids=[type(q[0]).__name__ + str(n) for n, q in enumerate(QUESTIONS)]
)
def test_questions_in_words(ask: Ask, title: str, rows: list[str], given: list[tuple[str, Answer]]) -> None:
    assert question_title(ask) == title
    assert [row.text.rstrip() for row in question_rows(ask, 40, DARK)] == rows
    assert [(reply.letter, reply.answer) for reply in replies(ask)] == given


def test_a_command_to_allow_is_never_shortened() -> None:
    command = "echo " + "x" * 10_000
    rows = question_rows(Permission("Bash", "t", "Bash", {"command": command}), 80, DARK)
    assert "".join(row.text for row in rows) == command
