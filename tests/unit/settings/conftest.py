"""A home and a project on disk, and a loader over them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agent.protocol.asks import TrustItem
from agent.settings.flags import Flags
from agent.settings.load import load_settings
from agent.settings.paths import Places
from agent.settings.settings import Settings


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A project with a git root, a session in a subfolder, an empty home, an injected managed folder."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "sub").mkdir()
    home.mkdir()
    return Places.resolve(project / "sub", {"HOME": str(home)}, managed_dir=tmp_path / "managed")


@pytest.fixture
def put() -> Callable[[Path, object], Path]:
    """Write a settings file (an object, or text as it is)."""

    def write(path: Path, content: object) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


@pytest.fixture
def load(places: Places) -> Callable[..., Settings]:
    """`load(env=..., trusted=..., flag=...)`: the merged settings."""

    def loader(env: dict[str, str] | None = None, *, trusted: bool = True, **flags: object) -> Settings:
        def answer(items: Sequence[TrustItem]) -> bool:
            assert items, "trust is asked only when there is something to trust"
            return trusted

        return load_settings(places, env or {}, Flags(**flags), trusted=answer)  # type: ignore[arg-type]  # test keywords

    return loader
