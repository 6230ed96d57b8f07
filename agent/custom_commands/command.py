"""One custom command: a Markdown file, and what its frontmatter says of it (reference 3.3)."""

from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.memory.frontmatter import as_list, read_frontmatter, split_frontmatter
from agent.protocol.text import one_line
from agent.settings.flags import split_rules

Whose: TypeAlias = Literal["user", "project"]

HINT = 120  # characters of a description in lists


class CustomCommand(Struct, frozen=True, kw_only=True):
    """`name` is what is typed after the slash, `text` the file without its frontmatter, `digest` the SHA-256 of the whole file.

    `allowed_tools` are permission rules that hold while its prompt is answered; `model` answers it ("" = the session's); `arguments`
    are the names its words go by. `is_skill` files read others beside them; `for_people` is False for what only a model may use.
    """

    name: str
    path: Path
    whose: Whose
    text: str
    digest: str
    description: str = ""
    argument_hint: str = ""
    allowed_tools: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    model: str = ""
    is_skill: bool = False
    for_people: bool = True

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"/{self.name} {self.argument_hint}".rstrip()

    @property
    def help(self) -> str:
        """What it is for, in one line, and whose it is."""
        return f"{one_line(self.description, HINT)} ({self.whose})".lstrip()


def read_command(
    text: str, *, name: str, path: Path, whose: Whose, digest: str, is_skill: bool = False
) -> CustomCommand:
    """The command that a file's `text` says; a frontmatter that is not understood is passed over."""
    frontmatter, body = split_frontmatter(text)
    said = read_frontmatter(frontmatter)

    def word(key: str) -> str:
        value = said.get(key, "")
        return value if isinstance(value, str) else " ".join(f"[{item}]" for item in value)

    model = word("model")
    return CustomCommand(
        name=name,
        path=path,
        whose=whose,
        text=body.strip("\n"),
        digest=digest,
        description=word("description") or _first_line(body),
        argument_hint=word("argument-hint"),
        allowed_tools=_rules(said.get("allowed-tools")),
        arguments=tuple(part for item in as_list(said.get("arguments")) for part in item.split()),
        model="" if model == "inherit" else model,
        is_skill=is_skill,
        for_people=word("user-invocable").lower() != "false",
    )


def _first_line(body: str) -> str:
    return next((line.lstrip("# ").strip() for line in body.splitlines() if line.lstrip("# ").strip()), "")


def _rules(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """`Read, Bash(git add:*)` or a list; blanks separate too, except in parentheses."""
    return tuple(rule for item in as_list(value) for rule in split_rules(item))
