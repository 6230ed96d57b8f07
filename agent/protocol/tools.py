"""What a tool is: it parses, names its subject, runs, and returns text for the model and details for the eye."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct

from agent.protocol.blocks import Image
from agent.protocol.details import Details
from agent.protocol.model import ToolSpec


class Access(StrEnum):
    """What a call does to its subject; permissions decide on it."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"


class Subject(Struct, frozen=True):
    """What a call touches: absolute paths, or a shell command and the folder it runs in; `title` is the one line a person sees.

    Without `cwd` no command is taken for read-only, since nobody knows which files its words name.
    """

    access: Access
    title: str
    paths: tuple[Path, ...] = ()
    command: str = ""
    cwd: Path | None = None


class ToolOutput(Struct, frozen=True):
    """`text` for the model (never blank), `details` for the eye, `images` the model should see."""

    text: str
    is_error: bool = False
    details: Details | None = None
    images: tuple[Image, ...] = ()


class FileStamp(Struct, frozen=True):
    """What was known of a file when it was last read or written: content hash, mtime (ns), size, and whether only part was seen."""

    sha256: str
    mtime_ns: int
    size: int
    partial: bool = False


class ReadState(Protocol):
    """Which files the model has seen and in which state; Edit and Write refuse what changed since."""

    def get(self, path: Path) -> FileStamp | None: ...

    def set(self, path: Path, stamp: FileStamp) -> None: ...

    def forget(self, path: Path) -> None: ...

    def recent(self) -> tuple[Path, ...]:
        """Paths, most recently read or written first."""
        ...


class ToolContext(Struct, frozen=True, kw_only=True):
    """What a call may use: folders, read state, the environment for children, where large output goes, and a progress sink.

    `cwd` is the session's working directory; `set_cwd` moves it (Bash keeps `cd`). `roots` are the folders the session may work in.
    `hides` says which files a search must not show (absolute paths; read-deny rules; None: none). `env_files` are shell scripts that Bash sources
    before each command.
    """

    cwd: Path
    roots: tuple[Path, ...]
    read_state: ReadState
    env: Mapping[str, str]
    spill_dir: Path
    tool_use_id: str
    progress: Callable[[str], Awaitable[None]]
    set_cwd: Callable[[Path], None]
    before_write: Callable[[Path], None] = lambda _path: None
    hides: Callable[[Path], bool] | None = None
    env_files: tuple[Path, ...] = ()


Input = TypeVar("Input")


class Tool(Protocol[Input]):
    """A tool never draws, asks or knows the session.

    `parse` raises InvalidToolInput; `subject` is pure; `preview` may read the file to show what would change and returns None when it
    cannot tell; `run` raises ToolError for a failure the model should read.
    """

    @property
    def spec(self) -> ToolSpec: ...

    def parse(self, raw: Mapping[str, object]) -> Input: ...

    def subject(self, call: Input, cwd: Path) -> Subject: ...

    def preview(self, call: Input, context: ToolContext) -> Details | None: ...

    async def run(self, call: Input, context: ToolContext) -> ToolOutput: ...
