"""`apiKeyHelper`: a command of the person's prints the key; it is asked again when the key is old or refused."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path

import msgspec

from agent.process.runner import run_process
from agent.protocol.clock import Clock
from agent.protocol.errors import AuthenticationFailed, FilesError, MissingCredentials
from agent.protocol.model import Delta, LearntWindow, Reply, Request
from agent.session.deferred import ApiModel
from agent.settings.credentials import Credentials
from agent.settings.env import NOISE_VARIABLES, number

SOURCE = "apiKeyHelper"
TTL_VARIABLE = "CLAUDE_CODE_API_KEY_HELPER_TTL_MS"
TTL = 300.0  # seconds
TIMEOUT = 30.0  # seconds: some ask a vault, or a person's finger


class KeyHelper:
    """Runs `command` in a shell, in `cwd`; the key is kept in memory only."""

    def __init__(self, command: str, env: Mapping[str, str], cwd: Path) -> None:
        self._command = command
        self._env = {name: value for name, value in env.items() if name not in NOISE_VARIABLES}
        self._cwd = cwd
        told = number(env.get(TTL_VARIABLE, ""))
        self.ttl = TTL if told is None else told / 1000

    async def key(self) -> str:
        """The key it prints; MissingCredentials says why there is none (never what stands on its stdout)."""
        try:
            done = await run_process(("sh", "-c", self._command), cwd=self._cwd, env=self._env, timeout=TIMEOUT)
        except FilesError as error:
            raise self._failed(error.what) from error
        if done.timed_out:
            raise self._failed(f"it took longer than {TIMEOUT:.0f} seconds.")
        key = done.stdout.strip()
        if done.exit_code != 0 or not key:
            lines = done.stderr.strip().splitlines()
            raise self._failed(f"exit code {done.exit_code}, {lines[0] if lines else 'no key on its standard output'}.")
        return key

    def _failed(self, why: str) -> MissingCredentials:
        return MissingCredentials(
            f"{SOURCE} ({self._command}) gave no key: {why}", do="Mend it, or set ANTHROPIC_API_KEY."
        )


class HelpedModel:
    """An ApiModel for the key of the moment; `make` builds one from credentials, `routing` says all but the key."""

    def __init__(
        self, helper: KeyHelper, routing: Credentials, make: Callable[[Credentials], ApiModel], clock: Clock
    ) -> None:
        self._helper = helper
        self._routing = routing
        self._make = make
        self._clock = clock
        self._lock = asyncio.Lock()
        self._key = ""
        self._at = 0.0
        self._model: ApiModel | None = None
        self._retired: list[ApiModel] = []

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """See Model.stream; a key that is refused before anything has come is replaced once."""
        model = await self._current()
        begun = False
        try:
            async with aclosing(model.stream(request)) as items:
                async for item in items:
                    begun = True
                    yield item
            return
        except AuthenticationFailed:
            if begun or (fresh := await self._renewed(model)) is None:
                raise
        async with aclosing(fresh.stream(request)) as items:
            async for item in items:
                yield item

    async def learn_window(self, model: str) -> LearntWindow | None:
        """See WindowProbe.learn_window; without a key nothing is learnt, the first prompt says why."""
        try:
            return await (await self._current()).learn_window(model)
        except MissingCredentials:
            return None

    async def close(self) -> None:
        """Releases every model that was made."""
        for model in (*self._retired, *([self._model] if self._model else [])):
            await model.close()

    async def _current(self) -> ApiModel:
        async with self._lock:
            if self._model is None or self._clock.monotonic() - self._at >= self._helper.ttl:
                return await self._renew()
            return self._model

    async def _renewed(self, refused: ApiModel) -> ApiModel | None:
        """The model for another key than the refused one; None when the helper has no other."""
        async with self._lock:
            model = await self._renew() if self._model is refused else self._model
            return None if model is refused else model

    async def _renew(self) -> ApiModel:
        key = await self._helper.key()
        self._at = self._clock.monotonic()
        if self._model is not None:
            if key == self._key:
                return self._model
            self._retired.append(self._model)  # a stream may still run over it
        self._key = key
        self._model = self._make(helped_credentials(self._routing, key))
        return self._model


def helped_credentials(routing: Credentials, key: str) -> Credentials:
    """`routing` with the key; a gateway gets it as a bearer token too, because nobody knows which of the two it reads."""
    both = (("X-Api-Key", key), ("Authorization", f"Bearer {key}")) if routing.base_url else ()
    headers = (*both, *routing.custom_headers)
    return msgspec.structs.replace(
        routing, api_key=key, auth_token=None, profile=False, source=SOURCE, custom_headers=headers
    )
