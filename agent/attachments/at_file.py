"""Files and folders a person mentions with @, read and bounded."""

import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from agent.attachments.mentions import Mention, find_mentions
from agent.files.picture import PICTURE_BYTES, PICTURE_SIDE, image_block, picture_size, picture_type
from agent.files.regular import open_regular
from agent.prompts.reminder import TAG
from agent.protocol.blocks import Image
from agent.protocol.text import counted
from agent.protocol.tools import FileStamp
from agent.tools.read_state import stamp_of
from agent.tools.text_file import decode

MAX_MENTIONS = 20
MAX_BYTES = 256_000  # of a text file
MAX_LINES = 2_000
MAX_ENTRIES = 200  # of a folder

_SNIFF = 4_096
_SHOWN = re.compile(rf"(?:<{TAG}>\n)?File (.+?)(, lines \d+-\d+ only; Read shows the rest)?:\n *\d+\t")


class Attachment(Struct, frozen=True):
    """What a mention came to: the resolved path, text for the model, how much it is in words for the person, and the image if it is one.

    `stamp` is there only when the text shows the whole file, so that it counts as read.
    """

    path: Path
    text: str
    amount: str
    image: Image | None = None
    stamp: FileStamp | None = None

    @property
    def whole(self) -> bool:
        """Whether the text shows all of a file."""
        return self.stamp is not None


def expand_mentions(
    text: str, cwd: Path, roots: Sequence[Path], may_read: Callable[[Path], bool]
) -> tuple[Attachment, ...]:
    """What the @mentions in `text` name, in order and each once; what names nothing readable stays as it was typed.

    A relative path is looked for in `cwd`, then in `roots`. `may_read` is asked with the resolved path, so a link cannot
    lead where reading is denied. Files are bounded by MAX_BYTES and MAX_LINES, folders are listed, pipes and devices
    never opened.
    """
    found: dict[tuple[Path, int, int], Attachment] = {}
    for readings in find_mentions(text):
        if len(found) == MAX_MENTIONS:
            break
        for mention in readings:
            path = _locate(mention.path, (cwd, *roots))
            attachment = _attach(path, mention) if path is not None and may_read(path) else None
            if attachment is not None:
                found.setdefault((attachment.path, mention.first, mention.last), attachment)
                break
    return tuple(found.values())


def attached_path(text: str, *, whole: bool = False) -> str | None:
    """The file that such a text shows, also within its reminder's tags (only if it is all of it, with `whole`); None for any other."""
    found = _SHOWN.match(text)
    return None if found is None or (whole and found[2]) else found[1]


def _locate(name: str, folders: Sequence[Path]) -> Path | None:
    for folder in folders:
        try:
            return (folder / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # missing, a NUL in the name, a loop of links
            continue
    return None


def _attach(path: Path, mention: Mention) -> Attachment | None:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return None if mention.first else _folder(path)
        return _file(path, mention)
    except OSError:
        return None


def _folder(path: Path) -> Attachment:
    names = sorted(entry.name + ("/" if os.path.isdir(entry) else "") for entry in path.iterdir())
    shown = names[:MAX_ENTRIES]
    if len(names) > len(shown):
        shown.append(f"... and {len(names) - len(shown)} more")
    return Attachment(path, f"Folder {path}:\n" + "\n".join(shown or ["(empty)"]), counted(len(names), "name"))


def _file(path: Path, mention: Mention) -> Attachment:
    with open_regular(path) as file:
        state = os.fstat(file.fileno())
        head = file.read(_SNIFF)
        kind = picture_type(head)
        data = head + file.read((PICTURE_BYTES if kind else MAX_BYTES) + 1 - len(head))
    if kind:
        return _image(path, kind, data)
    return _text(path, data, mention, state)


def _image(path: Path, kind: str, data: bytes) -> Attachment:
    size = picture_size(data)
    if size is None:
        return Attachment(path, f"Image {path} is damaged and was not attached.", "damaged, left out")
    if len(data) > PICTURE_BYTES or max(size) > PICTURE_SIDE:
        return Attachment(
            path, f"Image {path} is larger than the API takes and was not attached.", "too large, left out"
        )
    amount = f"image, {-(-len(data) // 1000):,} KB"
    return Attachment(path, f"Image {path}:", amount, image=image_block(data, kind))


def _text(path: Path, data: bytes, mention: Mention, state: os.stat_result) -> Attachment:
    if not data:
        return Attachment(path, f"File {path} is empty.", "empty", stamp=stamp_of(data, state))
    found = decode(data[:MAX_BYTES])
    if found is None:
        return Attachment(path, f"File {path} is binary and was not attached.", "binary, left out")
    # Bytes that are no text live as surrogates in `found`; the API takes none.
    text = found.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    lines = text.removesuffix("\n").split("\n")
    first = max(1, mention.first)
    shown = (lines[first - 1 : mention.last] if mention.first else lines)[:MAX_LINES]
    if not shown:
        return Attachment(path, f"File {path} has no line {first} within what can be attached.", f"no line {first}")
    whole = len(data) <= MAX_BYTES and len(shown) == len(lines)
    range_ = f"lines {first}-{first + len(shown) - 1}"
    part = "" if whole else f", {range_} only; Read shows the rest"
    amount = counted(len(lines), "line") if whole else range_
    body = "\n".join(f"{number:>6}\t{line.removesuffix(chr(13))}" for number, line in enumerate(shown, first))
    return Attachment(path, f"File {path}{part}:\n{body}", amount, stamp=stamp_of(data, state) if whole else None)
