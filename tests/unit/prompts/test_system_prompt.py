"""The system prompt: one fixed text, replaced or added to as asked."""

import re

from agent.prompts.system import system_prompt


def test_words_are_the_same_every_time_and_hold_nothing_volatile() -> None:
    assert system_prompt() == system_prompt()
    (words,) = system_prompt()
    assert "ccagent" in words
    assert not re.search(r"\b20\d\d\b|/home/|\{", words)
    assert words.isascii()


def test_own_words_replace_and_appended_words_follow() -> None:
    (words,) = system_prompt()
    assert system_prompt("Only this.") == ("Only this.",)
    assert system_prompt(None, "And that.") == (words, "And that.")
    assert system_prompt("Only this.", "And that.") == ("Only this.", "And that.")


def test_blank_texts_are_left_out() -> None:
    assert system_prompt("", "  ") == ()


def test_every_tool_is_named() -> None:
    (words,) = system_prompt()
    named = set(re.findall(r"\b(Read|Edit|Write|Grep|Glob|Bash)\b", words))
    assert named == {"Read", "Edit", "Write", "Grep", "Glob", "Bash"}
