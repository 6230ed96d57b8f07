"""The person's own words, computed from the record and never by a model, to stand beside every summary."""

from collections.abc import Collection, Sequence

from agent.compact.keep_tail import is_request
from agent.tokens.features import estimate_text
from agent.transcript.entries import Entry, MessageEntry

BUDGET = 4_000  # tokens for all words together
ONE_MESSAGE = 800  # tokens; a longer message (a paste) is cut in the middle
MARK = 30  # tokens that mark a cut
HEADING = "What the user said, word for word, oldest first:"


def user_words(entries: Sequence[Entry], kept: Collection[str], *, budget: int, tokenizer: str) -> str:
    """Every request on the chain except the `kept` ones, newest given room first, as one text; empty when there is none.

    The newest may take all the room, the others ONE_MESSAGE each.
    """
    said = [
        entry.message.text.strip()
        for entry in entries
        if isinstance(entry, MessageEntry) and is_request(entry) and entry.uuid not in kept
    ]
    chosen: list[str] = []
    left = budget
    for text in reversed([text for text in said if text]):
        limit = max(left - MARK, 0) if not chosen else min(ONE_MESSAGE, max(left, 0))
        line = _quoted(_shortened(text, limit, tokenizer))
        left -= estimate_text(line, tokenizer)
        if left < 0 and chosen:
            break
        chosen.append(line)
    if not chosen:
        return ""
    omitted = len([text for text in said if text]) - len(chosen)
    older = [f"({omitted} older messages are in the earlier conversation's file.)"] if omitted else []
    return "\n".join([HEADING, *older, *reversed(chosen)])


def _quoted(text: str) -> str:
    return "- " + text.replace("\n", "\n  ")


def _shortened(text: str, limit: int, tokenizer: str) -> str:
    size = estimate_text(text, tokenizer)
    if size <= limit:
        return text
    keep = max(40, len(text) * limit // max(1, size) // 2)
    return (
        f"{text[:keep]}\n[… {len(text) - 2 * keep:,} characters in the earlier conversation's file …]\n{text[-keep:]}"
    )
