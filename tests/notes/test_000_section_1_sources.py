"""Design note 000, section 1: a request's context comes from six sources, and /context has a row for each."""

from agent.context.sources import Contents, MemoryText, Source, source_sizes
from agent.protocol.messages import user_message
from agent.protocol.model import ToolSpec
from agent.tokens.counter import TokenCounter

SIX_SOURCES = {
    "system prompt": {Source.SYSTEM_PROMPT},
    "system context": {Source.SYSTEM_CONTEXT},
    "user context": {Source.MEMORY},
    "conversation messages": {
        Source.USER,
        Source.ASSISTANT,
        Source.THINKING,
        Source.TOOL_CALLS,
        Source.TOOL_RESULTS,
        Source.MEDIA,
    },
    "tool definitions": {Source.TOOLS},
    "dynamic attachments": {Source.ATTACHMENTS},
}


def test_every_row_belongs_to_exactly_one_of_the_six_sources() -> None:
    rows = [row for rows in SIX_SOURCES.values() for row in rows]
    assert sorted(rows) == sorted(Source)


def test_each_source_is_counted_where_it_belongs() -> None:
    attachment = user_message("@a.py: x = 1")
    opening = user_message("cwd: /src\nUse tabs.")
    contents = Contents(
        system=("Act.",),
        tools=(ToolSpec(name="Read", description="Reads.", input_schema={}),),
        messages=(opening, user_message("Hello."), attachment),
        system_context="cwd: /src",
        memory=(MemoryText("CLAUDE.md", "Use tabs."),),
        attachments=(attachment,),
    )
    sizes = source_sizes(contents, TokenCounter(count_text=len))
    assert sizes[Source.SYSTEM_PROMPT] == len("Act.")
    assert sizes[Source.SYSTEM_CONTEXT] == len("cwd: /src")
    assert sizes[Source.MEMORY] == len("Use tabs.")
    assert sizes[Source.ATTACHMENTS] == len("@a.py: x = 1") + 5
    assert sizes[Source.USER] == len("\n") + 5 + len("Hello.") + 5
    assert sizes[Source.TOOLS] == len('["Read","Reads.",{}]')
