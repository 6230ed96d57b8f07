"""How much a model thinks: adaptive where it can, a budget where it must, else not at all."""

from agent.models.capabilities import ModelInfo
from agent.protocol.model import Thinking, ThinkingAdaptive, ThinkingBudget, ThinkingOff

MIN_BUDGET = 1_024  # the API's lower bound


def thinking_for(info: ModelInfo, budget: int | None) -> Thinking:
    """`budget` is MAX_THINKING_TOKENS: 0 switches thinking off, models with adaptive thinking ignore any other value."""
    if budget == 0 or info.thinking == "none":
        return ThinkingOff()
    if info.thinking == "adaptive":
        return ThinkingAdaptive()
    return ThinkingBudget(max(MIN_BUDGET, budget)) if budget else ThinkingOff()
