"""What a headless run is asked: the argument, piped input, or JSON lines."""

import os
import select
import stat
from collections.abc import AsyncIterator

import msgspec

from agent.protocol.errors import UsageError
from agent.protocol.text import scrub_json
from tui.headless.face import tell
from tui.stdin_lines import StdinLines

STDIN_CAP = 10_000_000  # bytes
PATIENCE = 3.0  # seconds to wait for the first piped byte when there is a prompt already


def text_prompt(argument: str | None) -> str:
    """The argument, then what was piped in, a blank line between; UsageError when both are blank."""
    piped, notice = read_piped(have_prompt=bool((argument or "").strip()))
    if notice:
        tell("warning", notice)
    text = "\n\n".join(part for part in (argument or "", piped) if part.strip())
    if not text:
        raise UsageError("no prompt: give one as an argument or on standard input.")
    return text


async def json_prompts(argument: str | None) -> AsyncIterator[str]:
    """The argument if there is one, then the prompts of stream-json lines as they come; UsageError for a line that is none."""
    if argument is not None and argument.strip():
        yield argument
    lines = StdinLines()
    while (line := await lines.next()) is not None:
        prompt, notice = prompt_of_line(line)
        if notice:
            tell("warning", notice)
        if prompt.strip():
            yield prompt


def read_piped(*, have_prompt: bool, fd: int = 0) -> tuple[str, str]:
    """Everything piped into `fd` and a notice or "".

    A terminal and a closed descriptor give nothing. With a prompt at hand, a pipe that stays silent for 3 s is left alone: it is
    usually one that a parent forgot to close. UsageError above 10 MB.
    """
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return "", ""
    if os.isatty(fd):
        return "", ""
    waits = have_prompt and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
    if waits and not select.select([fd], [], [], PATIENCE)[0]:
        return (
            "",
            f"standard input: nothing came within {PATIENCE:g} s; going on without it (use < /dev/null to skip the wait).",
        )
    return _read_all(fd).decode("utf-8", errors="replace"), ""


def _read_all(fd: int) -> bytes:
    read = bytearray()
    while chunk := _read_chunk(fd):
        read += chunk
        if len(read) > STDIN_CAP:
            raise UsageError(
                f"standard input is larger than {STDIN_CAP // 1_000_000} MB.",
                do="Write it to a file and name the file in the prompt.",
            )
    return bytes(read)


def _read_chunk(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 16)
    except OSError as error:
        raise UsageError(f"standard input cannot be read ({error.strerror}).") from error


class _TextBlock(msgspec.Struct):
    type: str
    text: str = ""


class _Said(msgspec.Struct):
    content: str | list[_TextBlock]


class _Line(msgspec.Struct):
    type: str
    message: _Said | None = None


def _read_line(line: str) -> _Line:
    try:
        return msgspec.json.decode(line.encode("utf-8", errors="replace"), type=_Line)
    except msgspec.DecodeError:
        return msgspec.json.decode(scrub_json(line), type=_Line)  # only the standard reader takes a lone surrogate


def prompt_of_line(line: str) -> tuple[str, str]:
    """The prompt in one line of stream-json input and a notice; both may be "". UsageError when it is no such line."""
    if not line.strip():
        return "", ""
    try:
        read = _read_line(line)
    except (ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        raise UsageError(f"standard input: not a stream-json line ({error}).") from error
    if read.type != "user" or read.message is None:
        return "", f"standard input: a line of type {read.type!r} is not understood; skipped."
    content = read.message.content
    if isinstance(content, str):
        return content, ""
    other = sorted({block.type for block in content if block.type != "text"})
    notice = f"standard input: blocks of type {', '.join(other)} are not read; skipped." if other else ""
    return "\n".join(block.text for block in content if block.type == "text"), notice
