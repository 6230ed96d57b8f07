"""The Messages API without its transport: a request in, an outcome out."""

from collections.abc import Callable, Iterable

import msgspec

from agent.rehearsal import models
from agent.rehearsal.answer import Answer, Ids, compose
from agent.rehearsal.body_json import decode
from agent.rehearsal.cache import CacheUse, PromptCache
from agent.rehearsal.delivery import Outcome
from agent.rehearsal.expectations import occasion, unmet
from agent.rehearsal.http1 import HttpRequest
from agent.rehearsal.improvise import improvise, working_directory
from agent.rehearsal.models import ModelSpec
from agent.rehearsal.prompt import Message, Prompt, is_thinking
from agent.rehearsal.recorded import Recorded, masked
from agent.rehearsal.refusal import Refusal, error_body, error_type
from agent.rehearsal.replies import Fault, Reply
from agent.rehearsal.rules.body import check_head, required_fields
from agent.rehearsal.rules.catalogue import RULES
from agent.rehearsal.rules.check import COUNTING, broken
from agent.rehearsal.rules.limits import room_for_answer
from agent.rehearsal.rules.messages import no_prefill
from agent.rehearsal.script import Script, filled
from agent.rehearsal.sse import Event, stream
from agent.rehearsal.streamed import Streamed
from agent.rehearsal.thinking import Checked, check, shown
from agent.rehearsal.wire import Json

JSON = {"content-type": "application/json"}
BINDING_BETA = "thinking-binding-controls-2026-08-01"


class Settings(msgspec.Struct, frozen=True):
    """How the API behaves: sizes in tokens, `strict` to refuse broken rules rather than only note them."""

    window: int | None = None
    max_output: int | None = None
    strict: bool = True
    offline_model: bool = False
    keep: int = 10_000


class MessagesApi:
    """One API with its script, its models, its memory of what it streamed, and its prompt cache."""

    def __init__(self, script: Script | None, settings: Settings, clock: Callable[[], float]) -> None:
        self.script = script
        self.settings = settings
        self.requests: list[Recorded] = []
        self.violations: list[str] = []
        self._models = models.table(settings.window, settings.max_output)
        self._clock = clock
        self._cache = PromptCache(clock)
        self._streamed = Streamed()
        self._ids = Ids()

    def messages(self, request: HttpRequest) -> tuple[Outcome, Recorded]:
        """Answer POST /v1/messages."""
        record = Recorded(request.path, masked(request.headers), {}, time=self._clock())
        self.requests.append(record)
        del self.requests[: -self.settings.keep]
        request_id = self._ids.make("req")
        try:
            outcome = self._answer(request, record, request_id)
        except Refusal as refusal:
            self._note(refusal)
            record.refused = refusal.message
            outcome = _refuse(refusal, request_id)
        record.status = outcome.status
        return outcome, record

    def count_tokens(self, request: HttpRequest) -> Outcome:
        """Answer POST /v1/messages/count_tokens."""
        request_id = self._ids.make("req")
        try:
            prompt = self._read(request, Recorded("", {}, {}))
            self._hold(broken(prompt, COUNTING))
            return _json({"input_tokens": shown(self._check(prompt).prompt).tokens}, request_id)
        except Refusal as refusal:
            self._note(refusal)
            return _refuse(refusal, request_id)

    def list_models(self) -> Outcome:
        """Answer GET /v1/models."""
        data = [models.info(spec) for spec in self._models.values() if spec.id not in models.DATED]
        ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]}
        return _json({"data": data, "has_more": False, **ends}, self._ids.make("req"))

    def show_model(self, name: str) -> Outcome:
        """Answer GET /v1/models/{name}."""
        request_id = self._ids.make("req")
        try:
            return _json(models.info(self._model(name)), request_id)
        except Refusal as refusal:
            return _refuse(refusal, request_id)

    def no_route(self, method: str, path: str) -> Outcome:
        """Answer anything else."""
        return _refuse(Refusal("", f"Not found: {method} {path}", status=404), self._ids.make("req"))

    def _answer(self, request: HttpRequest, record: Recorded, request_id: str) -> Outcome:
        prompt = self._read(request, record)
        self._hold(broken(prompt))
        checked = self._check(prompt)
        self._hold_if(not self._streamed.resumes_pause(prompt), lambda: no_prefill(prompt))
        visible = shown(checked.prompt)
        room = room_for_answer(visible)
        reply = self._choose(prompt)
        if reply.fault is not None:
            record.refused = reply.fault.message or f"status {reply.fault.status}"
            return _fault(reply, reply.fault, request_id)
        answer = compose(reply, checked, room, self._ids)
        usage = _usage(answer, self._cache.use(visible)) | reply.usage
        record.usage = usage
        self._streamed.remember(checked.prefix, answer.content, prompt.model.id, answer.stop_reason)
        message = self._message(answer, checked, usage)
        return _deliver(message, answer, reply, streamed=prompt.body.get("stream") is True, request_id=request_id)

    def _read(self, request: HttpRequest, record: Recorded) -> Prompt:
        check_head(request.headers)
        if request.too_big:
            raise Refusal("body.size", "Request exceeds the maximum size", status=413)
        body = decode(request.body)
        record.body = body
        required_fields(body)
        return Prompt(body, request.headers, self._model(str(body["model"])))

    def _model(self, name: str) -> ModelSpec:
        if name not in self._models:
            raise Refusal("model.unknown", f"model: {name}", status=404)
        return self._models[name]

    def _check(self, prompt: Prompt) -> Checked:
        self._hold_if(True, lambda: self._streamed.check(prompt))
        try:
            return check(prompt)
        except Refusal as refusal:
            self._hold([refusal])
            stripped = [
                Message(m.role, tuple(b for b in m.blocks if not is_thinking(b)), m.index) for m in prompt.messages
            ]
            return check(prompt.with_messages(stripped))

    def _hold(self, refusals: Iterable[Refusal]) -> None:
        """In strict mode the first broken rule is the answer; else all are noted and the request goes on."""
        for refusal in refusals:
            if self.settings.strict or not RULES[refusal.rule].breach:
                raise refusal
            self._note(refusal)

    def _hold_if(self, applies: bool, rule: Callable[[], None]) -> None:
        if not applies:
            return
        try:
            rule()
        except Refusal as refusal:
            self._hold([refusal])

    def _note(self, refusal: Refusal) -> None:
        if refusal.rule in RULES and RULES[refusal.rule].breach:
            self.violations.append(f"{refusal.rule}: {refusal.message}")

    def _choose(self, prompt: Prompt) -> Reply:
        chance = occasion(prompt)
        reply = self.script.take(chance) if self.script is not None else None
        if reply is not None and self.script is not None and self.script.fills:
            reply = filled(reply, working_directory(prompt))
        if reply is None and self.settings.offline_model:
            reply = improvise(prompt)
        if reply is None:
            told = f"the script has no reply left for request {len(self.requests)}: {chance.last_user[:200]!r}"
            raise Refusal("script.exhausted", told)
        for complaint in unmet(reply.expect, prompt):
            self._note(Refusal("script.expect", f"request {len(self.requests)}: {complaint}"))
        return reply

    def _message(self, answer: Answer, checked: Checked, usage: Json) -> Json:
        message: Json = {
            "id": self._ids.make("msg"),
            "type": "message",
            "role": "assistant",
            "model": checked.prompt.model.id,
            "content": answer.content,
            "stop_reason": answer.stop_reason,
            "stop_sequence": answer.stop_sequence,
            "usage": usage,
        }
        if BINDING_BETA in checked.prompt.betas:
            message["input_transformations"] = [drop.report() for drop in checked.drops]
        return message


def _usage(answer: Answer, cache: CacheUse) -> Json:
    return {
        "input_tokens": cache.fresh,
        "cache_creation_input_tokens": cache.write_5m + cache.write_1h,
        "cache_read_input_tokens": cache.read,
        "cache_creation": {"ephemeral_5m_input_tokens": cache.write_5m, "ephemeral_1h_input_tokens": cache.write_1h},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"thinking_tokens": answer.thinking_tokens},
        "service_tier": "standard",
    }


def _deliver(message: Json, answer: Answer, reply: Reply, *, streamed: bool, request_id: str) -> Outcome:
    if streamed:
        headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        events = tuple(stream(message, list(answer.parts), reply.weather.piece))
    else:
        headers, events = JSON, (Event(msgspec.json.encode(message), words=1_000_000),)
    return Outcome(200, headers | {"request-id": request_id}, events, streamed=streamed, weather=reply.weather)


def _fault(reply: Reply, fault: Fault, request_id: str) -> Outcome:
    if fault.html is not None:
        headers = {"content-type": "text/html"} | fault.headers
        return Outcome(fault.status, headers, (Event(fault.html.encode()),), weather=reply.weather)
    kind = fault.error or error_type(fault.status)
    body = error_body(kind, fault.message or kind.replace("_", " ").capitalize(), request_id, fault.code)
    return Outcome(
        fault.status, JSON | {"request-id": request_id} | fault.headers, (Event(body),), weather=reply.weather
    )


def _refuse(refusal: Refusal, request_id: str) -> Outcome:
    body = error_body(refusal.type, refusal.message, request_id, refusal.code)
    return Outcome(refusal.status, JSON | {"request-id": request_id}, (Event(body),))


def _json(content: Json, request_id: str) -> Outcome:
    return Outcome(200, JSON | {"request-id": request_id}, (Event(msgspec.json.encode(content)),))
