"""What the command line may set, and how rule lists are split."""

from msgspec import Struct


class Flags(Struct, frozen=True, kw_only=True):
    """The command line's settings; None and empty mean "not given". `settings` is a file or inline JSON."""

    model: str | None = None
    context_window: int | None = None
    autocompact: str | None = None
    permission_mode: str | None = None
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    add_dirs: tuple[str, ...] = ()
    settings: str | None = None
    effort: str | None = None
    trust: bool = False
    skip_permissions: bool = False


def split_rules(text: str) -> tuple[str, ...]:
    """`Bash(git diff:*), Edit Read` as three rules: commas and blanks separate, except inside parentheses.

    A parenthesis behind a backslash opens and closes nothing: that is how a path with one is written.
    """
    rules: list[str] = []
    word, depth, escaped = "", 0, False
    for char in text:
        if depth == 0 and (char == "," or char.isspace()):
            rules.append(word)
            word, escaped = "", False
            continue
        if not escaped:
            depth += {"(": 1, ")": -1 if depth else 0}.get(char, 0)
        escaped = char == "\\" and not escaped
        word += char
    return tuple(rule for rule in (*rules, word) if rule)
