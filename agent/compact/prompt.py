"""The request for a summary: no-tools preamble, the task with its nine sections, and whatever the person or a hook adds."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

SECTIONS = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and fixes",
    "Problem Solving",
    "All user messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
)


@cache
def words(name: str) -> str:
    """The text of `words/NAME.md`, without the final newline."""
    return files("agent.compact").joinpath("words", f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def compact_prompt(instructions: Sequence[str] = (), *, scope: str = "", rejected: str = "") -> str:
    """The final user message of a compaction request (notes: BASE_COMPACT_PROMPT with NO_TOOLS_PREAMBLE first).

    `instructions` are the person's, the hooks' and CLAUDE.md's, in that order; `scope` says which part is meant, `rejected` why an earlier
    answer could not be used.
    """
    parts = [words("preamble"), words("task")]
    if scope:
        parts.append(scope)
    extra = [text.strip() for text in instructions if text.strip()]
    if extra:
        parts.append("\n\n".join([words("extra"), *extra]))
    if rejected:
        parts.append(words("retry").format(reason=rejected.rstrip(".")))
    parts.append(words("closing"))
    return "\n\n".join(parts)
