"""Refusals in our own tree and in plain words."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.anthropic_api.errors import read_refusal, retry_after, to_error
from agent.anthropic_api.secrets import mask
from agent.anthropic_api.too_long import Excess, find_excess
from agent.protocol.errors import (
    AuthenticationFailed,
    InvalidRequest,
    ModelError,
    NoSuchModel,
    Overloaded,
    PromptTooLong,
    RateLimited,
    RequestTooLarge,
    ServerFailed,
)

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
PAGE = "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


def _error(status: int, body: object = None, headers: dict[str, str] | None = None) -> ModelError:
    return to_error(read_refusal(status, body, headers or {}, NOW), "some-model")


def _body(kind: str, message: str) -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


@pytest.mark.parametrize(
    ("message", "excess"),
    [
        ("upstream says: " + "x" * 500 + " prompt is too long: 7 tokens > 5 maximum", Excess(7, 5)),
        ("prompt is too long: 208310 tokens > 200000 maximum", Excess(208310, 200000)),
        (
            "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length",
            Excess(242959, 200000),
        ),
        ("input length and max_tokens exceed context limit: 178959 + 32000 > 204648", Excess(210959, 204648)),
        ("Input is too long for requested model.", Excess()),
        ("capability_rejected: prompt_too_long", Excess()),
        ("litellm.ContextWindowExceededError: too much", Excess()),
        ("prompt token count of 130000 exceeds the limit of 128000", Excess(130000, 128000)),
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages)",
            Excess(5000, 4096),
        ),
        (
            "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
            Excess(5000, 4096),
        ),
        ("the request exceeds the available context size. try increasing the context size", Excess()),
    ],
)
def test_every_shape_of_too_long_is_recognised(message: str, excess: Excess) -> None:
    assert find_excess(message) == excess
    error = _error(400, _body("invalid_request_error", message))
    assert isinstance(error, PromptTooLong)
    assert (error.used, error.limit) == (excess.used, excess.limit)


def test_too_long_names_the_numbers() -> None:
    error = _error(400, _body("invalid_request_error", "prompt is too long: 21500 tokens > 20000 maximum"))
    assert error.line == "The prompt is too long for the model: 21,500 of 20,000 tokens."


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens: 64000 > 32000, which is the maximum",
        "messages.0: image 12 exceeds the limit of 5 MB",
        "too long a name",
    ],
)
def test_other_refusals_are_not_too_long(message: str) -> None:
    error = _error(400, _body("invalid_request_error", message))
    assert type(error) is InvalidRequest
    assert message in error.what


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, _body("invalid_request_error", "Too much media: 0 document pages + 102 images > 100"), RequestTooLarge),
        (400, _body("invalid_request_error", "Your credit balance is too low"), AuthenticationFailed),
        (401, _body("authentication_error", "invalid x-api-key"), AuthenticationFailed),
        (402, _body("billing_error", "pay"), AuthenticationFailed),
        (403, _body("permission_error", "no"), AuthenticationFailed),
        (403, PAGE, AuthenticationFailed),
        (404, _body("not_found_error", "model: some-model"), NoSuchModel),
        (404, PAGE, NoSuchModel),
        (408, None, ServerFailed),
        (409, None, ServerFailed),
        (413, PAGE, RequestTooLarge),
        (413, _body("request_too_large", "Request exceeds the maximum size"), RequestTooLarge),
        (418, None, InvalidRequest),
        (422, {"detail": "unprocessable"}, InvalidRequest),
        (429, _body("rate_limit_error", "slow down"), RateLimited),
        (500, _body("api_error", "oops"), ServerFailed),
        (502, PAGE, ServerFailed),
        (503, "", ServerFailed),
        (504, PAGE, ServerFailed),
        (529, _body("overloaded_error", "Overloaded"), Overloaded),
        (529, PAGE, Overloaded),
        (200, _body("overloaded_error", "Overloaded"), Overloaded),
        (200, _body("api_error", "Internal server error"), ServerFailed),
        (200, _body("rate_limit_error", "slow down"), RateLimited),
        (500, {"error": "litellm.ContextWindowExceededError: too long"}, PromptTooLong),
    ],
)
def test_status_and_type_find_their_place(status: int, body: object, kind: type[ModelError]) -> None:
    error = _error(status, body)
    assert type(error) is kind
    assert "<" not in error.line
    assert "\n" not in error.line


def test_unknown_model_is_named() -> None:
    assert "some-model" in _error(404, _body("not_found_error", "model: some-model")).what
    assert "ANTHROPIC_BASE_URL" in _error(404, PAGE).do
    assert "ANTHROPIC_BASE_URL" in _error(404, _body("not_found_error", "Not found: POST /v1/v1/messages")).do


@pytest.mark.parametrize("body", [{"error": "plain words"}, {"message": "plain words"}, "plain words\x1b[31m\n"])
def test_words_of_other_servers_are_quoted_on_one_line(body: object) -> None:
    line = _error(400, body).line
    assert "plain words" in line
    assert "\x1b" not in line
    assert "\n" not in line


@pytest.mark.parametrize(
    "page", [PAGE, f"upstream said: {PAGE}", "bad gateway <HTML><b>x</b>", " \n<center>x</center>"]
)
def test_no_page_reaches_a_person(page: str) -> None:
    for body in (page, {"error": {"message": page}}):
        assert "<" not in _error(400, body).line


def test_long_words_are_shortened() -> None:
    assert len(_error(400, _body("invalid_request_error", "x" * 5000)).line) < 400


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:00 GMT"}, 60.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_pause_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_pause_as_a_date_follows_the_clock() -> None:
    assert retry_after({"retry-after": "Mon, 30 Nov 2026 12:01:00 GMT"}, NOW + timedelta(seconds=50)) == 10.0


def test_rate_limit_says_when_to_come_back() -> None:
    error = _error(429, _body("rate_limit_error", "quota."), {"retry-after": "3600"})
    assert isinstance(error, RateLimited)
    assert error.retry_after == 3600
    assert error.line == "Rate limited: quota. Try again in 60 min."


@pytest.mark.parametrize(
    ("status", "body", "line"),
    [
        (529, _body("overloaded_error", "x"), "The API is overloaded. Try again in 90 min."),
        (503, PAGE, "The API failed (503). Try again in 90 min."),
        (503, _body("api_error", "busy"), "The API failed (503): busy. Try again in 90 min."),
        (429, "", "Rate limited. Try again in 90 min."),
    ],
)
def test_a_long_pause_is_told_whatever_asked_for_it(status: int, body: object, line: str) -> None:
    assert _error(status, body, {"retry-after": "5400"}).line == line


def test_keys_are_masked() -> None:
    text = "bad key sk-ant-abc123456789 or hunter2secret, but not none"
    assert mask(text, ("hunter2secret", "none")) == "bad key [key] or [key], but not none"
