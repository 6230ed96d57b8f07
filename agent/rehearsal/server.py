"""The rehearsal server: the Messages API on a loopback port, in this event loop or in a thread of its own."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from agent.rehearsal.delivery import HungUp, Line, Outcome
from agent.rehearsal.http1 import MAX_HEAD, BadHttp, HttpRequest, read_request, response_head
from agent.rehearsal.journal import Journal
from agent.rehearsal.messages_api import MessagesApi, Settings
from agent.rehearsal.recorded import Recorded
from agent.rehearsal.script import Script
from agent.rehearsal.sse import Event

HOST = "127.0.0.1"


class Rehearsal:
    """A strict Messages API at `url`, as an async context manager or between `start()` and `close()`.

    `window` and `max_output` (tokens) replace the models' own; `port` 0 takes a free one; `log` gets a line per request;
    without a script, or after its end, `offline_model` answers by rules; `keep` is how many requests are remembered;
    `clock` (seconds) ages the prompt cache. `seen` lists every request of any kind as `METHOD PATH`.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        window: int | None = None,
        strict: bool = True,
        port: int = 0,
        log: Path | None = None,
        offline_model: bool = False,
        max_output: int | None = None,
        keep: int = 10_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        settings = Settings(window, max_output, strict, offline_model, keep)
        self.api = MessagesApi(script, settings, clock)
        self.url = ""
        self.seen: list[str] = []
        self._keep = keep
        self._port = port
        self.journal = Journal(log)
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @property
    def requests(self) -> list[Recorded]:
        """Every request to /v1/messages in order, the refused ones too."""
        return self.api.requests

    @property
    def violations(self) -> list[str]:
        """Every rule that a client broke, as `rule: message`."""
        return self.api.violations

    def check(self) -> None:
        """Raise AssertionError, listing them, when rules were broken."""
        _check(self.violations)

    async def start(self) -> None:
        """Listen. Raises `OSError` when the port is taken or the log cannot be written."""
        self.journal.open()
        self._server = await asyncio.start_server(self._accept, HOST, self._port, limit=MAX_HEAD)
        self.url = f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening, cut what is still being answered, and wait until all is gone."""
        if self._server is not None:
            self._server.close()
        ending = dict(self._connections)
        for task, writer in ending.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None
        self.journal.close()

    async def __aenter__(self) -> "Rehearsal":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections[task] = writer
            task.add_done_callback(self._connections.pop)
        try:
            await self._converse(reader, writer)
        except (HungUp, ConnectionError):
            pass
        except asyncio.CancelledError:
            pass  # only close() cancels; Python 3.11's stream callback would log the cancellation as an error
        except BadHttp as error:
            writer.write(
                response_head(400, {"content-type": "text/plain", "connection": "close"}) + str(error).encode()
            )
        finally:
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        while (request := await read_request(reader, writer)) is not None:
            outcome, record = self._route(request)
            self.journal.write(request, outcome, record, self.violations)
            try:
                reusable = await line.send(outcome, body=request.method != "HEAD")
            except HungUp:
                if record is not None:
                    record.hung_up = True
                raise
            if not reusable or not request.keep_alive:
                return

    def _route(self, request: HttpRequest) -> tuple[Outcome, Recorded | None]:
        self.seen.append(f"{request.method} {request.path}")
        del self.seen[: -self._keep]
        match request.method, request.path.rstrip("/"):
            case "POST", "/v1/messages":
                return self.api.messages(request)
            case "POST", "/v1/messages/count_tokens":
                return self.api.count_tokens(request), None
            case "GET", "/v1/models":
                return self.api.list_models(request), None
            case "GET", path if path.startswith("/v1/models/"):
                return self.api.show_model(request, path.removeprefix("/v1/models/")), None
            case "GET" | "HEAD", "":
                return Outcome(200, {"content-type": "text/plain"}, (Event(b"rehearsal\n"),)), None
            case method, path:
                return self.api.no_route(method, path), None


class RehearsalThread:
    """The same server in a thread with its own event loop, for processes and tests that have none."""

    def __init__(
        self,
        script: Script | None = None,
        *,
        window: int | None = None,
        strict: bool = True,
        port: int = 0,
        log: Path | None = None,
        offline_model: bool = False,
        max_output: int | None = None,
        keep: int = 10_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._server = Rehearsal(
            script,
            window=window,
            strict=strict,
            port=port,
            log=log,
            offline_model=offline_model,
            max_output=max_output,
            keep=keep,
            clock=clock,
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where the server listens."""
        return self._server.url

    @property
    def api(self) -> MessagesApi:
        """The API behind the server."""
        return self._server.api

    @property
    def requests(self) -> list[Recorded]:
        """Every request to /v1/messages in order, the refused ones too."""
        return self._server.requests

    @property
    def seen(self) -> list[str]:
        """Every request of any kind, as `METHOD PATH`."""
        return self._server.seen

    @property
    def violations(self) -> list[str]:
        """Every rule that a client broke, as `rule: message`."""
        return self._server.violations

    def check(self) -> None:
        """Raise AssertionError, listing them, when rules were broken."""
        self._server.check()

    def start(self) -> None:
        """Listen. Raises `OSError` when the port is taken or the log cannot be written."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="rehearsal", daemon=True)
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result()
        except OSError:
            self._stop()
            raise

    def close(self) -> None:
        """Stop listening and wait for the thread."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._server.close(), self._loop).result()
            self._stop()

    def __enter__(self) -> "RehearsalThread":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _stop(self) -> None:
        if self._loop is None or self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = None


def _check(violations: list[str]) -> None:
    if violations:
        raise AssertionError("the client broke rules of the API:\n" + "\n".join(violations))
