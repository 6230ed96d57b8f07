"""The Messages API without its transport: a request in, an outcome out."""

import time
from collections.abc import Callable, Iterable

import msgspec

from agent.rehearsal import models
from agent.rehearsal.answer import Ids
from agent.rehearsal.body_json import decode
from agent.rehearsal.cache import PromptCache
from agent.rehearsal.delivery import Outcome
from agent.rehearsal.diagnosis import Diagnoses
from agent.rehearsal.expectations import occasion, unmet
from agent.rehearsal.http1 import HttpRequest
from agent.rehearsal.improvise import improvise, working_directory
from agent.rehearsal.models import ModelSpec
from agent.rehearsal.outcomes import fault_outcome, json_outcome, message_outcome, refusal_outcome
from agent.rehearsal.prompt import Message, Prompt, is_thinking
from agent.rehearsal.recorded import Recorded, masked
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.replies import Reply
from agent.rehearsal.report import Cost, session_of
from agent.rehearsal.rules.body import check_head, required_fields
from agent.rehearsal.rules.catalogue import RULES
from agent.rehearsal.rules.check import COUNTING, broken
from agent.rehearsal.rules.messages import no_prefill
from agent.rehearsal.sampling import Ready, Sampled, prepare, sample, visible
from agent.rehearsal.script import Script, filled
from agent.rehearsal.streamed import Streamed
from agent.rehearsal.thinking import Checked, check
from agent.rehearsal.wire import Json

BINDING_BETA = "thinking-binding-controls-2026-08-01"
WARMING = Reply(stop_reason="max_tokens")
"""The answer to a request for no tokens, which only fills the cache."""


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
        self._diagnoses = Diagnoses()
        self.costs: dict[str, Cost] = {}
        # Without a script, or with one from a file, people go on with a conversation against another server: its ids
        # must not come again. Tests, whose scripts are written in Python, want the same ids in every run.
        self._ids = Ids() if script is not None and not script.fills else Ids(time.time_ns())

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
            outcome = refusal_outcome(refusal, request_id)
        record.status = outcome.status
        return outcome, record

    def count_tokens(self, request: HttpRequest) -> Outcome:
        """Answer POST /v1/messages/count_tokens."""
        request_id = self._ids.make("req")
        try:
            prompt = self._read(request, Recorded("", {}, {}))
            self._hold(broken(prompt, COUNTING))
            checked = self._check(prompt)
            counted: Json = {"input_tokens": visible(checked)[0].tokens}
            if "context_management" in prompt.body:
                counted["context_management"] = {"original_input_tokens": checked.prompt.tokens}
            return json_outcome(counted, request_id)
        except Refusal as refusal:
            self._note(refusal)
            return refusal_outcome(refusal, request_id)

    def list_models(self, request: HttpRequest) -> Outcome:
        """Answer GET /v1/models."""
        data = [models.info(spec) for spec in self._models.values() if spec.id not in models.DATED]
        ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]}
        return self._show(request, lambda: {"data": data, "has_more": False, **ends})

    def show_model(self, request: HttpRequest, name: str) -> Outcome:
        """Answer GET /v1/models/{name}."""
        return self._show(request, lambda: models.info(self._model(name)))

    def _show(self, request: HttpRequest, content: Callable[[], Json]) -> Outcome:
        request_id = self._ids.make("req")
        try:
            check_head(request.headers)
            return json_outcome(content(), request_id)
        except Refusal as refusal:
            self._note(refusal)
            return refusal_outcome(refusal, request_id)

    def no_route(self, method: str, path: str) -> Outcome:
        """Answer anything else."""
        return refusal_outcome(Refusal("", f"Not found: {method} {path}", status=404), self._ids.make("req"))

    def _answer(self, request: HttpRequest, record: Recorded, request_id: str) -> Outcome:
        prompt = self._read(request, record)
        self._hold(broken(prompt))
        checked = self._check(prompt)
        self._hold_if(not self._streamed.resumes_pause(prompt), lambda: no_prefill(prompt))
        ready = prepare(checked)
        reply = WARMING if prompt.body.get("max_tokens") == 0 else self._choose(prompt)
        if reply.fault is not None:
            record.refused = reply.fault.message or f"status {reply.fault.status}"
            return fault_outcome(reply.fault, reply.weather, request_id)
        sampled = sample(ready, reply, self._cache, self._ids)
        message = self._message(sampled, ready)
        record.usage = sampled.usage
        self._remember(prompt, checked, sampled, str(message["id"]))
        streamed = prompt.body.get("stream") is True
        return message_outcome(message, sampled.answer, reply.weather, request_id, streamed=streamed)

    def _remember(self, prompt: Prompt, checked: Checked, sampled: Sampled, message_id: str) -> None:
        answer = sampled.answer
        self._streamed.remember(checked.walk, answer.content, prompt.model.id, answer.stop_reason)
        self._diagnoses.remember(message_id, prompt)
        self.costs.setdefault(session_of(prompt.body), Cost()).add(sampled.usage, prompt.model)

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
            rule = RULES[refusal.rule]
            if self.settings.strict or rule.needed or not rule.breach:
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

    def _message(self, sampled: Sampled, ready: Ready) -> Json:
        answer, prompt = sampled.answer, ready.checked.prompt
        message: Json = {
            "id": self._ids.make("msg"),
            "type": "message",
            "role": "assistant",
            "model": prompt.model.id,
            "content": answer.content,
            "stop_reason": answer.stop_reason,
            "stop_sequence": answer.stop_sequence,
            "usage": sampled.usage,
        }
        if BINDING_BETA in prompt.betas:
            message["input_transformations"] = [drop.report() for drop in ready.checked.drops]
        if "context_management" in prompt.body:
            message["context_management"] = {"applied_edits": list(ready.applied)}
        if "diagnostics" in prompt.body:
            message["diagnostics"] = self._diagnoses.diagnose(prompt)
        return message
