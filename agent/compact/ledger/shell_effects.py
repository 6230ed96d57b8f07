"""What a shell command did to files and to the world, as far as its words tell."""

import re
import shlex
from collections.abc import Iterator

from msgspec import Struct

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1(.*?)\n.*?(?:\n\s*\2\s*(?=\n|\Z)|\Z)", re.DOTALL)
_OPERATORS = ("&&", "||", ";", "|", "&", "\n")
_READERS = frozenset({"cat", "head", "tail", "nl", "less", "more", "sed", "bat", "wc", "diff"})
_FILE = re.compile(r"(?=.*[./])[\w./@+-]*\w[\w./@+-]*")
_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})

_ALWAYS = frozenset(
    {"mkdir", "rm", "rmdir", "mv", "cp", "ln", "chmod", "chown", "tee", "truncate", "patch", "kill", "pkill", "dd"}
    | {"createdb", "dropdb", "crontab", "rsync", "scp", "unzip", "systemctl", "service", "alembic", "terraform", "helm"}
)
_SUBCOMMANDS = {
    "git": "add am apply branch checkout cherry-pick clean clone commit init merge mv pull push rebase reset restore revert rm stash"
    " submodule switch tag worktree",
    "pip": "install uninstall",
    "pip3": "install uninstall",
    "uv": "add pip remove sync venv",
    "poetry": "add install remove update",
    "conda": "create install remove update",
    "npm": "ci i install link publish uninstall update",
    "yarn": "add install remove upgrade",
    "pnpm": "add install i remove update",
    "cargo": "add install new init remove update",
    "go": "get install mod",
    "apt": "install remove upgrade",
    "apt-get": "install remove upgrade",
    "brew": "install uninstall upgrade",
    "gem": "install uninstall",
    "docker": "build compose exec kill pull push restart rm rmi run start stop",
    "docker-compose": "down restart start stop up",
    "kubectl": "apply create delete patch rollout scale set",
    "make": "install deploy migrate clean",
    "redis-cli": "DEL FLUSHALL FLUSHDB SET",
    "gh": "issue pr release repo",
}
_ANYWHERE = re.compile(
    r"\b(?:migrate|makemigrations|createsuperuser|loaddata|db:\w+|setup\.py (?:install|develop)|-m venv|"
    r"(?:insert into|update \w+ set|delete from|drop|alter|create) (?:table|database|index)|curl .*(?:-X ?(?:POST|PUT|DELETE|PATCH)|-d ))\b",
    re.IGNORECASE,
)


class Effects(Struct, frozen=True):
    """Paths as the command names them; `changes` are the parts of the command that changed something."""

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def effects(command: str) -> Effects:
    """What `command` read, wrote, removed and changed; a guess from its words, made without running anything."""
    read: list[str] = []
    written: list[str] = []
    removed: list[str] = []
    changes: list[str] = []
    for words in _pieces(_HEREDOC.sub(r"\3\n", command)):
        plain, targets = _redirects(words)
        written += targets
        if not plain:
            continue
        name, operands = plain[0].rpartition("/")[2], [word for word in plain[1:] if _FILE.fullmatch(word)]
        if name == "rm" or plain[:2] == ["git", "rm"]:
            removed += operands
        elif name in ("tee", "touch") or (name == "sed" and any(word.startswith(("-i", "--in")) for word in plain)):
            written += operands
        elif name in ("mv", "cp") or plain[:2] == ["git", "mv"]:
            written += operands[-1:]
            removed += [] if name == "cp" else operands[:-1]
        elif name in _READERS:
            read += operands
        if targets or _changes(plain):
            changes.append(" ".join(words))
    return Effects(_unique(read), _unique(written), _unique(removed), _unique(changes))


def _changes(words: list[str]) -> bool:
    name = words[0].rpartition("/")[2]
    if name in ("sudo", "env", "time") and len(words) > 1:
        return _changes(words[1:])
    if name in _ALWAYS or (name == "sed" and any(word.startswith("-i") for word in words)):
        return True
    subcommand = next((word for word in words[1:] if not word.startswith("-")), "")
    return subcommand in _SUBCOMMANDS.get(name, "").split() or _ANYWHERE.search(" ".join(words)) is not None


def _redirects(words: list[str]) -> tuple[list[str], list[str]]:
    """The words without redirections, and the files written by them."""
    plain: list[str] = []
    targets: list[str] = []
    rest = iter(words)
    for word in rest:
        if (word.rstrip(">").isdecimal() and word.endswith(">")) or word in (">", ">>", "&>", ">|"):
            target = next(rest, "")
            if target and target not in _NOWHERE and not target.startswith("&"):
                targets.append(target)
        elif word == "<":
            next(rest, "")
        else:
            plain.append(word)
    return plain, targets


def _pieces(command: str) -> Iterator[list[str]]:
    """The words of each simple command; what cannot be split is taken as words between spaces."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=";&|<>\n")
    lexer.whitespace = " \t\r"
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = command.split()
    piece: list[str] = []
    for token in tokens:
        if token.strip(";&|\n") == "" and token not in ("&>",):
            if piece:
                yield piece
            piece = []
        else:
            piece.append(token)
    if piece:
        yield piece


def _unique(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if len(name) <= 300))
