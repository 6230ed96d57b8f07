"""What went wrong with the API, in our own error tree and in words a person can use."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from msgspec import Struct

from agent.anthropic_api.fields import JsonObject, object_in, text_in
from agent.anthropic_api.too_long import find_excess
from agent.protocol.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    InvalidRequest,
    ModelError,
    NoSuchModel,
    Overloaded,
    PromptTooLong,
    RateLimited,
    RequestTooLarge,
    ServerFailed,
    ThinkingRefused,
)

QUOTE = 300  # characters of a server's own words that are shown
WORDS = 4000  # characters of them that are looked at

_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_PAGE = re.compile(r"^\s*<|<!doctype|<html|<head|<body", re.IGNORECASE)
_REFUSED_THINKING = re.compile(r"bound to a different conversation|invalid `?signature`? in `?thinking", re.IGNORECASE)
_CREDIT = "credit balance is too low"  # comes as 400


class Refusal(Struct, frozen=True):
    """A server's refusal: HTTP status (200 for an error inside a stream), error type, its own plain words.

    `retry_after` in seconds; `final` when the server says that another attempt would fail as well.
    """

    status: int
    type: str
    words: str
    retry_after: float | None = None
    final: bool = False


def read_refusal(status: int, body: object, headers: Mapping[str, str], now: datetime) -> Refusal:
    """The refusal in an answer: `body` is the decoded JSON, or text that was not JSON; HTML never becomes words."""
    kind, words = _read_body(body)
    return Refusal(status, kind, plain(words), retry_after(headers, now), headers.get("x-should-retry") == "false")


def to_error(refusal: Refusal, model: str) -> ModelError:
    """`refusal` in our tree. The error's type decides; where a gateway gives none that is known, the status does."""
    error = _classify(refusal, model)
    if refusal.final:
        error.retryable = False
    return error


def _classify(refusal: Refusal, model: str) -> ModelError:
    status = _status(refusal)
    excess = find_excess(f"{refusal.type} {refusal.words}") if status in (400, 413, 422, 500) else None
    if excess is not None:
        return PromptTooLong(_too_long(excess.used, excess.limit), used=excess.used, limit=excess.limit)
    if status == 400 and _REFUSED_THINKING.search(refusal.words):
        return ThinkingRefused(f"The API does not take earlier thinking{_quoted(refusal)}.")
    if status in (408, 409) or (status >= 500 and status != 529):
        failed = f"The API failed ({status}){_quoted(refusal)}."
        return ServerFailed(failed, retry_after=refusal.retry_after, do=_when(refusal))
    known = _KNOWN.get(status)
    if known is not None:
        return known(refusal, model)
    return InvalidRequest(f"The API refused the request ({status}){_quoted(refusal)}.")


def _status(refusal: Refusal) -> int:
    """The type decides, as an error in a stream has status 200; but of the ways a server fails the status says more."""
    told = _STATUS_OF_TYPE.get(refusal.type, refusal.status)
    return refusal.status if told == 500 and refusal.status > 500 else told


def unreachable(base_url: str, error: Exception) -> ConnectionFailed:
    """No connection, or none in time; names the host and the cause."""
    parts = urlsplit(base_url)
    port = f":{parts.port}" if parts.port else ""
    cause = plain(str(error.__cause__ or "")).rstrip(".") or "no answer"
    return ConnectionFailed(
        f"{parts.hostname}{port} could not be reached: {cause}.", do="Check the network and ANTHROPIC_BASE_URL."
    )


def profile_failed(error: Exception) -> AuthenticationFailed:
    """The SDK's own profile gave no credentials."""
    return AuthenticationFailed(
        f"The SDK's profile does not work: {plain(str(error)).rstrip('.')}.", do="Set ANTHROPIC_API_KEY."
    )


def refuse_other_types(headers: Mapping[str, str]) -> None:
    """Raises InvalidRequest when what answered says that it is no event stream: a login page, or another API."""
    kind = headers.get("content-type", "")
    if kind and "event-stream" not in kind:
        what = f"There is no Messages API at this address: it answered with {plain(kind)}."
        raise InvalidRequest(what, do="Check ANTHROPIC_BASE_URL.")


def plain(text: str) -> str:
    """A server's words on one line, printable and bounded, as far as an HTML page begins."""
    words = _PAGE.split(text[:WORDS], maxsplit=1)[0]
    return " ".join("".join(char if char.isprintable() else " " for char in words).split())


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); None when not said or past."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    if seconds is not None or not said:
        return seconds
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return None
    wait = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
    return wait.total_seconds() if wait.total_seconds() > 0 else None


def _bad_request(refusal: Refusal, _model: str) -> ModelError:
    if _CREDIT in refusal.words.lower():
        return _no_credit(refusal, _model)
    if "too much media" in refusal.words.lower():
        return RequestTooLarge(f"The API refused the request{_quoted(refusal)}.", do="Remove images or documents.")
    return InvalidRequest(f"The API refused the request{_quoted(refusal)}.")


def _no_access(refusal: Refusal, _model: str) -> ModelError:
    what = f"The API does not accept the credentials ({refusal.status}){_quoted(refusal)}."
    return AuthenticationFailed(what, do="Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.")


def _no_credit(refusal: Refusal, _model: str) -> ModelError:
    return AuthenticationFailed(
        f"The account cannot pay for the request ({refusal.status}){_quoted(refusal)}.",
        do="Add credit, then send again.",
    )


def _forbidden(refusal: Refusal, _model: str) -> ModelError:
    return AuthenticationFailed(f"The API denies access ({refusal.status}){_quoted(refusal)}.")


def _not_found(refusal: Refusal, model: str) -> ModelError:
    if refusal.type == "not_found_error" and (model in refusal.words or refusal.words.lower().startswith("model")):
        return NoSuchModel(f"The API does not know the model {model}.", do="Choose another with /model or --model.")
    return NoSuchModel("There is no Messages API at this address (404).", do="Check ANTHROPIC_BASE_URL.")


def _too_large(_refusal: Refusal, _model: str) -> ModelError:
    return RequestTooLarge("The request has more bytes than the API takes.", do="Remove images, or run /compact.")


def _rate_limited(refusal: Refusal, _model: str) -> ModelError:
    return RateLimited(f"Rate limited{_quoted(refusal)}.", retry_after=refusal.retry_after, do=_when(refusal))


def _overloaded(refusal: Refusal, _model: str) -> ModelError:
    return Overloaded("The API is overloaded.", retry_after=refusal.retry_after, do=_when(refusal))


_KNOWN: dict[int, Callable[[Refusal, str], ModelError]] = {
    400: _bad_request,
    401: _no_access,
    402: _no_credit,
    403: _forbidden,
    404: _not_found,
    413: _too_large,
    429: _rate_limited,
    529: _overloaded,
}


def _read_body(body: object) -> tuple[str, str]:
    if isinstance(body, str):
        return "", body
    if not isinstance(body, dict):
        return "", ""
    fields: JsonObject = body
    error = object_in(fields, "error")
    kind = text_in(error, "type")
    words = (
        text_in(error, "message") or text_in(fields, "error") or text_in(fields, "message") or text_in(fields, "detail")
    )
    return kind, words


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _when(refusal: Refusal) -> str:
    """What a person who is not waited for must know: the pause that the server asks for."""
    return "" if refusal.retry_after is None else f"Try again in {_span(refusal.retry_after)}."


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _quoted(refusal: Refusal) -> str:
    words = refusal.words if len(refusal.words) <= QUOTE else refusal.words[:QUOTE] + "…"
    return f": {words.rstrip('.')}" if words else ""


def _too_long(used: int | None, limit: int | None) -> str:
    if used is None or limit is None:
        return "The prompt is too long for the model."
    return f"The prompt is too long for the model: {used:,} of {limit:,} tokens."
