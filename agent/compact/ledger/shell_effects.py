"""What a shell command did to files and to the world, as far as its words tell."""

import re
import shlex
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from agent.compact.ledger.script_writes import scripts_in, written_by

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1(.*?)\n.*?(?:\n\s*\2\s*(?=\n|\Z)|\Z)", re.DOTALL)
_READERS = frozenset({"cat", "head", "tail", "nl", "less", "more", "sed", "bat", "wc", "diff"})
_FILE = re.compile(r"(?=.*[./])[\w./@+-]*\w[\w./@+-]*")
_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})

_ALWAYS = frozenset(
    {"mkdir", "rm", "rmdir", "mv", "cp", "ln", "chmod", "chown", "tee", "truncate", "patch", "kill", "pkill", "dd"}
    | {
        "createdb",
        "dropdb",
        "crontab",
        "rsync",
        "install",
        "scp",
        "unzip",
        "systemctl",
        "service",
        "alembic",
        "terraform",
        "helm",
    }
)
_EDITORS = frozenset({"sed", "perl", "ruby", "awk", "gawk"})  # they change files in place when told so
_FORMATTERS = frozenset(
    {
        "black",
        "isort",
        "autopep8",
        "yapf",
        "ruff",
        "prettier",
        "eslint",
        "gofmt",
        "goimports",
        "rustfmt",
        "clang-format",
        "shfmt",
    }
)
_ONLY_LOOKS = frozenset({"--check", "--diff", "--list-different", "-l", "-d", "--dry-run"})
_LAST_IS_WRITTEN = frozenset({"mv", "cp", "install", "ln", "rsync", "scp"})
_PATCHED = re.compile(r"^\+\+\+ (?:b/)?(?P<path>[^\t\n]+)", re.MULTILINE)
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
    """Paths as the command names them; `changes` are the parts of the command that changed something else.

    `tells`: what it prints names files that it changed (patches, formatters).
    """

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    tells: bool = False


@lru_cache(maxsize=2_000)
def effects(command: str) -> Effects:
    """What `command` read, wrote, removed and changed; a guess from its words, made without running anything."""
    found = _Found()
    for words in _pieces(_HEREDOC.sub(r"\3\n", command)):
        found.take(words)
    found.written += [path for script in scripts_in(command) for path in written_by(script)]
    if found.patches:
        found.written += [path for path in _PATCHED.findall(command) if path not in _NOWHERE]
    return Effects(
        _unique(found.read), _unique(found.written), _unique(found.removed), _unique(found.changes), found.tells
    )


class _Found:
    """What the simple commands of one line did, one after the other; `cd` is followed."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.written: list[str] = []
        self.removed: list[str] = []
        self.changes: list[str] = []
        self.patches = False
        self.tells = False
        self._folder = ""

    def take(self, words: list[str]) -> None:
        """One simple command."""
        plain, targets = _redirects(words)
        told = len(self.written) + len(self.removed)
        self.written += self._placed(targets)
        if plain and plain[0] == "cd":
            self._folder = self._placed(plain[1:2])[0] if plain[1:] and plain[1] != "-" else ""
        elif plain:
            self._take_operands(plain)
        if plain and _changes(plain) and told == len(self.written) + len(self.removed):
            self.changes.append(" ".join(words))

    def _take_operands(self, plain: list[str]) -> None:
        name, files = plain[0].rpartition("/")[2], self._placed(_operands(plain))
        git = plain[1] if name == "git" and len(plain) > 1 else ""
        if name == "rm" or git == "rm":
            self.removed += files
        elif name in ("tee", "touch", "truncate", "ed", "ex") or _edits_in_place(name, plain) or _formats(name, plain):
            self.written += files
        elif name in _LAST_IS_WRITTEN or git == "mv":
            self.written += files[-1:]
            self.removed += files[:-1] if name == "mv" or git == "mv" else []
        elif git == "restore" or (git == "checkout" and "--" in plain):
            self.written += files
        elif name == "dd":
            self.written += self._placed([word[3:] for word in plain if word.startswith("of=")])
        elif name in _READERS:
            self.read += files
        self.patches = self.patches or name == "patch" or git in ("apply", "am")
        self.tells = self.tells or self.patches or _formats(name, plain)

    def _placed(self, paths: list[str]) -> list[str]:
        return [path if not self._folder or path.startswith(("/", "~")) else f"{self._folder}/{path}" for path in paths]


def _operands(plain: list[str]) -> list[str]:
    """The files among the words; what an editor is told to do is none, nor is a revision before `--`."""
    words = plain[plain.index("--") + 1 :] if "--" in plain else plain[1:]
    if plain[0].rpartition("/")[2] in _EDITORS:
        words = _without_program(words)
    return [word for word in words if not word.startswith("-") and _FILE.fullmatch(word)]


def _without_program(words: list[str]) -> list[str]:
    """Words of an editor without the programs that it runs: what follows -e or -f, else the first that is no option."""
    left: list[str] = []
    given = skip = False
    for word in words:
        if skip or word == "inplace":
            skip = False
        elif re.fullmatch(r"-\w*[ef]", word):
            given = skip = True
        elif given or word.startswith("-"):
            left.append(word)
        else:
            given = True
    return left


def _edits_in_place(name: str, plain: list[str]) -> bool:
    return name in _EDITORS and any(re.match(r"-[a-zA-Z]*i|--in-?place", word) for word in plain[1:])


def _formats(name: str, plain: list[str]) -> bool:
    return name in _FORMATTERS and not _ONLY_LOOKS.intersection(plain)


def _changes(words: list[str]) -> bool:
    name = words[0].rpartition("/")[2]
    if name in ("sudo", "env", "time") and len(words) > 1:
        return _changes(words[1:])
    if name in _ALWAYS or _edits_in_place(name, words):
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
    lexer.whitespace_split = True  # else only ASCII would make words
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
