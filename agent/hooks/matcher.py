"""Which firings a hook waits for (reference 1.4)."""

import re
from collections.abc import Callable
from functools import lru_cache

from agent.protocol.errors import HookError
from agent.protocol.hooks import HookEvent

WITHOUT_MATCHER = frozenset({HookEvent.USER_PROMPT_SUBMIT, HookEvent.STOP})

_NAMES = re.compile(r"[A-Za-z0-9_\- ,|]*")
_LENGTH_LIMIT = 2_000  # characters of a pattern


def matches(matcher: str, event: HookEvent, subject: str) -> bool:
    """Whether a hook with this matcher runs for `subject` (tool name, trigger, source, ...); HookError when the pattern is broken."""
    return event in WITHOUT_MATCHER or _compile(matcher)(subject)


@lru_cache(maxsize=256)
def _compile(matcher: str) -> Callable[[str], bool]:
    """All; one of the names between `|` or `,`; or a JavaScript-like pattern found anywhere, upper and lower case apart."""
    if matcher.strip() in ("", "*"):
        return lambda _subject: True
    if _NAMES.fullmatch(matcher):
        names = frozenset(name.strip() for name in re.split(r"[|,]", matcher) if name.strip())
        return names.__contains__
    if len(matcher) > _LENGTH_LIMIT:
        raise HookError("Its matcher is too long.")
    try:
        pattern = re.compile(matcher.replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!"), re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise HookError(f"Its matcher {matcher!r} is not a valid pattern: {error}.") from error
    return lambda subject: pattern.search(subject) is not None
