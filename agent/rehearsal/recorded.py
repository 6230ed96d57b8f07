"""What the server remembers of each request, without the secrets."""

import msgspec

from agent.rehearsal.wire import Json

SECRET = ("x-api-key", "authorization", "proxy-authorization", "cookie")


class Recorded(msgspec.Struct):
    """One request to /v1/messages.

    `status` is 0 while it is being answered, `refused` the refusal's message, `usage` as sent, `time` in seconds since the epoch,
    `hung_up` says that the client left before the answer was over.
    """

    path: str
    headers: dict[str, str]
    body: Json
    status: int = 0
    refused: str | None = None
    usage: Json = {}
    time: float = 0.0
    hung_up: bool = False


def masked(headers: dict[str, str]) -> dict[str, str]:
    """The headers with their secrets masked."""
    return {name: "***" if name in SECRET else value for name, value in headers.items()}
