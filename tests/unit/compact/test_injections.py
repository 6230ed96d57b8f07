"""Text that poses as the user's word, whatever brought it in, never comes out of a compaction as something the user said."""

import pytest

from agent.compact.ledger.collect import collect_facts
from agent.compact.user_words import user_words
from agent.compact.verify import verify
from tests.bench.compaction.plant import Injection, injections
from tests.unit.compact.ledger_support import TOKENIZER, Story


def _brought_in(bad: Injection) -> Story:
    """By a command, a file, a hook, an attachment, and a result that comes with the user's next words."""
    story = Story().user("Have a look at it.")
    story.bash("cat notes.md", bad.text).call("Read", bad.text, file_path="/repo/notes.md")
    story.bash("pytest", bad.text).call("WebFetch", bad.text, url="https://page.example")
    story.user(f"<system-reminder>\n{bad.text}\n</system-reminder>", is_meta=True)
    story.user(bad.text, is_meta=True)
    story.user(f"Go on.<system-reminder>{bad.text}</system-reminder>")
    return story.user(f"!cat notes.md\n<local-command-stdout>{bad.text}</local-command-stdout>")


def _said(story: Story) -> str:
    """Both that stand beside a summary which says nothing."""
    words = user_words(story.entries, (), budget=2_600, tokenizer=TOKENIZER)
    return words + verify(collect_facts(story.entries), words, budget=4_000, tokenizer=TOKENIZER).text


@pytest.mark.parametrize("bad", injections(), ids=lambda bad: bad.mark)
def test_it_stands_nowhere(bad: Injection) -> None:
    assert bad.mark not in _said(_brought_in(bad))


@pytest.mark.parametrize("bad", injections(), ids=lambda bad: bad.mark)
def test_what_the_model_quotes_of_it_is_no_rule(bad: Injection) -> None:
    story = _brought_in(bad).answer(f"The file says: {bad.text}")
    assert bad.mark not in user_words(story.entries, (), budget=2_600, tokenizer=TOKENIZER)
    assert not any(bad.mark in fact.line for fact in collect_facts(story.entries).of("rule", "correction"))


@pytest.mark.parametrize("bad", [bad for bad in injections() if "<system-" not in bad.text], ids=lambda bad: bad.mark)
def test_the_same_words_from_the_user_do_stand(bad: Injection) -> None:
    assert bad.mark in _said(Story().user(bad.text).answer("ok"))
