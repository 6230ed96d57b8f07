"""One thing that a compaction must not lose, with where it was said and how to tell whether a text still says it."""

from typing import Literal, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal[
    "rule", "correction", "failing", "written", "todo", "command", "read", "passing", "decision", "plan"
]

USERS: tuple[Kind, ...] = ("rule", "correction")
FILES: tuple[Kind, ...] = ("written", "read")


class Fact(Struct, frozen=True, kw_only=True):
    """`line` says it in full; `source` is the uuid of the record it comes from.

    A text says it when one of the `needles` stands in it and, if there are `states`, one of those on the same line and none of what
    speaks `against` it. With `only_if_named` a text that has none of the needles needs no mending: the fact is there to contradict,
    not to inform. `short` is what may stand in the place of `line` when there is no room for all.
    """

    kind: Kind
    line: str
    needles: tuple[str, ...]
    source: str
    states: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    only_if_named: bool = False
    short: str = ""
