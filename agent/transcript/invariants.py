"""The one gate before every send: a history as the API's rules want it, repaired where it is not, and every repair named."""

from collections.abc import Iterator, Sequence

from agent.protocol.blocks import Block, Opaque, Text, ToolResult
from agent.protocol.messages import Message, Role
from agent.transcript.blocks import answered_id, call_id
from agent.transcript.clean import Cleaner, Repair, without_trailing_thinking

UNANSWERED = (
    "[No result was recorded: the call was interrupted. It may or may not have run; check before repeating it.]"
)
BEGINNING = "[The conversation before this point is not shown.]"


def repair(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """`messages` made legal by the rules of the API, and one plain line for each kind of repair; a legal history comes back as it is.

    The user speaks first; neighbours of one role are one message; every call is answered once, in the next message, before anything
    else is said there; nothing is blank; no answer ends in thinking. Blocks keep their bytes or go whole. Pure, linear, idempotent.
    """
    history = _History()
    for message in messages:
        history.add(message)
    history.close_exchange()
    return tuple(turn.message() for turn in history.turns), tuple(history.notices())


class _Turn:
    """A message under construction; as long as its blocks are those of `source`, it is that very message."""

    def __init__(self, role: Role, blocks: Sequence[Block], source: Message | None = None) -> None:
        self.role = role
        self.blocks = list(blocks)
        self._source = source

    def message(self) -> Message:
        blocks = tuple(self.blocks)
        return (
            self._source if self._source is not None and self._source.blocks == blocks else Message(self.role, blocks)
        )


class _History:
    """The legal turns so far, and one exchange in the making: an answer, its calls, and what was said after it."""

    def __init__(self) -> None:
        self.turns: list[_Turn] = []
        self._cleaner = Cleaner()
        self._repairs = self._cleaner.repairs
        self._answer: _Turn | None = None
        self._calls: dict[str, Block | None] = {}
        self._after: list[_Turn] = []

    def add(self, message: Message) -> None:
        blocks = self._cleaner.clean(message)
        if message.role == "assistant":
            self._add_answer(message, blocks)
        else:
            self._add_words(message, blocks)

    def _add_answer(self, message: Message, blocks: tuple[Block, ...]) -> None:
        if not blocks:
            return
        if self._answer is None or self._after:
            self.close_exchange()
            self._answer = _Turn("assistant", blocks, message)
        else:
            self._answer.blocks += blocks
        self._calls |= {call: None for block in blocks if (call := call_id(block))}

    def _add_words(self, message: Message, blocks: tuple[Block, ...]) -> None:
        rest = tuple(block for block in blocks if not answered_id(block))
        taken = [self._take(block) for block in blocks if answered_id(block)]
        if rest or any(taken):
            self._after.append(_Turn(message.role, rest, message))

    def _take(self, result: Block) -> bool:
        """Whether `result` answers an open call."""
        name = answered_id(result)
        if name not in self._calls or self._calls[name] is not None:
            self._repairs[Repair.STRAY] += 1
            return False
        self._calls[name] = result
        return True

    def close_exchange(self) -> None:
        """Moves the exchange in the making to the legal turns."""
        if self._answer is not None:
            self._close_answer(self._answer)
        words = self._after
        results = list(self._results())
        if results or (not self.turns and words):
            words = self._user_first(words)
            words[0].blocks = results + words[0].blocks
        for turn in words:
            self._push(turn)
        self._answer, self._calls, self._after = None, {}, []

    def _close_answer(self, answer: _Turn) -> None:
        spoken = without_trailing_thinking(answer.blocks)
        self._repairs[Repair.PARTIAL] += len(answer.blocks) - len(spoken)
        answer.blocks = spoken
        if not spoken:
            return
        if not self.turns and not _is_compaction(spoken[0]):
            self._repairs[Repair.BEGINNING] += 1
            self.turns.append(_Turn("user", [Text(text=BEGINNING)]))
        self._push(answer)

    def _results(self) -> Iterator[Block]:
        for call, result in self._calls.items():
            self._repairs[Repair.UNANSWERED] += result is None
            yield ToolResult(tool_use_id=call, content=UNANSWERED, is_error=True) if result is None else result

    def _user_first(self, words: list[_Turn]) -> list[_Turn]:
        """`words` with a user's turn before any system message, a new one if there is none."""
        first = next((turn for turn in words if turn.role == "user"), None)
        if first is not None:
            return [first, *(turn for turn in words if turn is not first)]
        return [_Turn("user", [] if self._calls else [Text(text=BEGINNING)]), *words]

    def _push(self, turn: _Turn) -> None:
        if self.turns and self.turns[-1].role == turn.role and turn.role != "system":
            self.turns[-1].blocks += turn.blocks
        elif turn.blocks:
            self.turns.append(turn)

    def notices(self) -> Iterator[str]:
        for kind in Repair:
            if self._repairs[kind]:
                yield kind.said(self._repairs[kind])


def _is_compaction(block: Block) -> bool:
    """A server-side compaction block stands for what was said before it, so it may come first."""
    return isinstance(block, Opaque) and block.kind == "compaction"
