"""How much a tool may say at once, and where the rest goes."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from agent.files.atomic import write_atomic
from agent.files.private import make_private
from agent.protocol.errors import FilesError

PREVIEW_CHARS = 2_000  # of a result that went to a file
BYTES_PER_TOKEN = 3.5  # code and prose, rounded towards too many tokens


class Limits(Struct, frozen=True):
    """Caps in tokens, characters, lines and milliseconds; `unchanged_notice` lets Read answer a repeated read of a whole file in one line."""

    read_tokens: int = 25_000
    read_lines: int = 2_000
    read_line_chars: int = 2_000
    grep_lines: int = 250
    grep_columns: int = 500
    glob_files: int = 100
    bash_chars: int = 30_000
    bash_timeout_ms: int = 120_000
    bash_max_timeout_ms: int = 600_000
    result_chars: int = 50_000
    unchanged_notice: bool = False


def limits_from_env(env: Mapping[str, str]) -> Limits:
    """The limits, with what the environment sets; a value that is no positive whole number is passed over."""
    base = Limits()
    timeout = _positive(env, "BASH_DEFAULT_TIMEOUT_MS", base.bash_timeout_ms)
    return Limits(
        read_tokens=_positive(env, "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", base.read_tokens),
        bash_chars=_positive(env, "BASH_MAX_OUTPUT_LENGTH", base.bash_chars),
        bash_timeout_ms=timeout,
        bash_max_timeout_ms=max(timeout, _positive(env, "BASH_MAX_TIMEOUT_MS", base.bash_max_timeout_ms)),
    )


def spill_result(text: str, limit: int, spill_dir: Path, tool_use_id: str) -> str:
    """`text` if it has at most `limit` characters; else it goes to `spill_dir/<tool_use_id>.txt` and its beginning and the place are returned.

    Blocks (it writes a file). When the disk refuses, the beginning alone is returned, and says so.
    """
    if len(text) <= limit:
        return text
    preview = text[:PREVIEW_CHARS]
    left = f"{len(text) - len(preview):,} of {len(text):,} characters left out"
    try:
        file = keep(text, spill_dir, tool_use_id)
    except FilesError as error:
        return f"{preview}\n[{left}; {error.what}]"
    return f"{preview}\n[{left}; all of it is in {file}: Read it with offset and limit, or Grep it]"


def keep(text: str, spill_dir: Path, tool_use_id: str) -> Path:
    """Write `text` to the call's own file (0600 in 0700) and return it; raises FilesError."""
    try:
        make_private(spill_dir)
    except OSError as error:
        raise FilesError(f"Could not make {spill_dir}: {error.strerror}.") from error
    file = spill_file(spill_dir, tool_use_id)
    write_atomic(file, text.encode("utf-8", "replace"), mode=0o600)
    return file


def spill_file(spill_dir: Path, tool_use_id: str) -> Path:
    """Where a call's large output goes; the id comes from outside and may name no other folder."""
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in tool_use_id)[:100]
    return spill_dir / f"{name or 'result'}.txt"


def spill_folder(transcript: Path) -> Path:
    """Where large results of the tools and hooks of a conversation go."""
    return transcript.with_suffix("") / "tool-results"


def _positive(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "").strip()
    return int(text) if text.isdecimal() and text.isascii() and 0 < int(text) < 10**9 else default
