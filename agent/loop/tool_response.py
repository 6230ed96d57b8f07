"""What PostToolUse hooks are told of a call's outcome: an object with the field names their scripts expect (reference section 5)."""

from typing import assert_never

from agent.protocol.blocks import ToolUse
from agent.protocol.details import CommandOutput, FileDiff, FileText, Matches, PlainText
from agent.protocol.tools import ToolOutput


def tool_response(call: ToolUse, output: ToolOutput) -> dict[str, object]:
    """The outcome of `call` as JSON data; `text` is always what the model reads."""
    details = output.details
    match details:
        case None | PlainText():
            return {"text": output.text}
        case FileText():
            file = {
                "filePath": details.path,
                "content": output.text,
                "numLines": details.lines,
                "startLine": details.first_line,
                "totalLines": details.total_lines,
            }
            return {"type": "text", "file": file, "filePath": details.path, "text": output.text}
        case FileDiff():
            return _written(call, details) | {"text": output.text}
        case CommandOutput():
            streams = {"stdout": details.output, "stderr": "", "interrupted": False, "isImage": False}
            return {**streams, "exitCode": details.exit_code, "text": output.text}
        case Matches():
            found = {"numFiles": details.files, "numMatches": details.hits, "truncated": details.truncated}
            return {**found, "filenames": list(details.lines), "text": output.text}
        case _:
            assert_never(details)


def _written(call: ToolUse, diff: FileDiff) -> dict[str, object]:
    patch = [
        {"oldStart": h.old_start, "oldLines": h.old_lines, "newStart": h.new_start, "newLines": h.new_lines}
        | {"lines": list(h.lines)}
        for h in diff.hunks
    ]
    said: dict[str, object] = {"filePath": diff.path, "success": True, "structuredPatch": patch}
    said["type"] = "create" if diff.created else "update"
    names = {"old_string": "oldString", "new_string": "newString", "content": "content", "replace_all": "replaceAll"}
    return said | {theirs: call.input[ours] for ours, theirs in names.items() if ours in call.input}
