"""Bash specifiers: exact lines, `prefix:*`, and `*` anywhere (reference 2.3)."""


def matches_command(spec: str, line: str) -> bool:
    """Whether `spec` names `line`: `ls:*` and `ls *` mean `ls` and `ls ...`, never `lsof`; any other `*` spans everything."""
    pattern, text = spec.strip(), line.strip()
    if pattern.endswith(":*"):
        pattern = pattern[:-2].rstrip() + " *"
    if pattern.endswith(" *") and _wildcard(pattern[:-2].rstrip(), text):
        return True
    return _wildcard(pattern, text)


def is_wild(spec: str) -> bool:
    """Whether a specifier names more than one literal line."""
    return "*" in spec


def _wildcard(pattern: str, text: str) -> bool:
    """`*` is any text; the parts between are looked for from left to right, so the time is linear in each."""
    first, *rest = pattern.split("*")
    if not rest:
        return first == text
    *middle, last = rest
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
