"""The models that the server knows: windows, largest outputs, capabilities and prices."""

import msgspec

from agent.rehearsal.wire import Json


class Price(msgspec.Struct, frozen=True):
    """US dollars per million tokens."""

    input: float
    output: float
    write_5m: float
    write_1h: float
    read: float


class ModelSpec(msgspec.Struct, frozen=True):
    """One model: tokens for sizes, `thinking` the accepted `thinking.type` values.

    `bound`: signed thinking is tied to the conversation before it ("preserved thinking").
    `keeps_thinking`: thinking of earlier turns stays in the context.
    `overflow`: input + max_tokens beyond the window is accepted and the answer stops there (Claude >= 4.5).
    """

    id: str
    name: str
    line: str
    price: Price
    window: int = 1_000_000
    max_output: int = 128_000
    thinking: tuple[str, ...] = ("adaptive", "disabled")
    efforts: tuple[str, ...] = ("low", "medium", "high", "xhigh", "max")
    bound: bool = False
    keeps_thinking: bool = True
    prefill: bool = False
    overflow: bool = True
    summarize: bool = True
    system_role: bool = False
    forced_tools: bool = True
    min_cache: int = 1_024
    media: int = 600
    long_price: Price | None = None
    long_from: int = 0
    created_at: str = "2026-01-01T00:00:00Z"

    def price_of(self, prompt_tokens: int) -> Price:
        """The price list for a prompt of this size (Haiku 5.5 has a second one above 100K)."""
        return self.long_price if self.long_price is not None and prompt_tokens > self.long_from else self.price


FABLE = Price(10, 50, 12.5, 20, 0.25)
FABLE_5 = Price(10, 50, 12.5, 20, 1.0)
OPUS_5_5 = Price(4, 20, 5, 8, 0.20)
OPUS = Price(5, 25, 6.25, 10, 0.50)
SONNET_5_5 = Price(2, 10, 2.5, 4, 0.10)
SONNET_5 = Price(2, 10, 2.5, 4, 0.20)
SONNET_4 = Price(3, 15, 3.75, 6, 0.30)
HAIKU_5_5 = Price(0.10, 0.50, 0.125, 0.20, 0.01)
HAIKU_5_5_LONG = Price(0.50, 2.50, 0.625, 1.0, 0.05)
HAIKU_4_5 = Price(1, 5, 1.25, 2, 0.10)
OPUS_4_1 = Price(15, 75, 18.75, 30, 1.50)

ALWAYS = ("adaptive",)
SWITCHED = ("adaptive", "disabled", "between_tools")
BOTH = ("adaptive", "enabled", "disabled")
MANUAL = ("enabled", "disabled")
OLD_EFFORTS = ("low", "medium", "high", "max")

MODELS: tuple[ModelSpec, ...] = (
    ModelSpec("claude-sonnet-5-5", "Claude Sonnet 5.5", "sonnet", SONNET_5_5, thinking=SWITCHED, bound=True),
    ModelSpec(
        "claude-opus-5-5",
        "Claude Opus 5.5",
        "opus",
        OPUS_5_5,
        thinking=ALWAYS,
        bound=True,
        system_role=True,
        forced_tools=False,
        min_cache=512,
    ),
    ModelSpec(
        "claude-haiku-5-5",
        "Claude Haiku 5.5",
        "haiku",
        HAIKU_5_5,
        thinking=SWITCHED,
        bound=True,
        long_price=HAIKU_5_5_LONG,
        long_from=100_000,
    ),
    ModelSpec(
        "claude-fable-5-2",
        "Claude Fable 5.2",
        "fable",
        FABLE,
        thinking=ALWAYS,
        bound=True,
        system_role=True,
        min_cache=512,
    ),
    ModelSpec(
        "claude-fable-5-1",
        "Claude Fable 5.1",
        "fable",
        FABLE,
        thinking=ALWAYS,
        bound=True,
        system_role=True,
        min_cache=512,
    ),
    ModelSpec("claude-fable-5", "Claude Fable 5", "fable", FABLE_5, system_role=True, min_cache=512),
    ModelSpec("claude-opus-5", "Claude Opus 5", "opus", OPUS, system_role=True, min_cache=512),
    ModelSpec("claude-sonnet-5", "Claude Sonnet 5", "sonnet", SONNET_5),
    ModelSpec("claude-opus-4-8", "Claude Opus 4.8", "opus", OPUS, system_role=True),
    ModelSpec("claude-opus-4-7", "Claude Opus 4.7", "opus", OPUS, min_cache=2_048),
    ModelSpec("claude-opus-4-6", "Claude Opus 4.6", "opus", OPUS, thinking=BOTH, efforts=OLD_EFFORTS, min_cache=4_096),
    ModelSpec("claude-sonnet-4-6", "Claude Sonnet 4.6", "sonnet", SONNET_4, thinking=BOTH, efforts=OLD_EFFORTS),
    ModelSpec(
        "claude-opus-4-5",
        "Claude Opus 4.5",
        "opus",
        OPUS,
        window=200_000,
        max_output=64_000,
        thinking=MANUAL,
        efforts=("low", "medium", "high"),
        prefill=True,
        summarize=False,
        min_cache=4_096,
        media=100,
    ),
    ModelSpec(
        "claude-sonnet-4-5",
        "Claude Sonnet 4.5",
        "sonnet",
        SONNET_4,
        window=200_000,
        max_output=64_000,
        thinking=MANUAL,
        efforts=(),
        keeps_thinking=False,
        prefill=True,
        summarize=False,
        media=100,
    ),
    ModelSpec(
        "claude-haiku-4-5",
        "Claude Haiku 4.5",
        "haiku",
        HAIKU_4_5,
        window=200_000,
        max_output=64_000,
        thinking=MANUAL,
        efforts=(),
        keeps_thinking=False,
        prefill=True,
        summarize=False,
        min_cache=4_096,
        media=100,
    ),
    ModelSpec(
        "claude-opus-4-1",
        "Claude Opus 4.1",
        "opus",
        OPUS_4_1,
        window=200_000,
        max_output=32_000,
        thinking=MANUAL,
        efforts=(),
        keeps_thinking=False,
        prefill=True,
        overflow=False,
        summarize=False,
        media=100,
    ),
)

DATED = {
    "claude-haiku-4-5-20251001": "claude-haiku-4-5",
    "claude-opus-4-5-20251101": "claude-opus-4-5",
    "claude-sonnet-4-5-20250929": "claude-sonnet-4-5",
    "claude-opus-4-1-20250805": "claude-opus-4-1",
}
"""Dated ids that name the same model."""


def table(window: int | None = None, max_output: int | None = None) -> dict[str, ModelSpec]:
    """Every model by id, with the window and the largest output (tokens) replaced where they are given."""
    specs = {}
    for spec in MODELS:
        sized = msgspec.structs.replace(spec, window=window or spec.window, max_output=max_output or spec.max_output)
        specs[spec.id] = sized
    return specs | {dated: msgspec.structs.replace(specs[plain], id=dated) for dated, plain in DATED.items()}


def info(spec: ModelSpec) -> Json:
    """A model as `GET /v1/models/{id}` shows it."""
    return {
        "type": "model",
        "id": spec.id,
        "display_name": spec.name,
        "line": spec.line,
        "lifecycle": "active",
        "created_at": spec.created_at,
        "deprecated_at": None,
        "retires_at": None,
        "max_input_tokens": spec.window,
        "max_tokens": spec.max_output,
        "allowed_fallback_models": [],
        "capabilities": _capabilities(spec),
    }


def _capabilities(spec: ModelSpec) -> Json:
    return {
        "batch": _has(True),
        "citations": _has(True),
        "code_execution": _has(False),
        "compaction": {"supported": spec.summarize, "summarize": _has(spec.summarize)},
        "context_management": {
            "supported": True,
            "clear_thinking_20251015": _has(True),
            "clear_tool_uses_20250919": _has(True),
            "compact_20260112": _has(spec.summarize),
        },
        "effort": {
            "supported": bool(spec.efforts),
            **{level: _has(level in spec.efforts) for level in ("low", "medium", "high", "xhigh", "max")},
        },
        "image_input": _has(True),
        "pdf_input": _has(True),
        "server_tools": {"supported": False, "web_search": _has(False), "code_execution": _has(False)},
        "structured_outputs": _has(True),
        "thinking": {
            "supported": True,
            "types": {
                name: _has(name in spec.thinking) for name in ("adaptive", "between_tools", "disabled", "enabled")
            },
        },
    }


def _has(supported: bool) -> Json:
    return {"supported": supported}
