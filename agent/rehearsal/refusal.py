"""What the server answers instead of a message: the API's error shape, and the rule that asked for it."""

import msgspec

from agent.rehearsal.wire import Json

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""The API's error type per HTTP status."""


class Refusal(Exception):
    """A request that is not answered with a message.

    `rule` names an entry of `rules.catalogue`; `code` becomes `error.details.error_code`.
    """

    def __init__(self, rule: str, message: str, *, status: int = 400, code: str | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.status = status
        self.type = error_type(status)
        self.code = code


def error_type(status: int) -> str:
    """The error type that goes with a status; any other 5xx is an `api_error`, any other 4xx a bad request."""
    return TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")


def status_of(error: str) -> int:
    """The status that goes with an error type; 500 for one that nobody knows."""
    return next((status for status, name in TYPES.items() if name == error), 500)


def error_object(error: str, message: str, code: str | None = None) -> Json:
    """`{"type", "message", "details"?}` as it stands in error bodies and in the stream's error event."""
    content: Json = {"type": error, "message": message}
    if code is not None:
        content["details"] = {"error_code": code}
    return content


def error_body(error: str, message: str, request_id: str, code: str | None = None) -> bytes:
    """A whole error body in the API's shape."""
    return msgspec.json.encode({"type": "error", "error": error_object(error, message, code), "request_id": request_id})
