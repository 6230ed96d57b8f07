"""Permission rules as people write them: `Tool` or `Tool(specifier)` (reference 2.3)."""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from agent.protocol.errors import SettingsError
from agent.protocol.text import few
from agent.settings.paths import Places
from agent.settings.settings import SourcedRule

EDITORS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
READERS = frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead"})

_RULE = re.compile(r"([A-Za-z][\w-]*\*?)(?:\((.*)\))?", re.DOTALL)


class Rule(Struct, frozen=True):
    """One rule: the tool, its specifier (None = every call), where it stands, and the folder that `/x` in it starts from."""

    tool: str
    spec: str | None = None
    source: str = ""
    base: Path | None = None

    @property
    def text(self) -> str:
        """The rule in the syntax of settings files."""
        return self.tool if self.spec is None else f"{self.tool}({self.spec})"

    def names(self, tool: str) -> bool:
        """Whether the rule is about `tool`: Edit rules cover all editing tools, Read rules all reading ones."""
        if self.tool.endswith("*"):
            return tool.startswith(self.tool[:-1])
        if self.tool == tool or tool.startswith(f"{self.tool}__"):
            return True
        return (self.tool == "Edit" and tool in EDITORS) or (self.tool == "Read" and tool in READERS)


def parse_rule(text: str, *, source: str = "", base: Path | None = None) -> Rule:
    """The rule in `text`; `Bash(*)` and `Bash(:*)` are `Bash`. SettingsError when it is none."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise SettingsError(f"Cannot read {text!r} as a permission rule.", do="Write Tool or Tool(specifier).")
    tool, spec = found[1], found[2]
    if spec is not None and not spec.strip():
        raise SettingsError(f"The permission rule {text!r} has nothing in its parentheses.", do=f"Write {tool} alone.")
    if spec is not None and spec.lstrip().startswith("!") and tool in EDITORS | READERS:
        raise SettingsError(f"The permission rule {text!r} negates a path.", do="Write a rule of another kind instead.")
    if spec is not None and spec.strip() in ("*", ":*", "**"):
        spec = None
    return Rule(tool, spec, source, base)


def parse_rules(rules: Sequence[SourcedRule], places: Places) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """The rules of settings, and one line for each that cannot be used.

    `/x` starts from the project root in project settings, from the file's folder in user settings, from cwd everywhere else.
    """
    parsed: list[Rule] = []
    notices: list[str] = []
    for rule in rules:
        base = rule.base if rule.scope in ("user", "project") else places.cwd
        try:
            parsed.append(parse_rule(rule.text, source=rule.source, base=base))
        except SettingsError as error:
            notices.append(f"{rule.source}: {error.line}")
    return tuple(parsed), few(notices)
