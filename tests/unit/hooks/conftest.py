"""Hooks over real processes, with what they emitted."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from agent.hooks.runner import Hooks
from agent.protocol.events import Event, HookFinished
from agent.protocol.hooks import HookEvent, HookInput, HookOutcome
from agent.settings.hook_entries import hook_entries
from tests.support.patience import block_until


class Session:
    """A project folder, its hooks, and everything they emitted."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self.env = dict(env)
        self.hooks: Hooks | None = None
        self.events: list[Event] = []

    def configure(self, config: dict[str, object], *, disabled: bool = False) -> "Session":
        """Use this `hooks` object of a settings file."""
        entries, notices = hook_entries(config, "settings.json", "user")
        assert not notices, notices
        self.hooks = Hooks(
            entries,
            common=lambda: {
                "session_id": "s-1",
                "transcript_path": "/t.jsonl",
                "cwd": str(self.folder),
                "permission_mode": "default",
            },
            env=self.env,
            project_dir=self.folder,
            disabled=disabled,
            spill_dir=self.folder / "spill",
        )
        return self

    def command(self, event: str, *commands: str, matcher: str = "", **fields: object) -> "Session":
        """One matcher group of shell commands."""
        handlers = [{"type": "command", "command": command, **fields} for command in commands]
        return self.configure({event: [{"matcher": matcher, "hooks": handlers}]})

    async def fire(self, event: str, subject: str = "", **fields: object) -> HookOutcome:
        """Run what matches."""
        assert self.hooks is not None
        return await self.hooks.run(HookInput(HookEvent(event), subject, dict(fields)), self._emit)

    async def _emit(self, event: Event) -> None:
        self.events.append(event)

    @property
    def finished(self) -> list[HookFinished]:
        """The ends of all runs so far."""
        return [event for event in self.events if isinstance(event, HookFinished)]

    def written(self, name: str) -> dict[str, object]:
        """A JSON file that a hook left."""
        loaded: dict[str, object] = json.loads((self.folder / name).read_text())
        return loaded


def wait_for_text(path: Path) -> None:
    """Blocks until a hook has written `path`."""
    block_until(lambda: path.exists() and path.read_text())


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session in an empty folder whose name has a blank."""
    folder = tmp_path / "My Proj"
    folder.mkdir()
    return Session(
        folder, {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "ANTHROPIC_API_KEY": "sk-ant-secret-1"}
    )
