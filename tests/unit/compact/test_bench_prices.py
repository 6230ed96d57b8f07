"""The benchmark's cash desk: what is read from the cache, what is written, and what a changed prefix costs."""

from agent.models.prices import cost
from agent.protocol.messages import Message, Usage, user_message
from tests.bench.compaction.prices import LOOK_BACK, MODEL, OVERHEAD, Sizes, Till


def _messages(count: int) -> list[Message]:
    return [user_message(f"message {number} " + "word " * 200) for number in range(count)]


def _charged(till: Till, messages: list[Message]) -> float:
    before = till.bill.context
    till.answer(messages, 0)
    return till.bill.context - before


def _price(*, read: int = 0, written: int = 0) -> float:
    return cost(MODEL, Usage(cache_read=read, cache_creation=written)) or 0.0


def test_what_was_sent_is_read_and_what_is_new_is_written() -> None:
    sizes, messages = Sizes(), _messages(3)
    till = Till(sizes)
    first = sizes.of(messages[0]) + sizes.of(messages[1])
    assert abs(_charged(till, messages[:2]) - _price(written=OVERHEAD + first)) < 1e-9
    assert abs(_charged(till, messages) - _price(read=OVERHEAD + first, written=sizes.of(messages[2]))) < 1e-9


def test_a_change_at_the_beginning_writes_all_messages_again() -> None:
    sizes, messages = Sizes(), _messages(4)
    till = Till(sizes)
    _charged(till, messages)
    changed = [user_message("changed"), *messages[1:]]
    rest = sum(sizes.of(message) for message in changed)
    assert abs(_charged(till, changed) - _price(read=OVERHEAD, written=rest)) < 1e-9


def test_a_prefix_further_back_than_the_api_looks_is_lost() -> None:
    sizes, messages = Sizes(), _messages(LOOK_BACK + 5)
    near, far = Till(sizes), Till(sizes)
    _charged(near, messages[:10])
    _charged(far, messages[:2])
    assert _charged(near, messages) < _charged(far, messages)


def test_a_summary_is_waited_for() -> None:
    till = Till(Sizes())
    till.summary(_messages(2), 1_000, 800)
    assert till.bill.waited > 10
    assert till.bill.answers == 0
