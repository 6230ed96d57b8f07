"""A block is counted once, for as long as it is part of the history."""

from agent.protocol.blocks import Text
from agent.protocol.messages import Message, user_message
from agent.tokens.counter import TokenCounter
from agent.tokens.messages import estimate_message


class CountedCalls:
    """A tokenizer that takes one token per character and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> int:
        self.asked.append(text)
        return len(text)


def test_the_memory_changes_no_number() -> None:
    messages = [user_message(f"Look at file {n} and tell me what it does.") for n in range(20)]
    counter = TokenCounter("v4.8")
    expected = sum(estimate_message(message, "v4.8") for message in messages)
    assert counter.messages(messages) == counter.messages(messages) == expected


def test_a_turn_counts_only_what_is_new() -> None:
    calls = CountedCalls()
    counter = TokenCounter(count_text=calls)
    history = [user_message(f"message {n}") for n in range(50)]
    counter.messages(history)
    calls.asked.clear()
    counter.messages([*history, user_message("the new one")])
    assert calls.asked == ["the new one"]


def test_the_same_block_in_another_message_is_known() -> None:
    calls = CountedCalls()
    counter = TokenCounter(count_text=calls)
    block = Text(text="shared")
    counter.message(Message(role="user", blocks=(block,)))
    counter.message(Message(role="user", blocks=(block, Text(text="more"))))
    assert calls.asked == ["shared", "more"]


def test_an_equal_text_in_a_new_block_is_never_mistaken_for_a_dead_one() -> None:
    counter = TokenCounter(count_text=len)
    # Short-lived blocks would share addresses if the counter did not keep them alive.
    sizes = [counter.block(Text(text="x" * n)) for n in range(500)]
    assert sizes == [n + 5 for n in range(500)]


def test_a_rewritten_history_lets_go_of_what_is_gone() -> None:
    calls = CountedCalls()
    counter = TokenCounter(count_text=calls)
    kept, gone = user_message("kept"), user_message("gone")
    counter.messages([kept, gone])
    counter.forget_others([kept])
    calls.asked.clear()
    counter.messages([kept, gone])
    assert calls.asked == ["gone"]
