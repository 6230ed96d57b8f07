"""Settings that are read and change nothing yet: whoever sets one is told so."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from agent.settings.layers import Layer
from agent.settings.merge import find
from agent.settings.schema import FileSettings

_Value: TypeAlias = bool | str | None

_READ_ONLY: tuple[tuple[str, Callable[[FileSettings], _Value], _Value, str], ...] = (
    (
        "autoCompactPolicy",
        lambda said: said.auto_compact_policy,
        "price",
        "it is always the window that decides when to compact",
    ),
    (
        "precomputeCompactionEnabled",
        lambda said: said.precompute_compaction_enabled,
        True,
        "no summary is prepared before it is due",
    ),
    ("experiments.sessionMemory", lambda said: said.experiments.session_memory, True, "no session memory is kept"),
)


def without_effect(layers: Sequence[Layer]) -> Iterator[str]:
    """One line for each such setting in force that asks for something, naming where it stands."""
    for key, get, asks, instead in _READ_ONLY:
        said = find(layers, get)
        if said is not None and said.value == asks:
            yield f"{key} ({said.source}) has no effect yet: {instead}."
