"""Whether git, only reading, may start a program that the repository names: its config comes along with a copied folder."""

import os
import re
from pathlib import Path

from agent.files.regular import read_regular

CONFIG_LIMIT = 1024 * 1024  # bytes
INDEX_LIMIT = 64 * 1024 * 1024  # bytes
_GITLINK = b"\x00\x00\xe0\x00"  # the mode of a submodule's entry in the index

# What is known to start nothing while git reads; any other key may.
_HARMLESS = {
    "core": "abbrev autocrlf bare bigfilethreshold checkstat commentchar commitgraph compression editor eol filemode hidedotfiles"
    " ignorecase logallrefupdates longpaths multipackindex notesref precomposeunicode preloadindex protecthfs protectntfs quotepath"
    " repositoryformatversion safecrlf sparsecheckout sparsecheckoutcone sshcommand symlinks trustctime untrackedcache whitespace",
    "diff": "algorithm colormoved context ignoresubmodules mnemonicprefix noprefix renamelimit renames wserrorhighlight",
    "extensions": "compatobjectformat objectformat refstorage worktreeconfig",
    "remote": "fetch gh-resolved mirror prune push pushdefault pushurl tagopt url",
}
_HARMLESS_SECTIONS = frozenset(
    {"advice", "alias", "author", "branch", "color", "column", "commit", "committer", "credential", "feature", "fetch"}
    | {"gui", "http", "index", "init", "lfs", "log", "maintenance", "pull", "push", "rebase", "rerere", "status"}
    | {"submodule", "user"}
)
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"(?:\\.|[^"\\])*")?\s*\]\s*')
_KEY = re.compile(r"([a-z][\w-]*)\s*(?:=\s*(.*?))?\s*", re.IGNORECASE)
_SWITCH = frozenset({"", "0", "1", "false", "true", "no", "yes", "off", "on"})
_PLAIN_PATH = re.compile(r"[\w./ -]+")


def starts_nothing(cwd: Path, *, submodules: bool = True) -> bool:
    """Whether a git command that only reads surely starts no program named by the repository that `cwd` is in.

    Asked are its config, its hooks and, with `submodules`, whether it has some, whose configs git would obey too. False also without an
    ordinary `.git`: a bare repository may be among the files that somebody sent. Blocks: it reads small files.
    """
    folders = (cwd, *cwd.parents)
    found = [folder for folder in folders if os.path.lexists(folder / ".git")]
    if not found or any(os.path.lexists(folder / "HEAD") for folder in folders):
        return False
    return all(_is_harmless(folder, submodules) for folder in found)  # git passes over a broken one to the next above


def _is_harmless(work_tree: Path, submodules: bool) -> bool:
    dot_git = work_tree / ".git"
    own = dot_git if os.path.isdir(dot_git) else _pointed(dot_git, "gitdir:")
    if own is None:
        return False
    common = (_pointed(own / "commondir") or own) if os.path.lexists(own / "commondir") else own
    hooks = common / "hooks"
    for config in (common / "config", own / "config.worktree"):
        for section, key, value in _entries(config):
            if (section, key) == ("core", "hookspath") and _PLAIN_PATH.fullmatch(value):
                hooks = work_tree / value
            elif not _is_known(section, key, value):
                return False
    return not os.path.lexists(hooks / "post-index-change") and not (submodules and _may_have_submodules(own))


def _is_known(section: str, key: str, value: str) -> bool:
    if (section, key) == ("core", "fsmonitor"):
        return value.casefold() in _SWITCH
    return section in _HARMLESS_SECTIONS or key in _HARMLESS.get(section, "").split()


def _entries(config: Path) -> list[tuple[str, str, str]]:
    """Section, key and raw value of every line that may be an entry; a line that is not understood is an entry of section ""."""
    if not os.path.lexists(config):
        return []
    data = _bytes_of(config, CONFIG_LIMIT)
    if data is None:
        return [("", "", "")]
    entries = []
    section = ""
    for line in data.decode("utf-8-sig", "replace").split("\n"):  # the only line end that git knows
        rest = line.strip()
        if rest.endswith("\\"):  # the next line goes on with this value, whatever it looks like
            return [("", "", "")]
        while header := _SECTION.match(rest):
            section, rest = header[1].partition(".")[0].lower(), rest[header.end() :]
        if rest and rest[0] not in "#;":
            entry = _KEY.fullmatch(rest)
            entries.append((section, entry[1].lower(), entry[2] or "") if entry else ("", "", ""))
    return entries


def _may_have_submodules(own: Path) -> bool:
    if any(own.glob("sharedindex.*")):
        return True
    if not os.path.lexists(own / "index"):
        return False
    data = _bytes_of(own / "index", INDEX_LIMIT)
    if data is None:
        return True
    packed = data[4:8] > b"\0\0\0\3"  # from version 4 on entries stand at any byte; before, every mode at 4 modulo 8
    at = data.find(_GITLINK)
    while at >= 0 and not packed and at % 8 != 4:
        at = data.find(_GITLINK, at + 1)
    return at >= 0


def _pointed(file: Path, label: str = "") -> Path | None:
    """The folder that `file` names, from its own folder on; None when it cannot be read."""
    data = _bytes_of(file, CONFIG_LIMIT)
    text = data.decode("utf-8", "surrogateescape").strip() if data is not None else ""
    if not text.startswith(label) or "\0" in text:
        return None
    name = text[len(label) :].strip()
    return file.parent / name if name else None


def _bytes_of(path: Path, limit: int) -> bytes | None:
    """What is in a regular file; None for another kind, a larger one, and one that cannot be read."""
    try:
        return read_regular(path, limit)
    except OSError:
        return None
