"""Exact counting for models whose encoding tiktoken knows, from a table that is already on this disk."""

# Importing this module imports tiktoken, so only `agent.tokens.choose` does, and only when it has found the table.

from functools import cache

import tiktoken

from agent.tokens.messages import CountText


@cache
def tiktoken_counter(encoding_name: str) -> CountText:
    """A counter for one of tiktoken's encodings; its table must be in tiktoken's own cache, else tiktoken would fetch it."""
    encoding = tiktoken.get_encoding(encoding_name)

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    return count
