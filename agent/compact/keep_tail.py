"""What is summarised and what stands verbatim after the summary: the request that is still unanswered, and the latest rounds."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from agent.compact.pin_notes import is_pin_note
from agent.context.edits import has_thinking
from agent.models.table import lookup
from agent.protocol.messages import Message
from agent.transcript.cuts import ALL_RULES, STRUCTURE, legal_cuts
from agent.transcript.cuts.media import with_its_answer
from agent.transcript.entries import MessageEntry
from agent.transcript.rounds import group_rounds


class Split(Struct, frozen=True):
    """`history` is what a summary is made of, `kept` what follows it word for word, or precedes it if `kept_first`.

    `resumes` when work on a kept request goes on; `cuts_request` when the request itself is only in the summary and among the person's words.
    What is kept may be part of `history` too: the summariser reads all that the API has cached.
    """

    history: tuple[MessageEntry, ...]
    kept: tuple[MessageEntry, ...]
    resumes: bool = False
    kept_first: bool = False
    cuts_request: bool = False

    @property
    def replaced(self) -> int:
        """How many messages the summary stands for."""
        kept = {entry.uuid for entry in self.kept}
        return sum(1 for entry in self.history if entry.uuid not in kept)


def keep_tail(
    view: Sequence[MessageEntry],
    *,
    mid_turn: bool = False,
    budget: int = 0,
    count: Callable[[Message], int] = lambda message: 0,
) -> Split:
    """Splits `view`; `mid_turn` says that an answer is being worked on and the loop goes on after the compaction.

    Always kept is what the person said and nobody answered; in the middle of a turn the request being worked on, and what was said after
    the last answer. Before that stand as many of the latest rounds as fit `budget` tokens by `count`; never the first round, so that
    something is left to summarise.
    """
    unanswered = _unanswered(view)
    answered = view[: len(view) - len(unanswered)]
    asked = any(is_request(entry) for entry in unanswered)
    if not (asked or mid_turn):  # what nobody typed stands only behind a tail
        budget -= sum(count(entry.message) for entry in unanswered)
    recent = _latest_rounds(answered, budget, count) if budget > 0 else ()
    if mid_turn and not asked:
        request = _last_request(view)
        before = (request,) if request is not None and request not in recent else ()
        return Split(tuple(answered), without_pin_notes((*before, *recent, *unanswered)), resumes=True)
    if asked or recent:
        return Split(tuple(answered), without_pin_notes((*recent, *unanswered)))
    return Split(tuple(view), ())


def keep_nothing(view: Sequence[MessageEntry], *, mid_turn: bool = False) -> Split | None:
    """The split for a request that is too large to stand beside a summary: the person's words quote it, cut in the middle.

    None when nothing of it would be gained, or in the middle of a turn nobody has begun to answer it: then it had better be given back.
    """
    unanswered = any(is_request(entry) for entry in _unanswered(view))
    if mid_turn == unanswered:
        return None
    return Split(tuple(view), (), resumes=mid_turn, cuts_request=True)


def without_pin_notes(kept: Iterable[MessageEntry]) -> tuple[MessageEntry, ...]:
    """`kept` but for what tells of pins: those in force are told anew."""
    return tuple(entry for entry in kept if not is_pin_note(entry))


def is_request(entry: MessageEntry) -> bool:
    """Whether a person typed this message."""
    return (
        entry.message.role == "user"
        and not entry.is_meta
        and not entry.is_compact_summary
        and not entry.is_sidechain
        and not entry.message.tool_results
    )


def loses_thinking(entry: MessageEntry) -> bool:
    """Whether `entry` is sent without its thinking once a summary stands before it.

    Bound thinking is refused there, and a part of a loop's thinking is no unbroken run. Models that think by a budget want it whole in
    their latest loop: there nothing is taken, and the loop is not parted.
    """
    return has_thinking(entry.message) and lookup(entry.model).thinking == "adaptive"


def _latest_rounds(
    view: Sequence[MessageEntry], budget: int, count: Callable[[Message], int]
) -> tuple[MessageEntry, ...]:
    """The latest whole rounds within `budget`, without what an earlier compaction put in: that is made anew."""
    put_in = _put_in(view)
    recent: list[MessageEntry] = []
    for part in reversed(_rounds(view)[1:]):
        entries = [entry for entry in view[part.start : part.stop] if entry.uuid not in put_in]
        budget -= sum(count(entry.message) for entry in entries)
        if budget < 0:
            break
        recent[:0] = entries
    return tuple(recent)


def _rounds(view: Sequence[MessageEntry]) -> list[range]:
    """Rounds that may be parted here: thinking that is not lost stays with the loop it belongs to."""
    messages = [entry.message for entry in view]
    lost = any(loses_thinking(entry) for entry in view)
    cuts = legal_cuts(messages, (*STRUCTURE, with_its_answer) if lost else ALL_RULES)
    rounds: list[range] = []
    for part in group_rounds(messages):
        if rounds and part.start not in cuts:
            rounds[-1] = range(rounds[-1].start, part.stop)
        else:
            rounds.append(part)
    return rounds


def _put_in(view: Sequence[MessageEntry]) -> set[str]:
    """The latest summary, and what hangs on it that nobody typed."""
    found: set[str] = set()
    for entry in view:
        if entry.is_compact_summary or (entry.is_meta and entry.parent_uuid in found):
            found.add(entry.uuid)
    return found


def _unanswered(view: Sequence[MessageEntry]) -> tuple[MessageEntry, ...]:
    """The user's messages at the end that answer no call."""
    return tuple(_until_answer(view))[::-1]


def _until_answer(view: Sequence[MessageEntry]) -> Iterator[MessageEntry]:
    for entry in reversed(view):
        if entry.message.role == "assistant" or entry.message.tool_results:
            return
        yield entry


def _last_request(view: Sequence[MessageEntry]) -> MessageEntry | None:
    return next((entry for entry in reversed(view) if is_request(entry)), None)
