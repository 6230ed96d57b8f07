"""The model behind the Messages API: streams an answer, with retries, and asks for a model's window."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from typing import cast

import anthropic
import httpx2
import msgspec
from anthropic.types.message_create_params import MessageCreateParamsStreaming

from agent.anthropic_api.assemble import Assembler
from agent.anthropic_api.connect import connect
from agent.anthropic_api.errors import (
    profile_failed,
    read_refusal,
    refuse_other_types,
    to_error,
    unreachable,
)
from agent.anthropic_api.fields import MOST_TOKENS, JsonObject, decode_object, text_in
from agent.anthropic_api.patience import Patience, PingWatch, guard_silence, unanswered
from agent.anthropic_api.retry import RetryPolicy, Waiting, with_retries
from agent.anthropic_api.secrets import mask
from agent.anthropic_api.sse import event_data
from agent.anthropic_api.wire import EDITING_BETA, request_body
from agent.protocol.clock import Clock
from agent.protocol.errors import ModelError, StreamBroken
from agent.protocol.model import CacheTtl, Delta, LearntWindow, Reply, Request, Retrying
from agent.settings.credentials import Credentials
from agent.telemetry.log import Log

DEFAULT_PATIENCE = Patience()
DRAIN_SECONDS = 0.2


class AnthropicModel:
    """Model and WindowProbe over `AsyncAnthropic`; makes no request before it is asked.

    `cache_ttl` None switches prompt caching off. `sleep` and `chance` (in [0, 1)) are what retries wait with.
    Raises MissingCredentials on construction when there is no way to authenticate.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        clock: Clock,
        retry: RetryPolicy,
        log: Log,
        patience: Patience = DEFAULT_PATIENCE,
        cache_ttl: CacheTtl | None = "5m",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._client = connect(credentials, patience)
        self._secrets = credentials.secrets
        self._betas = [value for name, value in credentials.custom_headers if name.lower() == "anthropic-beta"]
        self._clock = clock
        self._retry = retry
        self._log = log
        self._patience = patience
        self._cache_ttl = cache_ttl
        self._waiting = Waiting(clock, sleep, chance)

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """Deltas as they arrive, then exactly one Reply; a Retrying voids the deltas before it.

        Raises ModelError when no attempt succeeded. Closing the iterator or cancelling closes the connection at once.
        """
        body = request_body(request, ttl=self._cache_ttl)
        attempts = with_retries(
            lambda: self._attempt(request.model, body), self._retry, request.query_source, self._waiting
        )
        async with aclosing(attempts):
            async for piece in attempts:
                if isinstance(piece, Retrying):
                    self._log.event("api_retry", attempt=piece.attempt, delay=piece.delay, reason=piece.reason)
                yield piece

    async def learn_window(self, model: str) -> LearntWindow | None:
        """What `/v1/models/ID` says of the model's window; None when it does not say in time."""
        if not model:
            return None
        try:
            async with asyncio.timeout(self._patience.probe):
                answer = await self._client.models.with_raw_response.retrieve(model)
                found = msgspec.json.decode(await answer.read(), type=_ModelInfo)
        except (anthropic.AnthropicError, TimeoutError, msgspec.DecodeError):
            return None
        window = found.max_input_tokens or 0
        if not 0 < window <= MOST_TOKENS:
            return None
        return LearntWindow(window, found.max_tokens, _clears_tool_uses(found.capabilities))

    async def close(self) -> None:
        """Release connections."""
        await self._client.close()

    async def _attempt(self, model: str, body: JsonObject) -> AsyncGenerator[Delta | Reply, None]:
        began = self._clock.monotonic()
        assembler = Assembler()
        with self._our_errors(model):
            async with self._answer(body) as response, aclosing(self._events(response, model)) as events:
                async for event in events:
                    delta = assembler.feed(event)
                    if delta is not None:
                        yield delta
                    if assembler.complete:
                        await _drain(events)
                        break
        yield assembler.reply(
            request_id=response.headers.get("request-id", ""), duration=self._clock.monotonic() - began
        )

    @asynccontextmanager
    async def _answer(self, body: JsonObject) -> AsyncIterator[httpx2.Response]:
        params = cast(MessageCreateParamsStreaming, {**self._as_arguments(body), "stream": True})
        opening = self._client.messages.with_streaming_response.create(**params)
        try:
            async with asyncio.timeout(self._patience.first_byte):
                answer = await opening.__aenter__()
        except TimeoutError as error:
            raise unanswered(self._patience.first_byte) from error
        try:
            yield answer.http_response
        finally:
            await answer.close()

    async def _events(self, response: httpx2.Response, model: str) -> AsyncGenerator[JsonObject, None]:
        refuse_other_types(response.headers)
        pings = PingWatch(self._patience.only_pings, self._clock.monotonic())
        chunks = guard_silence(response.aiter_bytes(), self._patience)
        async for data in event_data(pings.watched(chunks, self._clock.monotonic)):
            event = decode_object(data)
            if event is None:
                raise StreamBroken("The answer's stream is not readable.")
            pings.saw(text_in(event, "type"), self._clock.monotonic())
            if text_in(event, "type") == "error":
                raise to_error(read_refusal(response.status_code, event, response.headers, self._clock.now()), model)
            yield event

    def _as_arguments(self, body: JsonObject) -> JsonObject:
        """The body as what the SDK's method takes; context editing is not among its parameters."""
        if "context_management" not in body:
            return body
        rest = {name: value for name, value in body.items() if name != "context_management"}
        extra = {"context_management": body["context_management"]}
        return {
            **rest,
            "extra_body": extra,
            "extra_headers": {"anthropic-beta": ",".join((*self._betas, EDITING_BETA))},
        }

    @contextmanager
    def _our_errors(self, model: str) -> Iterator[None]:
        try:
            yield
        except ModelError as error:
            self._mask(error)
            raise
        except anthropic.APIStatusError as error:
            refusal = read_refusal(error.status_code, error.body, error.response.headers, self._clock.now())
            raise self._mask(to_error(refusal, model)) from error
        except anthropic.APIConnectionError as error:
            raise self._mask(unreachable(str(self._client.base_url), error)) from error
        except anthropic.AnthropicError as error:  # what is left comes from the SDK's own profiles
            raise self._mask(profile_failed(error)) from error
        except httpx2.HTTPError as error:
            raise StreamBroken("The connection dropped in the middle of the answer.") from error

    def _mask(self, error: ModelError) -> ModelError:
        error.what = mask(error.what, self._secrets)
        error.args = (error.what,)
        return error


async def _drain(events: AsyncGenerator[JsonObject, None]) -> None:
    # A body read to its end leaves a connection that the next request can use; nothing after message_stop matters.
    with suppress(TimeoutError, ModelError, httpx2.HTTPError):
        async with asyncio.timeout(DRAIN_SECONDS):
            await anext(events, None)


class _Supported(msgspec.Struct, frozen=True):
    supported: bool = False


class _Editing(msgspec.Struct, frozen=True):
    clear_tool_uses_20250919: _Supported = _Supported()


class _Capabilities(msgspec.Struct, frozen=True):
    context_management: _Editing = _Editing()


def _clears_tool_uses(capabilities: msgspec.Raw) -> bool:
    """Whether the model's entry says so in the API's own shape; what other servers say there is their affair."""
    try:
        found = msgspec.json.decode(capabilities, type=_Capabilities)
    except msgspec.DecodeError:
        return False
    return found.context_management.clear_tool_uses_20250919.supported


class _ModelInfo(msgspec.Struct):
    max_input_tokens: int | None = None
    max_tokens: int | None = None
    capabilities: msgspec.Raw = msgspec.Raw(b"{}")
