"""An extractive summary in nine sections: the user's words verbatim, paths from tool calls, errors from results; nothing made up."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from agent.rehearsal.prompt import Message, Prompt
from agent.rehearsal.wire import Json, as_object, as_text, first_line, kind, plain_text

SECTIONS = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and fixes",
    "Problem Solving",
    "All user messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
)
MAX_CHARS = 4_200
"""About 1,300 tokens."""

MIN_CHARS = 700
SHARE = 1.2
"""Characters of summary per token of history: about a third of its size."""

NOTHING = "None recorded."
TAGGED = re.compile(r"<([a-z][\w-]*)\b[^>]*>.*?</\1>|^\[Request interrupted[^\]\n]*\]$", re.DOTALL | re.MULTILINE)
"""What an agent adds to the user's words: reminders, attachments, command output, the mark of an interrupt."""

EARLIER = re.compile(r"^\s*\d+\. (?:Files and Code Sections|Errors and fixes|All user messages):?\n(.*?)(?=^\s*\d+\. |\Z)",
                     re.MULTILINE | re.DOTALL)  # fmt: skip


class _Call(msgspec.Struct, frozen=True):
    """A tool call and what came of it."""

    name: str
    input: Json
    result: str
    failed: bool


def extract_summary(prompt: Prompt) -> str:
    """The nine sections about everything before the last text, which asks for them; bounded in size."""
    history = _before_request(prompt)
    users, carried = _user_texts(history)
    calls = _calls(history)
    said = [
        as_text(b.get("text")) for m in history.messages if m.role == "assistant" for b in m.blocks if kind(b) == "text"
    ]
    budget = int(min(MAX_CHARS, max(MIN_CHARS, history.tokens * SHARE)))
    answered = bool(history.messages) and history.messages[-1].role == "assistant"
    last = users[-1] if users else ""
    bodies = (
        [clip(users[0], budget // 6)] if users else [],
        _concepts(calls),
        fit([*carried, *_files(calls)], budget // 4),
        fit([f"- {call.name}: {clip(first_line(call.result), 160)}" for call in calls if call.failed], budget // 8),
        _solved(calls),
        fit([f"- {clip(user, 300)}" for user in users], budget // 3),
        [] if answered or not last else [f"- {clip(last, 200)}"],
        [clip(said[-1], budget // 8)] if said else [],
        ["Wait for the user."] if answered or not last else [f"Go on with: {clip(last, 200)}"],
    )
    numbered = enumerate(zip(SECTIONS, bodies, strict=True), start=1)
    return "\n\n".join(f"{n}. {title}:\n" + ("\n".join(body) or NOTHING) for n, (title, body) in numbered)


def clip(content: str, size: int) -> str:
    """At most `size` characters of some text on one line."""
    flat = " ".join(content.split())
    return flat if len(flat) <= size else flat[: max(size - 1, 0)] + "…"


def fit(lines: list[str], size: int) -> list[str]:
    """The first line and as many of the last ones as fit into `size` characters; what was left out is counted."""
    kept: list[str] = []
    left = size - (len(lines[0]) if lines else 0)
    for line in reversed(lines[1:]):
        left -= len(line) + 1
        if left < 0:
            break
        kept.insert(0, line)
    missing = len(lines) - 1 - len(kept)
    return [*lines[:1], *([f"- … {missing} more"] if missing > 0 else []), *kept]


def own_words(content: str) -> str:
    """A user's text without what the agent added to it."""
    return TAGGED.sub("", content).strip()


def is_summary(content: str) -> bool:
    """Whether a text is (or holds) a summary in nine sections."""
    return SECTIONS[0] in content and SECTIONS[5] in content and "<summary>" not in content


def _before_request(prompt: Prompt) -> Prompt:
    """The conversation without the text that asks for a summary; on-demand compaction asks with a parameter instead."""
    if "compaction" in prompt.body or "context_management" in prompt.body or not prompt.messages:
        return prompt
    last = prompt.messages[-1]
    texts = [place for place, block in enumerate(last.blocks) if kind(block) == "text"]
    kept = tuple(block for place, block in enumerate(last.blocks) if place not in texts[-1:])
    rest = [Message(last.role, kept, last.index)] if kept else []
    return prompt.with_messages([*prompt.messages[:-1], *rest])


def _user_texts(prompt: Prompt) -> tuple[list[str], list[str]]:
    """The user's own words in order, and lines that an earlier summary carried."""
    texts: list[str] = []
    carried: list[str] = []
    for message in prompt.messages:
        for block in message.blocks if message.role == "user" else ():
            content = as_text(block.get("text")) if kind(block) == "text" else ""
            if is_summary(content):
                files, words = _earlier(content)
                carried.extend(files)
                texts.extend(words)
            elif own := own_words(content):
                texts.append(own)
    return texts, carried


def _earlier(content: str) -> tuple[list[str], list[str]]:
    sections = {
        found.group(0).strip().split(":")[0].split(". ")[1]: found.group(1) for found in EARLIER.finditer(content)
    }
    files = [line for line in sections.get(SECTIONS[2], "").splitlines() if line.startswith("- ")]
    words = [line[2:] for line in sections.get(SECTIONS[5], "").splitlines() if line.startswith("- ")]
    return files, words


def _calls(prompt: Prompt) -> list[_Call]:
    blocks = [block for message in prompt.messages for block in message.blocks]
    results = {as_text(block.get("tool_use_id")): block for block in blocks if kind(block) == "tool_result"}
    calls = []
    for block in blocks:
        if kind(block) == "tool_use":
            result = results.get(as_text(block.get("id")), {})
            text = plain_text(result.get("content", ""))
            calls.append(
                _Call(as_text(block.get("name")), as_object(block.get("input")), text, result.get("is_error") is True)
            )
    return calls


def _files(calls: list[_Call]) -> list[str]:
    by_path: dict[str, list[str]] = {}
    for call in calls:
        path = as_text(call.input.get("file_path"))
        if path and not call.failed:
            by_path.setdefault(path, []).append(_deed(call))
    return [f"- {path}: {', '.join(dict.fromkeys(deeds))}" for path, deeds in by_path.items()]


def _deed(call: _Call) -> str:
    match call.name:
        case "Read":
            return "read"
        case "Edit":
            old, new = as_text(call.input.get("old_string")), as_text(call.input.get("new_string"))
            return f"edited ({clip(old, 60)} → {clip(new, 60)})"
        case "Write":
            return f"written ({len(as_text(call.input.get('content')).splitlines())} lines)"
        case name:
            return name


def _concepts(calls: list[_Call]) -> list[str]:
    tools = Counter(call.name for call in calls)
    kinds = Counter(PurePosixPath(as_text(call.input.get("file_path"))).suffix for call in calls)
    kinds.pop("", None)
    commands = [as_text(call.input.get("command")) for call in calls if call.name == "Bash"]
    lines = []
    if tools:
        lines.append("- tools used: " + ", ".join(f"{name} ×{count}" for name, count in tools.most_common(8)))
    if kinds:
        lines.append("- kinds of files: " + ", ".join(name for name, _ in kinds.most_common(8)))
    if commands:
        lines.append("- commands: " + "; ".join(clip(command, 60) for command in dict.fromkeys(commands[-5:])))
    return lines


def _solved(calls: list[_Call]) -> list[str]:
    return list(dict.fromkeys(_outcomes(calls)))[-4:]


def _outcomes(calls: list[_Call]) -> Iterator[str]:
    for place, call in enumerate(calls):
        if call.failed:
            later = any(other.name == call.name and not other.failed for other in calls[place + 1 :])
            yield f"- {call.name} failed; {'a later call succeeded' if later else 'still open'}"
