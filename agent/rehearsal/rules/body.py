"""Rules for the headers and the top level of a request."""

import re

from agent.rehearsal.prompt import Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import Json, as_int, as_list, as_object, as_text

FIELDS = frozenset(
    [
        "model",
        "messages",
        "max_tokens",
        "stream",
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "stop_sequences",
        "metadata",
        "cache_control",
        "output_config",
        "service_tier",
        "diagnostics",
        "container",
        "inference_geo",
        "speed",
    ]
)
SAMPLING = ("temperature", "top_p", "top_k")
REMOVED_SINCE = "2026-10-21"

BETA_FIELDS = {
    "compaction": ("compact-2026-09-04",),
    "context_management": ("context-management-2025-06-27", "compact-2026-01-12"),
}
"""Fields that exist only under one of these beta headers."""

MAX_USER_ID = 256
VERSION = re.compile(r"20\d\d-[01]\d-[0-3]\d\Z")


def check_head(headers: dict[str, str]) -> None:
    """The headers that every request needs. Raises `Refusal`."""
    if not headers.get("x-api-key") and not headers.get("authorization", "").removeprefix("Bearer").strip():
        raise Refusal("key.missing", "x-api-key header is required", status=401)
    version = headers.get("anthropic-version", "")
    if not version:
        raise Refusal("version.missing", "anthropic-version: header is required")
    if not VERSION.match(version):
        raise Refusal("version.missing", f'anthropic-version: "{version}" is not a valid version')


def required_fields(body: Json) -> None:
    """What must be there before anything else can be looked at. Raises `Refusal`."""
    for field in ("model", "messages"):
        if field not in body:
            raise Refusal("body.field", f"{field}: Field required")
    if not isinstance(body["model"], str):
        raise Refusal("body.field", "model: Input should be a valid string")
    if not isinstance(body["messages"], list):
        raise Refusal("body.field", "messages: Input should be a valid list")
    for index, message in enumerate(body["messages"]):
        if not isinstance(message, dict):
            raise Refusal("body.field", f"messages.{index}: Input should be an object")
        if not isinstance(message.get("content"), str | list):
            raise Refusal("body.field", f"messages.{index}.content: Input should be a valid list")


def field_types(prompt: Prompt) -> None:
    """The types of the other top-level fields."""
    body = prompt.body
    if not isinstance(body.get("stream", False), bool):
        raise Refusal("body.field", "stream: Input should be a valid boolean")
    if not isinstance(body.get("system", ""), str | list):
        raise Refusal("body.field", "system: Input should be a valid list")
    if not isinstance(body.get("tools", []), list):
        raise Refusal("body.field", "tools: Input should be a valid list")


def unknown_fields(prompt: Prompt) -> None:
    """A field nobody knows, or one whose beta header is missing."""
    for field in prompt.body:
        betas = BETA_FIELDS.get(field, ())
        known = field in FIELDS or bool(prompt.betas.intersection(betas))
        if not known and field not in SAMPLING:
            raise Refusal("body.unknown", f"{field}: Extra inputs are not permitted")


def sampling(prompt: Prompt) -> None:
    """Sampling parameters, which are gone under the current version and on the current models."""
    if prompt.version < REMOVED_SINCE and not prompt.model.bound:
        return
    for field in SAMPLING:
        if field in prompt.body:
            raise Refusal("body.sampling", f"{field}: Extra inputs are not permitted")


def max_tokens(prompt: Prompt) -> None:
    """`max_tokens`: a whole number up to the model's largest output."""
    if "max_tokens" not in prompt.body:
        raise Refusal("body.field", "max_tokens: Field required")
    value = as_int(prompt.body["max_tokens"])
    if value is None:
        raise Refusal("body.field", "max_tokens: Input should be a valid integer")
    if value < 0 or (value == 0 and not _warms(prompt)):
        raise Refusal("body.field", "max_tokens: Input should be greater than or equal to 1")
    cap = prompt.model.max_output
    if value > cap:
        raise Refusal(
            "max_tokens.cap",
            f"max_tokens: {value} > {cap}, which is the maximum allowed number of output tokens for {prompt.model.id}",
        )


def metadata(prompt: Prompt) -> None:
    """`metadata`: an opaque user id, not too long, and nothing else."""
    given = prompt.body.get("metadata", {})
    if not isinstance(given, dict):
        raise Refusal("body.metadata", "metadata: Input should be an object")
    for field in given:
        if field != "user_id":
            raise Refusal("body.metadata", f"metadata.{field}: Extra inputs are not permitted")
    name = given.get("user_id")
    if name is not None and (not isinstance(name, str) or len(name) > MAX_USER_ID):
        raise Refusal("body.metadata", f"metadata.user_id: String should have at most {MAX_USER_ID} characters")


def _warms(prompt: Prompt) -> bool:
    """Whether a request for no tokens at all is allowed: it only fills the cache."""
    forced = as_object(prompt.body.get("tool_choice")).get("type") in ("any", "tool")
    formatted = as_object(prompt.body.get("output_config")).get("format") is not None
    return prompt.body.get("stream") is not True and not forced and not formatted


def stop_sequences(prompt: Prompt) -> None:
    """Stop sequences: strings with something in them."""
    value = prompt.body.get("stop_sequences", [])
    if not isinstance(value, list):
        raise Refusal("body.stop", "stop_sequences: Input should be a valid list")
    for sequence in as_list(value):
        if not as_text(sequence).strip():
            raise Refusal("body.stop", "stop_sequences: each stop sequence must contain non-whitespace")
