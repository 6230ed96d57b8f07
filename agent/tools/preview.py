"""What stays of a large result whose whole text lies elsewhere: the part that tells most, by tool."""

from agent.protocol.text import counted
from agent.tools.console_text import both_ends

_HEAD_SHARE = 0.4  # of a command's output: errors and results stand at its end


def preview(tool: str, text: str, chars: int, where: str) -> str:
    """About `chars` characters of `text`, cut at line ends, and a bracketed line that says how much is missing and `where` it is.

    Commands keep both ends; listings, searches and files keep their beginning.
    """
    left = f"{len(text) - chars:,} of {len(text):,} characters left out; {where}"
    if tool == "Bash":
        head = int(_HEAD_SHARE * chars)
        return both_ends(text, head, chars - head, f"[... {left} ...]")
    head_text = _whole_lines(text, chars)
    missing = text.count("\n", len(head_text)) + (not text.endswith("\n"))
    if tool in ("Grep", "Glob"):
        return f"{head_text}\n[{counted(missing, 'more line')}, {left}]"
    return f"{head_text}\n[{left}]"


def _whole_lines(text: str, chars: int) -> str:
    """The head of `text` on a line end, if one is near."""
    end = text.rfind("\n", chars // 2, chars)
    return text[: end if end > 0 else chars]
