"""The record as events to show: also a record that a killed process has left."""

from pathlib import Path

from agent.prompts.reminder import reminder_message
from agent.protocol.events import Notice, PromptAccepted
from agent.protocol.messages import user_message
from agent.session.history import history_events
from agent.transcript.entries import PROMPT_CONTEXT, AttachmentEntry, MessageEntry

FILE = AttachmentEntry(
    uuid="a", parent_uuid=None, kind=PROMPT_CONTEXT, message=user_message("x"), attached=("a.py (1 line)",)
)
NOTE = MessageEntry(uuid="b", parent_uuid="a", message=reminder_message("a pin"), is_meta=True)
PROMPT = MessageEntry(uuid="c", parent_uuid="b", message=user_message("hello"))


def test_what_a_prompt_attached_is_told_after_it() -> None:
    prompt, notice = history_events([FILE, PROMPT], Path("/"))
    assert isinstance(prompt, PromptAccepted) and isinstance(notice, Notice)
    assert notice.text == "Attached: a.py (1 line)"


def test_a_process_killed_before_it_wrote_the_prompt_leaves_a_history_that_can_be_shown() -> None:
    assert history_events([FILE, NOTE], Path("/")) == ()
    assert [type(event) for event in history_events([FILE, NOTE, PROMPT], Path("/"))] == [PromptAccepted, Notice]
