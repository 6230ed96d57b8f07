"""Which windows are in force: settings, the table, and what the API has said of each model, remembered for a day."""

from pathlib import Path

import msgspec
from msgspec import Struct

from agent.context.window import resolve_windows
from agent.files.atomic import write_atomic
from agent.files.private import make_private
from agent.files.regular import read_regular
from agent.models.aliases import declared_window, table_id
from agent.models.capabilities import ModelInfo
from agent.protocol.clock import Clock
from agent.protocol.errors import FilesError
from agent.protocol.meter import Windows, WindowSource
from agent.protocol.model import LearntWindow, WindowProbe
from agent.settings.settings import Settings

FRESH_SECONDS = 24 * 3600
SIZE_LIMIT = 1024 * 1024  # bytes

_SOURCES = {"environment": WindowSource.ENV, "flag": WindowSource.FLAG, "experiment": WindowSource.EXPERIMENT}


class _Learnt(Struct, frozen=True):
    window: LearntWindow
    at: float


class WindowBook:
    """`base_url` keeps servers apart: the same id may mean another window elsewhere."""

    def __init__(self, cache_dir: Path, base_url: str, clock: Clock) -> None:
        self._file = cache_dir / "windows.json"
        self._base_url = base_url
        self._clock = clock
        self._learnt = self._load()

    def windows(self, name: str, info: ModelInfo, settings: Settings) -> tuple[Windows, tuple[str, ...]]:
        """The windows for `info`, and one line for each value that was clamped or ignored.

        `name` is the model as the person wrote it: "[1m]" at its end declares the window of a model nobody knows.
        """
        said = settings.auto_compact_windows.get(table_id(info.id), settings.auto_compact_window)
        candidates = [] if said.value is None else [(said.value, _SOURCES.get(said.source, WindowSource.SETTINGS))]
        known = self._learnt.get(self._key(info.id))
        return resolve_windows(
            info,
            learnt=known.window if known else None,
            flag_window=settings.context_window_flag or (None if info.known else declared_window(name)),
            env_window=settings.max_context_tokens.value,
            compaction=candidates,
        )

    def clears_tool_uses(self, model: str) -> bool:
        """Whether the API has said that it can leave out old tool results of `model`."""
        known = self._learnt.get(self._key(model))
        return known is not None and known.window.clears_tool_uses

    async def learn(self, model: str, probe: WindowProbe) -> None:
        """Asks the API once a day and model; silence is no answer and changes nothing."""
        known = self._learnt.get(self._key(model))
        now = self._clock.now().timestamp()
        if known is not None and now - known.at < FRESH_SECONDS:
            return
        window = await probe.learn_window(model)
        if window is not None:
            self._learnt[self._key(model)] = _Learnt(window, now)
            self._save()

    def _key(self, model: str) -> str:
        return f"{self._base_url} {model}"

    def _load(self) -> dict[str, _Learnt]:
        try:
            return msgspec.json.decode(read_regular(self._file, SIZE_LIMIT), type=dict[str, _Learnt])
        except (OSError, msgspec.MsgspecError, RecursionError):
            return {}

    def _save(self) -> None:
        try:
            make_private(self._file.parent)
            write_atomic(self._file, msgspec.json.encode(self._learnt), mode=0o600)
        except (OSError, FilesError):
            return  # a cache that cannot be written is only asked for again
