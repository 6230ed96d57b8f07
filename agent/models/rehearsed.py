"""Which answers the rehearsal gave: nothing is paid for them, whatever model they name."""

import re

_NUMBERED = re.compile(r"msg_01\d{22}")  # the API's own ids are of letters too


def is_rehearsed(message_id: str) -> bool:
    """Whether the answer with this id came from the rehearsal, which numbers its ids."""
    return _NUMBERED.fullmatch(message_id) is not None
