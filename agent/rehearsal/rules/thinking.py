"""Rules for the thinking parameter and the effort, per model."""

from agent.rehearsal.prompt import Prompt, is_thinking, opens_turn
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import as_int, as_object, as_text, kind

FIELDS = {
    "adaptive": {"type", "display", "block_binding"},
    "enabled": {"type", "display", "budget_tokens", "block_binding"},
    "disabled": {"type"},
    "between_tools": {"type", "block_binding"},
}
DISPLAYS = (None, "summarized", "omitted", "updates")
BEHAVIOURS = (None, "error", "drop_block")
MIN_BUDGET = 1_024
BINDING_BETA = "thinking-binding-controls-2026-08-01"


def config(prompt: Prompt) -> None:
    """The type is one that the model accepts, with the fields of that type."""
    if "thinking" not in prompt.body:
        return
    given = prompt.thinking
    name = as_text(given.get("type"))
    if name not in FIELDS:
        raise Refusal("thinking.config", "thinking: Input tag does not match any of the expected tags")
    if name not in prompt.model.thinking:
        raise Refusal("thinking.config", f'"thinking.type.{name}" is not supported for this model.')
    for field in given:
        if field not in FIELDS[name]:
            raise Refusal("thinking.config", f"thinking.{name}.{field}: Extra inputs are not permitted")
    if given.get("display") not in DISPLAYS:
        raise Refusal("thinking.config", f"thinking.{name}.display: Input should be 'summarized' or 'omitted'")
    _binding(prompt, name)


def _binding(prompt: Prompt, name: str) -> None:
    given = prompt.thinking.get("block_binding")
    if given is None:
        return
    where = f"thinking.{name}.block_binding"
    if BINDING_BETA not in prompt.betas:
        raise Refusal("thinking.config", f"{where}: Extra inputs are not permitted")
    if as_object(given).get("prefix_mismatch_behavior") not in BEHAVIOURS:
        raise Refusal("thinking.config", f"{where}.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'")


def budget(prompt: Prompt) -> None:
    """Manual thinking has a budget below max_tokens."""
    if prompt.thinking.get("type") != "enabled":
        return
    tokens = as_int(prompt.thinking.get("budget_tokens"))
    if tokens is None:
        raise Refusal("thinking.budget", "thinking.enabled.budget_tokens: Field required")
    if tokens < MIN_BUDGET:
        raise Refusal(
            "thinking.budget",
            f"thinking.enabled.budget_tokens: Input should be greater than or equal to {MIN_BUDGET}",
        )
    if tokens >= (as_int(prompt.body.get("max_tokens")) or 0):
        raise Refusal("thinking.budget", "`max_tokens` must be greater than `thinking.budget_tokens`.")


def effort(prompt: Prompt) -> None:
    """The effort is one of the model's."""
    level = as_object(prompt.body.get("output_config")).get("effort")
    if level is not None and level not in prompt.model.efforts:
        raise Refusal("thinking.effort", f"output_config.effort: '{level}' is not supported for this model.")


def expected(prompt: Prompt) -> None:
    """Manual thinking: within a tool loop, the assistant's first message starts with thinking."""
    if prompt.thinking.get("type") != "enabled":
        return
    start = max((message.index for message in prompt.messages if opens_turn(message)), default=-1)
    loop = [message for message in prompt.messages if message.index > start and message.role == "assistant"]
    if loop and loop[0].blocks and not is_thinking(loop[0].blocks[0]):
        raise Refusal(
            "thinking.expected",
            f"messages.{loop[0].index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{kind(loop[0].blocks[0])}`. When `thinking` is enabled, a final `assistant` message must start with a "
            "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
        )
