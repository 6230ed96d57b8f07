"""The limits that the window sets: they are nobody's fault, but they hold in every mode."""

from agent.rehearsal.prompt import Prompt
from agent.rehearsal.refusal import Refusal
from agent.rehearsal.wire import as_int


def room_for_answer(prompt: Prompt) -> int:
    """Tokens that the window leaves for the answer. Raises `Refusal` when the prompt does not fit."""
    window, used = prompt.model.window, prompt.tokens
    if used > window:
        raise Refusal("prompt.window", f"prompt is too long: {used} tokens > {window} maximum")
    asked = as_int(prompt.body.get("max_tokens")) or 0
    if not prompt.model.overflow and used + asked > window:
        raise Refusal(
            "prompt.output",
            f"input length and `max_tokens` exceed context limit: {used} + {asked} > {window}, decrease input length or "
            "`max_tokens` and try again",
        )
    return window - used
