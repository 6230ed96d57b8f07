"""The names in use: the model's own, the fresh and frequent first, each told once."""

from agent.compact.ledger.names import names_in, names_in_use, unsaid
from tests.unit.compact.ledger_support import Story


def test_names_are_words_that_are_hard_to_say_otherwise() -> None:
    text = "see src/wire/frame.py: FrameReader.read_header() uses getFlags, not the plain word or 0x10, -v or __x__"
    assert names_in(text) == (
        "src/wire/frame.py",
        "FrameReader.read_header",
        "FrameReader",
        "read_header",
        "getFlags",
    )


def test_only_what_the_model_named_counts() -> None:
    story = Story().user("fix from_user").bash("grep -n from_call .", "from_result").answer("now I know from_words")
    assert set(names_in_use(story.entries)) == {"from_call", "from_words"}


def test_fresh_and_frequent_names_come_first_and_calls_before_words() -> None:
    story = Story().user("go").bash("grep old_name").bash("grep often_used")
    for _ in range(60):
        story.bash("ls")
    story.bash("grep often_used").answer("about said_name").bash("grep called_name")
    assert names_in_use(story.entries) == ("often_used", "called_name", "said_name", "old_name")


def test_names_of_one_weight_stand_in_the_order_they_were_said() -> None:
    names = tuple(f"name_{letter}" for letter in "qwertyuiop")
    assert names_in_use(Story().user("go").bash(f"grep -e {' -e '.join(names)} .").entries) == names


def test_nested_arguments_count_too() -> None:
    story = Story().user("go").call("MultiEdit", file_path="a/b.py", edits=[{"old_string": "one_name", "n": 3}])
    assert "one_name" in names_in_use(story.entries)


def test_what_stands_already_is_not_told_again() -> None:
    assert list(unsaid(["src/a_b.py", "a_b.py", "c_d"], "about c_d")) == ["src/a_b.py"]
