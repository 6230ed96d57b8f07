"""The forecast of a tail: told from what the model has just used, and from nothing when it has used too little."""

from agent.compact.keep_tail import Split, keep_tail
from agent.compact.tail_forecast import Reach, reach
from agent.protocol.messages import Message
from agent.tokens.messages import estimate_message
from tests.unit.compact.ledger_support import Story


def _count(message: Message) -> int:
    return estimate_message(message, "v4.8")


def _reach(story: Story, tail: int, names: int) -> Reach | None:
    split = keep_tail(story.entries, budget=tail, count=_count)
    return reach(story.entries, split, names, _count)


def _story() -> Story:
    """Six names are found early, then a long walk elsewhere, then all six are used again."""
    story = Story().user("go").bash("grep -rn def .", " ".join(f"found_name_{n}" for n in range(6)))
    story.bash("edit called_name_0 called_name_1")
    for n in range(30):
        story.bash(f"cat other_{n}", "some words " * 40)
    for n in range(6):
        story.bash(f"sed found_name_{n} called_name_{n % 2}")
    for _ in range(4):
        story.bash("ls")
    return story


def test_without_a_tail_only_the_names_in_use_reach_back() -> None:
    assert _reach(_story(), 0, 0) == Reach(8, 0)
    assert _reach(_story(), 0, 2_000) == Reach(8, 2)


def test_a_tail_that_reaches_them_has_them_all() -> None:
    story = _story()
    whole = Split(tuple(story.entries), tuple(story.entries))
    assert reach(story.entries, whole, 0, _count) == Reach(8, 8)


def test_nothing_is_told_of_short_conversations() -> None:
    assert _reach(Story().user("go").bash("cat a_b c_d e_f g_h i_j"), 500, 500) is None
