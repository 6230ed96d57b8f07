"""The offline model: a handful of rules that answer through real tool calls, and say that they are rules."""

import re

from agent.rehearsal.expectations import asks_summary
from agent.rehearsal.extract import extract_summary, is_summary, own_words
from agent.rehearsal.prompt import Prompt, opens_turn
from agent.rehearsal.replies import Reply, ToolUse
from agent.rehearsal.script import reply, say, summary, text
from agent.rehearsal.tasks import Step, Task, code_span, read_tasks
from agent.rehearsal.wire import Json, as_object, as_text, kind, plain_text

INTRODUCTION = (
    "This is not a model: it is the offline rehearsal, a few fixed rules. Set ANTHROPIC_API_KEY to talk to a real one.\n"
    "It understands: read FILE · find TEXT [in DIR] · list files [PATTERN] · replace A by B in FILE · "
    "write FILE with TEXT · run COMMAND (several joined by `then`)."
)
COMPACTED = "(offline rehearsal) The conversation was compacted. These rules cannot go on from a summary: say again what you want."

DIRECTORY = re.compile(r"^\W*Working directory: *(.+?) *$", re.MULTILINE | re.IGNORECASE)


def improvise(prompt: Prompt) -> Reply:
    """The next step for a request: a tool call, or a few words when there is nothing more to do."""
    if asks_summary(prompt):
        return summary(extract_summary(prompt))
    texts, steps = _turn(prompt)
    own = [words for content in texts if (words := own_words(content)) and not is_summary(content)]
    tasks = read_tasks(own[-1] if own else "", working_directory(prompt))
    if not tasks:
        return say(COMPACTED if any(map(is_summary, texts)) else INTRODUCTION)
    return _next(tasks, steps, [as_text(tool.get("name")) for tool in prompt.tools])


def working_directory(prompt: Prompt) -> str:
    """The directory that relative paths start from: the line `Working directory: …` of the system prompt or of a message."""
    texts = [as_text(block.get("text")) for block in prompt.system]
    texts.extend(as_text(block.get("text")) for m in prompt.messages if m.role == "user" for block in m.blocks)
    found = [match.group(1) for content in texts if (match := DIRECTORY.search(content))]
    return found[0] if found else "/"


def _next(tasks: list[Task], steps: list[Step], offered: list[str]) -> Reply:
    said: list[str] = []
    for task in tasks:
        move, used = task.next(steps)
        steps = steps[used:]
        if isinstance(move, str):
            said.append(move)
            continue
        if move.name not in offered:
            said.append(f"This needs the tool {move.name}, which is not offered here.")
            break
        return reply(text(_announcement(move)), move)
    return say("\n\n".join(said))  # paragraphs: a fence or a list of one answer does not run into the next


def _announcement(move: ToolUse) -> str:
    subject = next((str(value) for value in move.input.values()), "")
    return f"(offline rehearsal) {move.name}: {code_span(subject)}"


def _turn(prompt: Prompt) -> tuple[list[str], list[Step]]:
    """The texts that began the current turn, and the finished tool calls since then."""
    place, first = _beginning(prompt)
    opening, *rest = [message.blocks for message in prompt.messages[place:]] or [()]
    texts = [as_text(block.get("text")) for block in opening[first:] if kind(block) == "text"]
    calls: dict[str, Json] = {}
    steps: list[Step] = []
    for block in (block for blocks in (opening[first:], *rest) for block in blocks):
        if kind(block) == "tool_use":
            calls[as_text(block.get("id"))] = block
        elif kind(block) == "tool_result":
            called = calls.get(as_text(block.get("tool_use_id")), {})
            result = plain_text(block.get("content", ""))
            failed = block.get("is_error") is True
            steps.append(Step(as_text(called.get("name")), as_object(called.get("input")), result, failed))
    return texts, steps


def _beginning(prompt: Prompt) -> tuple[int, int]:
    """Message and block where the current turn begins: new words may share a message with the results of calls that were cut off."""
    for place in range(len(prompt.messages) - 1, -1, -1):
        message = prompt.messages[place]
        if opens_turn(message):
            return place, 0
        results = [number for number, block in enumerate(message.blocks) if kind(block) == "tool_result"]
        after = message.blocks[results[-1] + 1 :] if message.role == "user" else ()
        if any(own_words(as_text(block.get("text"))) for block in after if kind(block) == "text"):
            return place, results[-1] + 1
    return 0, 0
