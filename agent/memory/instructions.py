"""The parts of memory that say how to compact."""

import re

from agent.memory.markdown import HEADING, marked_lines
from agent.memory.memory_file import Memory

_ABOUT = re.compile(r"compact(?:ion)?[ \t]+instructions|(?:when|while)[ \t]+compacting", re.IGNORECASE)
_PARAGRAPH = re.compile(r"[ \t]*(?:[-*][ \t]+)?\**when[ \t]+compacting\b", re.IGNORECASE)


def compact_instructions(memory: Memory) -> str:
    """Every section whose heading speaks of compact instructions, and every paragraph that begins "When compacting"; "" when none does."""
    return "\n\n".join(part for file in memory.files for part in _parts(file.text))


def _parts(text: str) -> list[str]:
    parts: list[str] = []
    current: list[str] = []
    depth = 0  # of the heading whose section is taken; 0 = none, -1 = a paragraph
    for line, is_code in marked_lines(text):
        heading = None if is_code else HEADING.fullmatch(line.rstrip("\r\n"))
        if heading and not (depth > 0 and len(heading[1]) > depth):
            parts.append("".join(current))
            current, depth = [], len(heading[1]) if _ABOUT.search(heading[2] or "") else 0
        elif depth == 0 and not is_code and _PARAGRAPH.match(line):
            current, depth = [line], -1
        elif depth == -1 and not line.strip():
            parts.append("".join(current))
            current, depth = [], 0
        elif depth != 0:
            current.append(line)
    return [part.strip() for part in (*parts, "".join(current)) if part.strip()]
