"""/context: rows that add up, the floor, and words that no name can break."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.context.breakdown import breakdown
from agent.context.floor import floor_notice
from agent.context.render import render_context
from agent.context.sources import Contents, MemoryText, Source, overhead_of
from agent.context.tiers import compute_tiers
from agent.protocol.blocks import Image, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message, user_message
from agent.protocol.meter import Reading, Windows, WindowSource
from agent.protocol.model import ToolSpec
from agent.tokens.counter import TokenCounter

TOOL = ToolSpec(name="Read", description="Reads a file. " * 10, input_schema={"type": "object"})
MEMORY = MemoryText(path="CLAUDE.md", text="Use tabs. " * 30)
CONTEXT = "Working directory: /src\nDate: 2026-01-01"
OPENING = user_message(f"{CONTEXT}\n\n{MEMORY.text}")
ATTACHED = user_message("File a.py:\n" + "x = 1\n" * 40)
MESSAGES = (
    OPENING,
    user_message("Find the bug."),
    ATTACHED,
    Message(
        role="assistant",
        blocks=(
            Thinking(thinking="Where could it be? " * 5, signature="abc"),
            Text(text="I look."),
            ToolUse(id="toolu_1", name="Read", input={"file_path": "a.py"}),
        ),
    ),
    Message(role="user", blocks=(ToolResult(tool_use_id="toolu_1", content="line\n" * 400),)),
    Message(role="user", blocks=(Image(source={"type": "url", "url": "u"}),)),
)
CONTENTS = Contents(
    system=("You are an agent. " * 20,),
    tools=(TOOL,),
    messages=MESSAGES,
    system_context=CONTEXT,
    memory=(MEMORY,),
    attachments=(ATTACHED,),
)


def reading(
    used: int | None, window: int = 200_000, *, compaction: int | None = None, auto: bool = True, margin: int = 0
) -> Reading:
    windows = Windows(
        model=window,
        compaction=compaction or window,
        max_output=64_000,
        source=WindowSource.TABLE,
        compaction_source=WindowSource.SETTINGS if compaction else WindowSource.TABLE,
    )
    tiers = compute_tiers(windows, auto=auto)[0]
    return Reading(used=used, windows=windows, tiers=tiers, margin=margin, estimated=margin > 0, auto=auto)


@settings(deadline=None)
@given(used=st.integers(0, 400_000), window=st.integers(4_000, 1_000_000), auto=st.booleans())
def test_the_rows_add_up_to_the_reading_exactly(used: int, window: int, auto: bool) -> None:
    split = breakdown(CONTENTS, reading(used, window, auto=auto), TokenCounter())
    assert split.used == used
    assert sum(row.tokens for row in split.categories) == max(used, window)
    assert all(row.tokens >= 0 for row in split.categories)


def test_every_source_has_its_row() -> None:
    split = breakdown(CONTENTS, reading(50_000), TokenCounter())
    used = [row.name for row in split.categories if row.kind == "used"]
    assert used == [source.value for source in Source]
    assert [row.name for row in split.categories if row.kind != "used"] == ["Free space", "Auto-compact buffer"]


def test_memory_and_system_context_are_not_counted_twice() -> None:
    counter = TokenCounter()
    split = breakdown(CONTENTS, reading(None), counter)
    assert split.used == pytest.approx(
        overhead_of(CONTENTS.system, CONTENTS.tools, counter) + counter.messages(MESSAGES), abs=20
    )


def test_rows_of_nothing_are_left_out_and_an_empty_session_still_adds_up() -> None:
    split = breakdown(Contents(system=(), tools=(), messages=()), reading(120), TokenCounter())
    assert [(row.name, row.tokens) for row in split.categories] == [
        ("System prompt", 120),
        ("Free space", 166_880),
        ("Auto-compact buffer", 33_000),
    ]


def test_with_auto_compact_off_the_reserve_is_what_lies_beyond_blocking() -> None:
    split = breakdown(CONTENTS, reading(50_000, auto=False), TokenCounter())
    assert (split.categories[-1].name, split.categories[-1].tokens) == ("Reserve for answers", 23_000)


def test_the_largest_items_come_first_and_say_what_they_are() -> None:
    split = breakdown(CONTENTS, reading(50_000), TokenCounter())
    assert split.largest[0].name == "Message 6: images and documents"
    assert split.largest[1].name == "Message 5: result of Read a.py"
    assert [item.tokens for item in split.largest] == sorted((item.tokens for item in split.largest), reverse=True)
    assert len(split.largest) <= 10


def test_the_markdown_says_the_threshold_in_full() -> None:
    now = reading(143_200, margin=400)
    text = render_context(breakdown(CONTENTS, now, TokenCounter()), now, "claude-opus-5-5")
    assert text.startswith("## Context Usage\n")
    assert "~143,200 ± 400 / 200,000 (table), 71.6% of the window, 85.7% of auto-compact" in text
    assert "warning at 137,000 · error at 157,000 · auto-compact at 167,000 · blocking at 177,000" in text
    assert "| Free space | 23,800 | 11.9% |" in text
    assert "| Auto-compact buffer | 33,000 | 16.5% |" in text


def test_an_unknown_number_is_a_question_mark() -> None:
    now = reading(None)
    text = render_context(breakdown(CONTENTS, now, TokenCounter()), now, "m")
    assert "**Tokens:** ? / 200,000 (table)" in text


def test_auto_compact_off_is_said() -> None:
    now = reading(50_000, auto=False)
    text = render_context(breakdown(CONTENTS, now, TokenCounter()), now, "m")
    assert "auto-compact is off · blocking at 177,000" in text
    assert "of the blocking limit" in text


def test_a_compaction_window_of_ones_own_is_named_with_its_source() -> None:
    now = reading(10_000, 1_000_000, compaction=200_000)
    text = render_context(breakdown(CONTENTS, now, TokenCounter()), now, "m")
    assert "**Compaction window:** 200,000 (settings)" in text
    assert "auto-compact at 167,000" in text


@pytest.mark.parametrize(
    ("now", "way_out", "line"),
    [
        (
            reading(294_000),
            "run /compact or /clear to continue.",
            "Context exceeds the 200,000-token limit by 94,000 tokens — run /compact or /clear to continue.",
        ),
        (
            reading(294_000, 1_000_000, compaction=200_000),
            "run /compact to reduce usage.",
            "Context is 94,000 tokens past the 200,000-token compaction window — run /compact to reduce usage.",
        ),
        (reading(178_000), "No compaction helps.", "Context limit reached. No compaction helps."),
    ],
)
def test_being_over_a_limit_is_said_in_one_line(now: Reading, way_out: str, line: str) -> None:
    assert line in render_context(breakdown(CONTENTS, now, TokenCounter()), now, "m", way_out=way_out).splitlines()


def test_a_name_cannot_break_the_table() -> None:
    memory = MemoryText(path="evil|name\n# head `code` [x](y).md", text="a " * 9_000)
    contents = Contents(system=(), tools=(), messages=(), memory=(memory,))
    now = reading(10_000)
    text = render_context(breakdown(contents, now, TokenCounter()), now, "mo|del\n| x |")
    assert "evil\\|name \\# head \\`code\\` \\[x\\](y).md" in text
    assert not any(line.startswith("# head") for line in text.splitlines())


def test_the_floor_is_itemised_when_no_compaction_could_help() -> None:
    counter = TokenCounter(count_text=len)
    tiers = compute_tiers(reading(None, 20_000).windows, auto=True)[0]
    tools = [ToolSpec(name=f"T{n}", description="d" * 100 * n, input_schema={}) for n in range(1, 8)]
    line = floor_notice(["s" * 5_000], tools, [MemoryText("CLAUDE.md", "m" * 1_000)], tiers, counter)
    assert line is not None
    assert "\n" not in line
    assert "of the 13,400 tokens before compaction" in line
    assert "system prompt 5,000" in line
    assert "T7 " in line
    assert "T2 " not in line
    assert "memory 1,000 (CLAUDE.md 1,000)" in line


@pytest.mark.parametrize(("size", "told"), [(8_040, False), (8_041, True)])
def test_the_floor_begins_above_six_tenths_of_the_threshold(size: int, told: bool) -> None:
    counter = TokenCounter(count_text=len)
    tiers = compute_tiers(reading(None, 20_000).windows, auto=True)[0]
    assert (floor_notice(["s" * size], [], [], tiers, counter) is not None) is told


def test_a_percentage_is_rounded_down_as_on_the_meter() -> None:
    now = reading(166_990)  # 99.994 %
    text = render_context(breakdown(CONTENTS, now, TokenCounter()), now, "claude-opus-5-5")
    assert ", 99.9% of auto-compact" in text
