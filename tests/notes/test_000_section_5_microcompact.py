"""Design note 000, section 5: which tools' old results are cleared, and by which words."""

from pathlib import Path

import pytest

from agent.compact.old_results import compactable_results
from agent.compact.put_aside import CLEARED, Place
from agent.context.rewrite import COMPACTABLE_TOOLS
from agent.protocol.blocks import ToolResult, ToolUse
from agent.protocol.messages import Message
from agent.tokens.counter import TokenCounter
from agent.tools.limits import Limits
from agent.tools.registry import all_tools
from agent.transcript.entries import MessageEntry

NOTE = ("Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write")  # "shell tools": we have Bash


def test_the_compactable_tools_are_the_note_s() -> None:
    assert frozenset(NOTE) == COMPACTABLE_TOOLS


def test_every_tool_of_ours_that_the_note_names_says_so_of_itself() -> None:
    for tool in all_tools(Limits()):
        assert tool.spec.compactable == (tool.spec.name in NOTE), tool.spec.name


@pytest.mark.parametrize("name", [*NOTE, "Task", "mcp__db__query"])
def test_a_result_is_found_exactly_when_its_tool_is_on_the_list(name: str) -> None:
    call = ToolUse(id="t1", name=name, input={})
    view = [
        MessageEntry(uuid="a", parent_uuid=None, message=Message("assistant", (call,))),
        MessageEntry(uuid="b", parent_uuid="a", message=Message("user", (ToolResult(tool_use_id="t1", content="x"),))),
    ]
    found = compactable_results(view, TokenCounter(), threshold=100_000, pinned=(), cleared=())
    assert [result.call.name for result in found] == ([name] if name in NOTE else [])


def test_the_literal_of_the_note_stands_first_then_tool_size_and_handle() -> None:
    assert CLEARED == "[Old tool result content cleared]"
    stub = Place("Bash cat long.txt", Path("/s/tool-results/toolu_1.txt")).stub(6_377)
    assert stub == "[Old tool result content cleared] Bash cat long.txt · ~6,377 tokens · /s/tool-results/toolu_1.txt"


def test_a_long_title_does_not_make_the_stub_long() -> None:
    stub = Place("Bash " + "x" * 10_000, Path("/f.txt")).stub(9)
    assert len(stub) < 200
