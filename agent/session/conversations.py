"""Finds, opens, copies and makes the conversations of a folder."""

import os
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from agent.compact.conversation import Conversation
from agent.compact.readable_record import record_folder
from agent.context.meter import Meter
from agent.file_history.snapshots import FileHistory
from agent.files.linked_copy import linked_copy
from agent.process.secrets import secret_values
from agent.protocol.clock import Clock, Ids
from agent.protocol.errors import SessionNotFound, UsageError
from agent.settings.git_head import git_branch
from agent.settings.paths import Places
from agent.tokens.choose import counting
from agent.tools.limits import spill_folder
from agent.tools.read_state import FileReadState
from agent.transcript.catalog import find_session, latest_session
from agent.transcript.transcript import Transcript

ModelOf: TypeAlias = Callable[[Transcript], str]
"""The model that the conversation on record goes on with."""


class Conversations:
    """Every conversation of one folder; `model` is the one the meter counts for, asked of the record that goes on.

    The keys in `env` are masked in every record. `cache_lasts`: the API holds what earlier processes sent; a rehearsal's server of our own
    begins anew with each.
    """

    def __init__(
        self,
        places: Places,
        version: str,
        clock: Clock,
        ids: Ids,
        env: Callable[[], Mapping[str, str]],
        *,
        cache_lasts: bool,
    ) -> None:
        self._places = places
        self._version = version
        self._clock = clock
        self._ids = ids
        self._cache_lasts = cache_lasts
        self._secrets = lambda: secret_values(env())

    def new(self, model: str, session_id: str | None = None) -> Conversation:
        """A conversation without messages; its file is made with its first record. Raises UsageError for an id in use or no UUID."""
        name = session_id or self._ids.new()
        path = self._path(_checked(name))
        if os.path.exists(path):
            raise UsageError(f"Session ID {name} is already in use.", do=f"--resume {name} goes on with it.")
        transcript = Transcript.create(
            path, session_id=name, cwd=self._places.cwd, version=self._version, clock=self._clock, ids=self._ids
        )
        return self._conversation(transcript, model)

    def open(self, session: str, model: ModelOf) -> Conversation:
        """The conversation with this id, or in this file; raises SessionNotFound or SessionBusy."""
        path = self._find(session)
        if path.parent.parent != self._places.ccagent_home / "projects":
            name = self._ids.new()  # a file that is not ours is only read: its conversation goes on in a copy
            return self._copy(path, self._path(name), name, model)
        transcript = Transcript.open(
            path, cwd=self._places.cwd, version=self._version, clock=self._clock, ids=self._ids
        )
        return self._resumed(transcript, model)

    def latest(self) -> str:
        """The id of the conversation that was written last; raises SessionNotFound when there is none."""
        path = latest_session(self._places.sessions_dir)
        if path is None:
            raise SessionNotFound("No conversation found to continue.")
        return path.stem

    def fork(self, session: str, model: ModelOf, session_id: str | None = None) -> Conversation:
        """A copy under a new id of the conversation with this id, or in this file, which is only read: another process may write it."""
        name = _checked(session_id or self._ids.new())
        return self._copy(self._find(session), self._path(name), name, model)

    def _copy(self, source: Path, path: Path, name: str, model: ModelOf) -> Conversation:
        transcript = Transcript.fork(
            source, path, session_id=name, cwd=self._places.cwd, version=self._version, clock=self._clock, ids=self._ids
        )
        conversation = self._resumed(transcript, model)
        conversation.file_history.inherit(self._files(source.stem))
        for folder in (record_folder, spill_folder):
            linked_copy(folder(source), folder(path))
        return conversation

    def _find(self, session: str) -> Path:
        """This folder's sessions first, then every folder's; a path to a file is taken as it is."""
        if session.endswith(".jsonl"):
            return self._places.cwd / session
        projects = self._places.ccagent_home / "projects"
        others = sorted(folder for folder in projects.glob("*") if folder != self._places.sessions_dir)
        return find_session((self._places.sessions_dir, *others), session)

    def _path(self, name: str) -> Path:
        return self._places.sessions_dir / f"{name}.jsonl"

    def _files(self, name: str) -> Path:
        return self._places.ccagent_home / "file-history" / name

    def _conversation(self, transcript: Transcript, model: str) -> Conversation:
        transcript.secrets = self._secrets
        transcript.branch = lambda: git_branch(self._places.project_root)
        history = FileHistory(self._files(transcript.session_id), self._clock)
        return Conversation(transcript, Meter(*counting(model)), FileReadState(), history)

    def _resumed(self, transcript: Transcript, model: ModelOf) -> Conversation:
        """The conversation, its meter set on the last answer whose usage is on record."""
        conversation = self._conversation(transcript, model(transcript))
        conversation.recall()
        conversation.moved(None)
        if self._cache_lasts:
            conversation.watch_on(self._clock)
        return conversation


def _checked(name: str) -> str:
    try:
        return str(uuid.UUID(name))
    except ValueError as error:
        raise UsageError(f"{name!r} is not a session id (a UUID).") from error
