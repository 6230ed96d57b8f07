"""How large a summary may be: what stands beside it in every later request, and the ceiling that the whole must stay under."""

from collections.abc import Sequence

from msgspec import Struct

from agent.compact.deps import CompactDeps
from agent.compact.keep_tail import Split, keep_nothing, keep_tail
from agent.compact.user_words import ledger_budget, user_words, words_budget
from agent.compact.validate import SMALL_HISTORY
from agent.protocol.errors import PromptTooLong, RequestTooLarge
from agent.protocol.messages import Message, user_message
from agent.protocol.meter import Tiers, scaled
from agent.transcript.entries import MessageEntry
from agent.transcript.view import screen_view

LEAST_SUMMARY = 2_000  # tokens, scaled down in small windows: with less room a compaction is not worth its price
OVERFLOW_SHARE = 0.75  # of the limit that the API named: what the compacted conversation should stay under
MOST_OF_LIMIT = 0.9  # and what it must stay under
OUR_WORDS = 250  # tokens of what we say around a summary, whatever the window


class Room(Struct, frozen=True):
    """Tokens: `floor` is what no compaction can shrink, `ceiling` what the compacted conversation must stay under.

    `words` are the person's own, which count as part of the floor, as do the tokens for the `names` in use.
    """

    floor: int
    ceiling: int
    words: str = ""
    names: int = 0

    @property
    def for_summary(self) -> int:
        """The most tokens that a summary may have."""
        return self.ceiling - self.floor

    @property
    def enough(self) -> bool:
        """Whether a useful summary fits."""
        return self.for_summary >= scaled(LEAST_SUMMARY, self.ceiling)


def ceilings(
    tiers: Tiers, *, must_fit: bool, overflow: PromptTooLong | RequestTooLarge | None = None
) -> tuple[int, ...]:
    """What a compacted conversation must stay under, in tokens: the threshold, and what may be tried where that cannot be.

    Where the next request cannot be sent as it is and too much of it cannot be shrunk, that is the blocking limit (in a tiny window).
    What the API has said of its limit counts too.
    """
    limit = overflow.limit if isinstance(overflow, PromptTooLong) else None
    least = min(tiers.threshold, round(OVERFLOW_SHARE * limit)) if limit else tiers.threshold
    last = min(tiers.blocking, round(MOST_OF_LIMIT * limit)) if limit else tiers.blocking
    return (least, last) if must_fit and last > least else (least,)


async def split_in_room(
    deps: CompactDeps, view: Sequence[MessageEntry], ceiling: int, *, mid_turn: bool
) -> tuple[Split, Room]:
    """The longest tail that the policy allows and that leaves room for a summary.

    A half of it, or none, when there is too little; at last without the request itself, where only that makes room.
    """
    policy, counter, context = deps.tail, deps.conversation.meter.counter, await deps.context()
    budget = policy.budget(ceiling, counter.messages(entry.message for entry in view))
    while True:
        split = keep_tail(view, mid_turn=mid_turn, budget=budget, count=counter.message)
        room = room_for_summary(deps, split, ceiling, context, names=policy.names(budget))
        if room.enough:
            return split, room
        if budget <= 0:
            return await _without_request(deps, view, ceiling, mid_turn=mid_turn) or (split, room)
        budget = budget // 2 if budget >= 2 * policy.least else 0


async def _without_request(
    deps: CompactDeps, view: Sequence[MessageEntry], ceiling: int, *, mid_turn: bool
) -> tuple[Split, Room] | None:
    """Nothing kept at all, if there would be room then."""
    split = keep_nothing(view, mid_turn=mid_turn)
    if split is None:
        return None
    room = room_for_summary(deps, split, ceiling, await deps.context())
    return (split, room) if room.enough else None


def room_for_summary(
    deps: CompactDeps, split: Split, ceiling: int, context: tuple[Message, ...], *, names: int = 0
) -> Room:
    """The room that `split` leaves under `ceiling`.

    Beside the summary stand system, tools, the `context` that providers give back, what is kept, the ledger and the `names` in use.
    """
    words = words_beside(deps, split, ceiling)
    beside: tuple[Message, ...] = (*context, *(entry.message for entry in split.kept), user_message(words))
    repairs = ledger_budget(ceiling) - deps.conversation.meter.counter.text(words)
    floor = deps.size(beside) + deps.metered(max(0, repairs) + names + OUR_WORDS)
    return Room(floor=floor, ceiling=ceiling, words=words, names=names)


async def can_shrink(deps: CompactDeps, ceiling: int, *, mid_turn: bool) -> bool:
    """Whether a compaction could bring the conversation under `ceiling`: it is allowed, something was answered, and there is room."""
    view = deps.conversation.view()
    if deps.disabled or not any(entry.message.role == "assistant" for entry in view):
        return False
    room = room_for_summary(deps, keep_tail(view, mid_turn=mid_turn), ceiling, await deps.context())
    return room.enough or await _without_request(deps, view, ceiling, mid_turn=mid_turn) is not None


def worth_a_summary(deps: CompactDeps, ceiling: int) -> bool:
    """Whether enough stands there already; else it is what is to come that is too much, and a summary would only cost."""
    estimate = deps.size([entry.message for entry in deps.conversation.view()])
    return max(deps.reading().used or 0, estimate) > deps.frame.overhead + scaled(SMALL_HISTORY, ceiling)


def words_beside(deps: CompactDeps, split: Split, ceiling: int, summary: str = "") -> str:
    """The person's words that must stand beside `summary`: those that it does not quote itself."""
    transcript = deps.conversation.transcript
    entries = screen_view(transcript.entries(), transcript.leaf)
    elsewhere = {entry.uuid for entry in split.kept}
    if split.kept_first:  # all earlier words stand already: as they are, or in the summary of an earlier compaction
        elsewhere = {entry.uuid for entry in entries} - {entry.uuid for entry in split.history}
    return user_words(
        entries,
        elsewhere,
        budget=words_budget(ceiling),
        tokenizer=deps.frame.tokenizer,
        summary=summary,
    )
