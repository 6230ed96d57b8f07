"""The public door of the engine: open a session, and the words a face needs to follow it."""

from agent.compact.report import receipt_line
from agent.context.meter_text import meter_text
from agent.context.reading_record import reading_record
from agent.session.complete import Completion
from agent.session.open import Options, open_session
from agent.session.session import Session, Status
from agent.session.slash import is_slash
from agent.settings.flags import Flags

__all__ = [
    "Completion",
    "Flags",
    "Options",
    "Session",
    "Status",
    "is_slash",
    "meter_text",
    "open_session",
    "reading_record",
    "receipt_line",
]
