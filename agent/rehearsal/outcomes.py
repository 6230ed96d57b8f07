"""Answers as HTTP: messages as JSON or as a stream, faults, refusals."""

import msgspec

from agent.rehearsal.answer import Answer
from agent.rehearsal.delivery import Outcome
from agent.rehearsal.refusal import Refusal, error_body, error_type, status_of
from agent.rehearsal.replies import Fault, Weather
from agent.rehearsal.sse import Event, stream
from agent.rehearsal.wire import Json

JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
ALL_WORDS = 1_000_000


def message_outcome(message: Json, answer: Answer, weather: Weather, request_id: str, *, streamed: bool) -> Outcome:
    """A message, whole or as events. An error that a stream would tell on its way is the whole answer when it is whole."""
    named = {"request-id": request_id}
    if streamed:
        events = tuple(stream(message, list(answer.parts), weather.piece))
        return Outcome(200, STREAM | named, events, streamed=True, weather=weather)
    if weather.cut is not None and weather.cut.how == "error":
        error = Fault(status_of(weather.cut.error), error=weather.cut.error, message=weather.cut.message)
        return fault_outcome(error, Weather(), request_id)
    whole = Event(msgspec.json.encode(message), words=ALL_WORDS)
    return Outcome(200, JSON | named, (whole,), weather=weather)


def fault_outcome(fault: Fault, weather: Weather, request_id: str) -> Outcome:
    """A scripted fault: a proxy's page, or an error in the API's shape."""
    if fault.html is not None:
        headers = {"content-type": "text/html"} | fault.headers
        return Outcome(fault.status, headers, (Event(fault.html.encode()),), weather=weather)
    kind = fault.error or error_type(fault.status)
    body = error_body(kind, fault.message or kind.replace("_", " ").capitalize(), request_id, fault.code)
    headers = JSON | {"request-id": request_id} | fault.headers
    return Outcome(fault.status, headers, (Event(body),), weather=weather)


def refusal_outcome(refusal: Refusal, request_id: str) -> Outcome:
    """A refusal in the API's shape."""
    body = error_body(refusal.type, refusal.message, request_id, refusal.code)
    return Outcome(refusal.status, JSON | {"request-id": request_id}, (Event(body),))


def json_outcome(content: Json, request_id: str) -> Outcome:
    """Any other JSON answer."""
    return Outcome(200, JSON | {"request-id": request_id}, (Event(msgspec.json.encode(content)),))
