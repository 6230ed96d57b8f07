"""Files and folders a person mentions with @ are read and sent along with the prompt."""

import base64
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from agent.attachments.mentions import Mention, find_mentions
from agent.protocol.blocks import Image

MAX_MENTIONS = 20
MAX_BYTES = 256_000  # of a text file
MAX_LINES = 2_000
MAX_ENTRIES = 200  # of a folder
MAX_IMAGE_BYTES = 3_750_000  # 5 MB as base64, the API's limit for one image

_IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_SNIFF = 8_192


class Attachment(Struct, frozen=True):
    """What a mention came to: the absolute path, text for the model, and the image if it is one.

    `whole` says that the text shows a file completely, so that it counts as read.
    """

    path: Path
    text: str
    image: Image | None = None
    whole: bool = False


def expand_mentions(
    text: str, cwd: Path, roots: Sequence[Path], may_read: Callable[[Path], bool]
) -> tuple[Attachment, ...]:
    """What the @mentions in `text` name, in order and each once; what names nothing readable stays as it was typed.

    A relative path is looked for in `cwd`, then in `roots`; `~` is not expanded. `may_read` is asked with the resolved path, so
    a link cannot lead where reading is denied. Files are bounded by MAX_BYTES and MAX_LINES, folders are listed.
    """
    found: dict[tuple[Path, Mention], Attachment] = {}
    for readings in find_mentions(text):
        if len(found) >= MAX_MENTIONS:
            break
        for mention in readings:
            path = _locate(mention.path, (cwd, *roots))
            attachment = _attach(path, mention) if path is not None and may_read(path) else None
            if path is not None and attachment is not None:
                found.setdefault((path, Mention("", mention.first, mention.last)), attachment)
                break
    return tuple(found.values())


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
        # Only regular files: a pipe or device would hang the reader or never end.
        return _file(path, mention) if stat.S_ISREG(mode) else None
    except OSError:
        return None


def _folder(path: Path) -> Attachment:
    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in path.iterdir())
    shown = names[:MAX_ENTRIES]
    if len(names) > len(shown):
        shown.append(f"... and {len(names) - len(shown)} more")
    return Attachment(path, f"Folder {path}:\n" + "\n".join(shown or ["(empty)"]))


def _file(path: Path, mention: Mention) -> Attachment:
    with path.open("rb") as file:
        head = file.read(_SNIFF)
        kind = _image_type(head)
        data = head + file.read((MAX_IMAGE_BYTES if kind else MAX_BYTES) + 1 - len(head))
    if kind:
        return _image(path, kind, data)
    if b"\0" in data:
        return Attachment(path, f"File {path} is binary and was not attached.")
    return _lines(path, data, mention)


def _image_type(head: bytes) -> str:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _IMAGES.items() if head.startswith(magic)), "")


def _image(path: Path, kind: str, data: bytes) -> Attachment:
    if len(data) > MAX_IMAGE_BYTES:
        return Attachment(path, f"Image {path} is larger than the API takes and was not attached.")
    source: dict[str, object] = {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}
    return Attachment(path, f"Image {path}:", Image(source=source))


def _lines(path: Path, data: bytes, mention: Mention) -> Attachment:
    text = data[:MAX_BYTES].decode("utf-8-sig", "replace")
    lines = text.splitlines()
    first = mention.first or 1
    wanted = lines[first - 1 : mention.last] if mention.first else lines
    shown = wanted[:MAX_LINES]
    whole = not mention.first and len(data) <= MAX_BYTES and len(shown) == len(lines)
    if whole:
        title = f"File {path}:"
    elif not shown:
        title = f"File {path} has no line {first}."
    else:
        title = f"File {path}, lines {first}-{first + len(shown) - 1} only (Read shows the rest):"
    numbered = [f"{number:>6}\t{line}" for number, line in enumerate(shown, first)]
    return Attachment(path, "\n".join([title, *(numbered or ["(empty)"] if whole else numbered)]), whole=whole)
