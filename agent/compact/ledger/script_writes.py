"""Files that a script given to an interpreter writes, as far as its words tell."""

import re
from collections.abc import Iterator

_INTERPRETER = re.compile(r"(?:^|[\s;&|(])(?:python[\d.]*|perl|ruby|node|php)(?=\s|$)[^;&|\n]*$")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)(?:\n\s*\2\s*(?=\n|\Z)|\Z)", re.DOTALL)
_INLINE = re.compile(r"(?:python[\d.]*|perl|ruby|node|php)\s+(?:-\w+\s+)*-[cer]\s+(['\"])(.*?)(?<!\\)\1", re.DOTALL)

_TEXT = r"(?:['\"](?P<path>[^'\"\n]+)['\"]|(?P<name>\w+))"
_OPENED = re.compile(rf"\bopen\(\s*{_TEXT}\s*,\s*(?:mode\s*=\s*)?['\"][wax]")
_SAVED = re.compile(
    rf"\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|File\.write|file_put_contents|to_csv|to_json)\(\s*{_TEXT}"
)
_PATHS = re.compile(rf"\b(?:Path|Pathname|PosixPath)\(\s*{_TEXT}")
_METHODS = re.compile(r"\.write_(?:text|bytes)\(|\.open\(\s*['\"][wax]")
_ASSIGNED = re.compile(r"\b(\w+)\s*=\s*['\"]([^'\"\n]*[./][^'\"\n]*)['\"]")


def scripts_in(command: str) -> Iterator[str]:
    """The scripts that `command` hands to an interpreter, by heredoc or as an argument."""
    for found in _HEREDOC.finditer(command):
        if _INTERPRETER.search(command[: found.start()].rpartition("\n")[2]):
            yield found[3]
    for found in _INLINE.finditer(command):
        yield found[2].replace("\\'", "'").replace('\\"', '"')


def written_by(script: str) -> Iterator[str]:
    """Paths that `script` opens for writing, given as text or as a name for a text."""
    texts = dict(_ASSIGNED.findall(script))
    patterns = [_OPENED, _SAVED, *([_PATHS] if _METHODS.search(script) else [])]
    for pattern in patterns:
        for found in pattern.finditer(script):
            path = found["path"] or texts.get(found["name"], "")
            if path:
                yield path
