"""Memory as the model reads it: one text, each file under its path."""

from agent.memory.memory_file import Kind, Memory, MemoryFile

_WHOSE: dict[Kind, str] = {
    "Managed": "set by whoever manages this machine",
    "User": "the user's own, for all projects",
    "Project": "this project's, shared with its team",
    "Local": "the user's own, for this project",
}
_HEAD = (
    "Standing instructions for this session follow, from broad to specific. Where they apply to the task they outrank your habits; "
    "where two disagree, the later and more specific one holds."
)


def render_memory(memory: Memory) -> str:
    """The text of the user message that carries memory; "" when there is none."""
    if not memory.files:
        return ""
    return "\n\n".join((_HEAD, *(render_file(file) for file in memory.files)))


def render_file(file: MemoryFile, scope: str = "") -> str:
    """One file under its path; `scope` says what it is for when that is not everything."""
    by = f", imported by {file.imported_by}" if file.imported_by else ""
    return f"Contents of {file.path} ({_WHOSE[file.kind]}{by}{f'; {scope}' if scope else ''}):\n\n{file.text}"
