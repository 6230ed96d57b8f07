"""One line that names a call, from its recorded input alone."""

from agent.protocol.blocks import ToolUse

_TELLING = ("command", "file_path", "pattern", "path")
MAX_TITLE = 200  # characters


def title_of(call: ToolUse) -> str:
    """`Bash npm test`, `Read src/x.py`: the tool and the argument that tells most."""
    for key in _TELLING:
        value = call.input.get(key)
        if isinstance(value, str) and value:
            return f"{call.name} {' '.join(value.split())}"[:MAX_TITLE]
    return call.name
