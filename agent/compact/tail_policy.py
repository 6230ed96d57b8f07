"""How much recent history stands word for word after a compaction."""

from msgspec import Struct


class TailPolicy(Struct, frozen=True):
    """The kept tail has at most `most` tokens: a tiny window keeps little, a short conversation is still summarised.

    It takes at most one part in `of_ceiling` of what the compacted conversation may come to, and one in `of_history` of what there is.
    Less than `least` is not worth a second way of telling: then nothing is kept. Half as much, but no more than `most_names`, goes to
    the names that the model works with: they reach further back than any tail that is worth its price.
    """

    least: int = 500
    most: int = 16_000
    most_names: int = 2_000
    of_ceiling: int = 8
    of_history: int = 4

    def budget(self, ceiling: int, history: int) -> int:
        """Tokens for the tail of `history` tokens when the whole must stay under `ceiling`."""
        tokens = min(self.most, ceiling // self.of_ceiling, history // self.of_history)
        return tokens if tokens >= self.least else 0

    def names(self, budget: int) -> int:
        """Tokens for the names in use beside a tail of `budget` tokens."""
        return min(self.most_names, budget // 2)


TAIL = TailPolicy()
"""Chosen on real sessions: docs/compaction_benchmark.md."""
