"""Where a search begins, and how its results are named."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.protocol.errors import ToolError
from agent.protocol.tools import ToolContext
from agent.tools.places import absolute


class SearchRoot(Struct, frozen=True):
    """The folder or file to search; `argument` is how rg is told, `prefix` what stands before a path under it in rg's output."""

    path: Path
    argument: str
    prefix: str
    is_file: bool


def search_root(text: str | None, cwd: Path) -> SearchRoot:
    """The root for the model's `path` (None = `cwd`); raises ToolError when it does not exist or cannot be searched."""
    path = cwd if text is None else absolute(text, cwd)
    if not os.path.exists(path):
        raise ToolError(f"{path} does not exist. The working directory is {cwd}.")
    if not os.path.isdir(path) and not os.path.isfile(path):
        raise ToolError(f"{path} is neither a file nor a directory.")
    inside = path.is_relative_to(cwd)
    argument = "./" if path == cwd else f"./{path.relative_to(cwd)}" if inside else str(path)
    return SearchRoot(path=path, argument=argument, prefix=argument.rstrip("/") + "/", is_file=os.path.isfile(path))


def plain(path: str) -> str:
    """A path of rg's output without the leading `./`."""
    return path.removeprefix("./")


def shown_paths(paths: Sequence[str], context: ToolContext) -> Sequence[str]:
    """Of paths in rg's output those that no rule hides."""
    hides = context.hides
    return paths if hides is None else [path for path in paths if not hides(context.cwd / path)]
