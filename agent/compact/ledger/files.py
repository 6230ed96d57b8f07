"""Which files were read and changed, by which tools, by how many lines, and in which state they were last seen."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from msgspec import Struct

from agent.compact.ledger.fact import Fact
from agent.compact.ledger.normalise import normalised
from agent.compact.ledger.record import Done
from agent.compact.ledger.shell_effects import effects
from agent.protocol.details import FileDiff

CHANGED_WORDS = (
    *("edit", "writ", "wrote", "chang", "modif", "updat", "add", "creat", "fix", "remov", "delet", "refactor", "rewr"),
    *(
        "renam",
        "implement",
        "replac",
        "insert",
        "moved",
        "patch",
        "+",
        "改",
        "写",
        "增",
        "创建",
        "删",
        "修",
        "更新",
        "新建",
        "实现",
        "替换",
    ),
)
_HASH = 8  # hex digits
_TOLD = re.compile(r"^(?:patching file|reformatted|Fixing|Fixed|Formatted) (\S+)$", re.MULTILINE)


class FileStory(Struct):
    """One path over a whole session: lines added and removed (None: unknown), whether it was made or removed here."""

    path: str
    uuid: str
    written: bool = False
    created: bool = False
    removed_file: bool = False
    added: int = 0
    removed: int = 0
    counted: bool = False
    sha256: str = ""


def file_facts(done: Sequence[Done], hashes: Mapping[str, str]) -> list[Fact]:
    """One fact for each file, the one touched last at the end; `hashes` are SHA-256 of files as they were last seen, by path."""
    stories: dict[str, FileStory] = {}
    for one in done:
        if not one.is_error:
            _tell(stories, one)
    shared = _shared_endings(stories)
    return [_fact(story, hashes.get(story.path, story.sha256), shared) for story in stories.values()]


def _tell(stories: dict[str, FileStory], one: Done) -> None:
    path = one.argument("file_path") or one.argument("notebook_path")
    match one.call.name:
        case "Read" if path:
            _story(stories, path, one)
        case "Write" if path:
            story = _changed(stories, path, one)
            story.sha256 = hashlib.sha256(one.argument("content").encode("utf-8", "replace")).hexdigest()
        case "Edit" | "MultiEdit" | "NotebookEdit" if path:
            _changed(stories, path, one).sha256 = ""
        case "Bash":
            found = effects(one.argument("command"))
            for name in found.read:
                _story(stories, name, one)
            for name in (*found.written, *(_TOLD.findall(one.result) if found.tells else ())):
                _changed(stories, name, one).sha256 = ""
            for name in found.removed:
                _changed(stories, name, one).removed_file = True
        case _:
            pass


def _story(stories: dict[str, FileStory], path: str, one: Done) -> FileStory:
    story = stories.pop(path, None) or FileStory(path, one.uuid)
    stories[path] = story
    return story


def _changed(stories: dict[str, FileStory], path: str, one: Done) -> FileStory:
    story = _story(stories, path, one)
    story.written, story.removed_file, story.uuid = True, False, one.uuid
    if isinstance(one.details, FileDiff):
        story.created = story.created or one.details.created
        story.added += one.details.added
        story.removed += one.details.removed
        story.counted = True
    return story


def _fact(story: FileStory, sha256: str, shared: set[str]) -> Fact:
    needles = tuple(normalised(name) for name in _names(story.path) if name not in shared)
    if not story.written:
        return Fact(kind="read", line=story.path, needles=needles, source=story.uuid)
    notes = ["removed" if story.removed_file else "created" if story.created else "changed"]
    if story.counted:
        notes.append(f"+{story.added} -{story.removed}")
    if sha256 and not story.removed_file:
        notes.append(f"sha256 {sha256[:_HASH]}")
    line = f"{story.path} ({', '.join(notes)})"
    return Fact(kind="written", line=line, needles=needles, states=CHANGED_WORDS, source=story.uuid, short=story.path)


def _names(path: str) -> list[str]:
    """How a text may call the file: the whole path, and its endings of two parts or more."""
    parts = PurePath(path).parts
    return [path, *("/".join(parts[at:]) for at in range(1, len(parts) - 1))]


def _shared_endings(stories: Mapping[str, FileStory]) -> set[str]:
    """Names that fit several of the files, and so say nothing about any of them."""
    counts = Counter(name for path in stories for name in set(_names(path)))
    return {name for name, count in counts.items() if count > 1 and name not in stories}
