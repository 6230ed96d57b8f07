"""What was typed after a command, put where its text asks for it."""

import re
import shlex
from collections.abc import Mapping, Sequence

from msgspec import Struct

_PLACE = re.compile(
    r"(?P<escape>\\)?\$(?:ARGUMENTS(?:\[(?P<index>\d{1,3})\])?(?!\w)|(?P<number>\d)(?![\d.,]*\d)|\{(?P<variable>[A-Z_]+)\}|(?P<name>[A-Za-z]\w*))"
)
_FROM_ZERO = re.compile(r"(?<!\\)\$0(?!\d)")


class Arguments(Struct, frozen=True):
    """`text` is what was typed, `names` what the command calls its words, `variables` what stands for `${NAME}`.

    `$ARGUMENTS[N]` counts from 0. `$N` counts from 0 in a command that has a `$0`, else from 1, as older commands do.
    """

    text: str
    names: tuple[str, ...] = ()
    variables: Mapping[str, str] = {}
    from_zero: bool = False

    @property
    def words(self) -> Sequence[str]:
        """The typed words; quotes keep blanks together, and quotes that do not close are letters."""
        try:
            return shlex.split(self.text)
        except ValueError:
            return self.text.split()

    def put(self, template: str) -> str:
        """`template` with every place filled; a missing word is empty; `$100`, `$HOME` and the like stay, and `\\$1` is `$1`."""
        words = self.words

        def fill(found: re.Match[str]) -> str:
            value = self._value(found, words)
            if value is None:
                return found[0]
            return found[0][1:] if found["escape"] else value

        return _PLACE.sub(fill, template)

    def _value(self, found: re.Match[str], words: Sequence[str]) -> str | None:
        if found["index"] is not None:
            return _word(words, int(found["index"]))
        if found["number"] is not None:
            return _word(words, int(found["number"]) - (0 if self.from_zero else 1))
        if found["variable"] is not None:
            return self.variables.get(found["variable"])
        if found["name"] is not None:
            return _word(words, self.names.index(found["name"])) if found["name"] in self.names else None
        return self.text


def asks_for_arguments(template: str, names: Sequence[str]) -> bool:
    """Whether a command says itself where its arguments go; else they follow its text."""
    return any(
        not found["escape"] and found["variable"] is None and (found["name"] is None or found["name"] in names)
        for found in _PLACE.finditer(template)
    )


def counts_from_zero(template: str) -> bool:
    """Whether `$0` stands anywhere in a command."""
    return _FROM_ZERO.search(template) is not None


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if 0 <= at < len(words) else ""
