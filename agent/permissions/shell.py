"""What a command line says: its words when it is surely one plain command, and every command it may hide."""

import re
import shlex

LENGTH_LIMIT = 10_000  # characters; longer lines always ask (reference 2.3)
WORD_LIMIT = 2_500  # words of one piece in which a hidden command is looked for

_META = re.compile(r"[;&|<>$`(){}\\#!*?\[\]]")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=.*", re.DOTALL)
_BREAKS = re.compile(r"([;&|\n\r(){}`<>!])")
_QUOTING = re.compile(r"[\"'\\]|\$(?=[\"'])")

_KEYWORDS = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "!", "case", "for", "in", "function", "coproc"}
)

# Commands that run the words after them, or after some option of theirs.
_RUN_THE_REST = (
    "ash bash builtin busybox chroot command csh dash doas env eval exec fish ksh script sh ssh su sudo tcsh zsh . source"
    " chrt dbus-run-session direnv entr fakeroot faketime fd find firejail flock gdb ionice ltrace nice nocache noglob nohup nsenter"
    " numactl parallel perf pkexec prlimit proot proxychains proxychains4 rlwrap runuser screen setarch setsid sg sshpass stdbuf strace"
    " systemd-run taskset time timeout tmux torsocks trap unbuffer unshare valgrind vi view vim watch xargs xvfb-run"
    " bunx nix-shell npx pipx uvx"
)
CARRIERS = frozenset(_RUN_THE_REST.split())
_GIT_TAKES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"})

# Commands that do so after one of these words.
_RUNS = {
    "git": frozenset({"foreach", "run", "--exec", "-x"}),
    **dict.fromkeys(("bun", "bundle", "mise", "npm", "pnpm", "yarn"), frozenset({"exec", "x", "dlx"})),
    **dict.fromkeys(("conda", "hatch", "pdm", "pipenv", "poetry", "uv"), frozenset({"run"})),
}


def plain_words(command: str) -> tuple[str, ...] | None:
    """The words of `command` when it is one plain command without any shell metacharacter, else None.

    Anything a shell could expand, chain, redirect, substitute or escape makes it None; so do control and invisible characters, a
    leading assignment, a tilde that begins a word, and quotes that do not close.
    """
    line = command.strip(" ")
    if not line or len(line) > LENGTH_LIMIT or not line.isprintable() or _META.search(line):
        return None
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    if not words or "=" in words[0] or any(word.startswith("~") or "=~" in word or ":~" in word for word in words):
        return None
    return tuple(words)


def hidden_commands(command: str) -> tuple[str, ...]:
    """Every command line that `command` may run, read liberally: for deny and ask rules, which may match too much but not too little.

    The whole line, each piece between operators (quoted or not), each without leading keywords, assignments and carriers such as
    `sudo`, `timeout 5`, `sh -c`, `find -exec`; with quotes and backslashes gone, and also with the first word's folder gone.
    """
    joined = command.replace("\\\n", "").replace("${IFS}", " ").replace("$IFS", " ")
    found: dict[str, None] = {command.strip(): None}
    for before, piece in _pieces(joined):
        words = _QUOTING.sub("", piece).split()[:WORD_LIMIT]
        starts = _starts(words)
        if before in ("<", ">") and len(words) > 1:  # the first word is the redirect's target
            starts += [1 + at for at in _starts(words[1:])]
        for at in starts:
            found[" ".join(words[at:])] = None
            found[" ".join(_bare(words[at:]))] = None
    return tuple(line for line in found if line)


def _bare(words: list[str]) -> list[str]:
    """The command without its folder, and git without the options before its subcommand."""
    name, rest = words[0].rpartition("/")[2], words[1:]
    while name == "git" and rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in _GIT_TAKES else 1 :]
    return [name, *rest]


def _pieces(line: str) -> list[tuple[str, str]]:
    """The whole line and each piece between operators, with the character before it ("" at the beginning)."""
    split = _BREAKS.split(line)  # piece, operator, piece, operator, ...
    return [("", line), *zip(["", *split[1::2]], split[::2], strict=True)]


def _starts(words: list[str]) -> list[int]:
    """The positions at which a command may begin in one piece."""
    starts: list[int] = []
    for at, word in enumerate(words):
        starts.append(at)
        name = word.rpartition("/")[2]
        if name in CARRIERS:
            return [*starts, *range(at + 1, len(words))]
        runs = _RUNS.get(name, frozenset())
        if run := next((i for i, word in enumerate(words) if i > at and word in runs), None):
            return [*starts, *range(run + 1, len(words))]
        if not ASSIGNMENT.fullmatch(word) and word not in _KEYWORDS:
            break
    return starts
