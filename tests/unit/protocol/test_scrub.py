"""Text from outside becomes text that UTF-8 can carry."""

import pytest

from agent.protocol.text import scrub, scrub_json


@pytest.mark.parametrize(
    ("given", "clean"),
    [("plain é 🙂", "plain é 🙂"), ("a\ud800b", "a\ufffdb"), ("\ud83d\ude42", "🙂"), ("caf\udce9", "caf\ufffd")],
)
def test_lone_surrogates_become_one_replacement_character(given: str, clean: str) -> None:
    assert scrub(given) == clean
    scrub(given).encode()


def test_escapes_in_json_are_scrubbed_too() -> None:
    assert scrub_json(r'{"a": "x\ud800y", "b": "\ud83d\ude42"}') == '{"a": "x\ufffdy", "b": "🙂"}'
    with pytest.raises(ValueError):
        scrub_json("{no json")
