"""A conversation as a document: plain text, Markdown or JSON, from its very beginning through its compactions."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from agent.files.atomic import write_atomic
from agent.loop.interrupt import INTERRUPTED
from agent.protocol.blocks import Text, Thinking, ToolResult, ToolUse
from agent.protocol.errors import FilesError, UsageError
from agent.protocol.messages import Message
from agent.tools.titles import title_of
from agent.transcript.catalog import describe, is_prompt
from agent.transcript.codec import raw_blocks
from agent.transcript.entries import AttachmentEntry, CompactBoundary, Entry, MessageEntry
from agent.transcript.ledger import Ledger
from agent.transcript.view import screen_view

Format: TypeAlias = Literal["text", "md", "json"]
FORMATS: dict[str, Format] = {".md": "md", ".markdown": "md", ".json": "json"}
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # a document must not steer the terminal it is shown on
RUN_OF_TICKS = re.compile("`{3,}")

PartKind: TypeAlias = Literal["prompt", "answer", "thinking", "call", "result", "compaction", "summary", "note"]


class Part(Struct, frozen=True):
    """One thing that was said or done; `title` names a call, a result or a compaction."""

    kind: PartKind
    text: str = ""
    title: str = ""


class Head(Struct, frozen=True):
    """What stands above the document."""

    title: str
    session: str
    folder: str


def format_of(path: Path) -> Format:
    """The format that the file's suffix asks for; plain text unless it is .md or .json."""
    return FORMATS.get(path.suffix.lower(), "text")


def default_name(session_id: str) -> str:
    """The file name of an export that was given none."""
    return f"conversation-{session_id[:8]}.md"


def export_file(source: Path, ledger: Ledger, target: Path, kind: Format | None = None) -> None:
    """Writes the conversation in `ledger` (read from `source`) to the new file `target` (0600), as its suffix asks unless `kind` does.

    Raises UsageError when something stands there already, FilesError when it cannot be written.
    """
    if os.path.lexists(target):
        raise UsageError(f"{target} exists already.", safe="It was left as it is.", do="Choose another name.")
    if not os.path.isdir(target.parent):
        raise FilesError(f"There is no folder {target.parent}.", do="Make it first, or choose another place.")
    write_atomic(target, export(source, ledger, kind or format_of(target)).encode(), mode=0o600)


def export(source: Path, ledger: Ledger, kind: Format) -> str:
    """The document; `source` is the transcript's file, which gives title and folder."""
    info = describe(source)
    title = " ".join((info.title or info.first_prompt if info else "").split()) or "Conversation"
    head = Head(title=CONTROL.sub("", title), session=source.stem, folder=info.cwd if info else "")
    entries = screen_view(ledger, ledger.chain.leaf_uuid)
    match kind:
        case "json":
            return _json(head, entries)
        case "md":
            return "\n\n".join([*_markdown_head(head), *_body(_parts(entries), "## Assistant", _markdown)]) + "\n"
        case "text":
            return "\n\n".join([*_text_head(head), *_body(_parts(entries), "Assistant:", _plain)]) + "\n"


def _parts(entries: Sequence[Entry]) -> Iterator[Part]:
    calls: dict[str, str] = {}
    for entry in entries:
        for part in _parts_of(entry, calls):
            yield Part(part.kind, CONTROL.sub("", part.text), CONTROL.sub("", part.title))


def _parts_of(entry: Entry, calls: dict[str, str]) -> Iterator[Part]:
    match entry:
        case CompactBoundary(trigger=trigger, pre_tokens=pre, post_tokens=post):
            figures = f"{pre:,} → {post:,} tokens" if post else f"{pre:,} tokens before"
            yield Part("compaction", title=f"Conversation compacted ({trigger}): {figures}")
        case MessageEntry(message=message) if message.role == "assistant":
            yield from _answer(message, calls)
        case MessageEntry(message=message):
            yield from (_result(result, calls) for result in message.tool_results)
            if entry.is_compact_summary:
                yield Part("summary", message.text)
            elif is_prompt(entry):
                yield Part("prompt", message.text)
            elif message.text.endswith(INTERRUPTED):
                yield Part("note", "Interrupted")
        case _:
            return


def _answer(message: Message, calls: dict[str, str]) -> Iterator[Part]:
    for block in message.blocks:
        match block:
            case Text(text=text) if text.strip():
                yield Part("answer", text.strip())
            case Thinking(thinking=thought) if thought.strip():
                yield Part("thinking", thought.strip())
            case ToolUse(id=name, input=arguments):
                calls[name] = title_of(block)
                yield Part("call", msgspec.json.format(msgspec.json.encode(arguments)).decode(), title_of(block))
            case _:
                pass


def _result(result: ToolResult, calls: dict[str, str]) -> Part:
    title = calls.get(result.tool_use_id, "a call")
    return Part("result", result.text.strip("\n") or "(no output)", f"{title} failed" if result.is_error else title)


def _markdown_head(head: Head) -> Iterator[str]:
    yield f"# {head.title}"
    yield f"Session `{head.session}`" + (f" in `{head.folder}`" if head.folder else "")


def _body(parts: Iterable[Part], heading: str, written: Callable[[Part], str]) -> Iterator[str]:
    """The parts, each as `written`; where the model begins to speak or act after somebody else, `heading` says so."""
    speaking = False
    for part in parts:
        if part.kind in ("answer", "thinking", "call"):
            if not speaking:
                yield heading
            speaking = True
        elif part.kind in ("prompt", "summary", "compaction"):
            speaking = False
        yield written(part)


def _markdown(part: Part) -> str:
    match part.kind:
        case "prompt":
            return f"## You\n\n{part.text}"
        case "answer":
            return part.text
        case "thinking":
            return "\n".join(f"> {line}".rstrip() for line in part.text.splitlines())
        case "call":
            return f"**{_escaped(part.title)}**\n\n{_fenced(part.text, 'json')}"
        case "result":
            return f"Result of {_escaped(part.title)}:\n\n{_fenced(part.text)}"
        case "compaction":
            return f"---\n\n*{part.title}*"
        case "summary":
            return f"<details><summary>Summary</summary>\n\n{part.text}\n\n</details>"
        case "note":
            return f"*{part.text}*"


def _fenced(text: str, language: str = "") -> str:
    """`text` in a fence longer than any run of backticks in it."""
    ticks = "`" * max((len(run) + 1 for run in RUN_OF_TICKS.findall(text)), default=3)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]#])", r"\\\1", text)


def _text_head(head: Head) -> Iterator[str]:
    yield f"{head.title}\nSession {head.session}" + (f" in {head.folder}" if head.folder else "")


def _plain(part: Part) -> str:
    match part.kind:
        case "prompt":
            return _indented(part.text, "> ")
        case "answer" | "note":
            return part.text
        case "thinking":
            return _indented(part.text, "~ ")
        case "call":
            return f"* {part.title}"
        case "result":
            return _indented(part.text, "  | ")
        case "compaction":
            return f"--- {part.title} ---"
        case "summary":
            return _indented(part.text, "  ")


def _indented(text: str, mark: str) -> str:
    return "\n".join(f"{mark}{line}".rstrip() for line in text.splitlines())


def _json(head: Head, entries: Sequence[Entry]) -> str:
    said = [record for entry in entries if (record := _record(entry)) is not None]
    whole = {"title": head.title, "session_id": head.session, "cwd": head.folder, "entries": said}
    return msgspec.json.format(msgspec.json.encode(whole)).decode() + "\n"


def _record(entry: Entry) -> dict[str, object] | None:
    match entry:
        case MessageEntry(message=message):
            kind = "summary" if entry.is_compact_summary else "context" if entry.is_meta else message.role
            record: dict[str, object] = {"type": kind, "content": raw_blocks(message.blocks)}
            if message.role == "assistant":
                record |= {"model": entry.model, "usage": entry.usage}
        case AttachmentEntry(message=Message() as message):
            record = {"type": "context", "kind": entry.kind, "content": raw_blocks(message.blocks)}
        case CompactBoundary():
            record = {"type": "compaction", "trigger": entry.trigger}
            record |= {"pre_tokens": entry.pre_tokens, "post_tokens": entry.post_tokens}
        case _:
            return None
    return {"uuid": entry.uuid, "timestamp": entry.timestamp} | record
