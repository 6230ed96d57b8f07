"""Options by which a harmless-looking command writes a file or runs a program."""

from collections.abc import Sequence

from msgspec import Struct


class Risky(Struct, frozen=True):
    """Of one command: long options (also abbreviated), single letters (also in a cluster), subcommands, beginnings, or all."""

    long: frozenset[str] = frozenset()
    short: str = ""
    words: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    always: bool = False


def _risky(long: str = "", short: str = "", words: str = "", prefixes: tuple[str, ...] = ()) -> Risky:
    return Risky(frozenset(long.split()), short, frozenset(words.split()), prefixes)


ALWAYS = Risky(always=True)

_GIT = _risky(
    long="config-env exec-path exec output ext-diff textconv upload-pack receive-pack open-files-in-pager git-dir work-tree"
    " template extcmd paginate separate-git-dir namespace run attr-source super-prefix in-place export-marks",
    short="cCuOoxp",
    words="config difftool mergetool filter-branch foreach bisect alias daemon shell http-backend credential hook"
    " maintenance instaweb web--browse send-email submodule--helper rebase-i remote-ext remote-fd cvsserver p4 svn fast-import",
)
_FETCH = _risky(
    long="output output-document output-file output-dir config remote-name dump-header cookie-jar trace trace-ascii stderr upload-file"
    " execute use-askpass post-file body-file append-output directory-prefix libcurl hsts alt-svc etag-save engine",
    short="oOKTDceiPa",
)
_NODE = _risky(
    long="script-shell prefix userconfig globalconfig node-options shell-emulator cwd dir",
    short="C",
    words="exec x dlx",
)

# Of a command that is not in the table: what these mean wherever they are known.
ANY = _risky(
    long="output output-file outfile out-file out exec exec-batch editor pager in-place inplace config-file plugin",
    prefixes=("-o",),
)
_TALKERS = "cat df du echo egrep fgrep grep head id ls lsof printf ps stat tail uname wc which"  # whose -o only formats

TABLE: dict[str, Risky] = {
    **dict.fromkeys(
        [
            "ash",
            "awk",
            "bash",
            "builtin",
            "busybox",
            "chroot",
            "command",
            "coproc",
            "csh",
            "dash",
            "doas",
            "env",
            "eval",
            "exec",
            "fish",
            "flock",
            "gawk",
            "gdb",
            "ionice",
            "ksh",
            "less",
            "lua",
            "man",
            "mawk",
            "more",
            "nawk",
            "nice",
            "noglob",
            "nohup",
            "nsenter",
            "parallel",
            "script",
            "sed",
            "setsid",
            "sh",
            "source",
            "sqlite3",
            "ssh",
            "stdbuf",
            "strace",
            "su",
            "sudo",
            "taskset",
            "tclsh",
            "time",
            "timeout",
            "trap",
            "unshare",
            "uniq",
            "vi",
            "view",
            "vim",
            "watch",
            "xargs",
            "zsh",
            ".",
        ],
        ALWAYS,
    ),
    **dict.fromkeys(_TALKERS.split(), Risky()),
    "git": _GIT,
    "find": _risky(prefixes=("-exec", "-ok", "-delete", "-fprint", "-fls", "-files0-from")),
    "fd": _risky(long="exec exec-batch", short="xX"),
    "rg": _risky(long="pre pre-glob hostname-bin search-zip", short="z"),
    "ag": _risky(long="pager search-zip", short="z"),
    "ack": _risky(long="pager output ackrc"),
    "bat": _risky(long="pager config-file generate-config-file"),
    "sort": _risky(long="output compress-program temporary-directory files0-from", short="oT"),
    "shuf": _risky(long="output", short="o"),
    "split": _risky(long="filter"),
    "tree": _risky(short="oR"),
    "date": _risky(long="set", short="s"),
    "file": _risky(long="compile uncompress magic-file", short="CzZm"),
    "xxd": _risky(short="r"),
    "openssl": _risky(prefixes=("-out", "-engine", "-config", "-provider", "-writerand")),
    "pandoc": _risky(
        long="output filter lua-filter metadata-file template data-dir pdf-engine extract-media log", short="oFL"
    ),
    "psql": _risky(long="output log-file file command", short="oLfc"),
    "pytest": _risky(
        long="config-file rootdir override-ini junit-xml junitxml basetemp confcutdir log-file pdbcls pdb trace",
        short="pco",
    ),
    "tar": _risky(
        long="checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script index-file",
        short="IF",
    ),
    "zip": _risky(long="unzip-command", short="T"),
    "rsync": _risky(long="rsh rsync-path", short="e"),
    "scp": _risky(short="SoF"),
    "sftp": _risky(short="SoFbD"),
    "curl": _FETCH,
    "wget": _FETCH,
    "npm": _NODE,
    "pnpm": _NODE,
    "yarn": _NODE,
    "cargo": _risky(long="config manifest-path", short="CZ"),
    "go": _risky(
        words="generate tool",
        prefixes=(
            "-exec",
            "--exec",
            "-toolexec",
            "--toolexec",
            "-vettool",
            "--vettool",
            "-o",
            "-C",
            "-modfile",
            "-overlay",
            "-w",
            "-ldflags",
            "--ldflags",
            "-gccgoflags",
            "--gccgoflags",
            "-pkgdir",
            "-outputdir",
            "-coverprofile",
            "-cpuprofile",
            "-memprofile",
            "-blockprofile",
            "-mutexprofile",
            "-trace",
        ),
    ),
    "hg": _risky(long="config cwd repository", short="R"),
    "svn": _risky(long="config-option config-dir editor-cmd diff-cmd diff3-cmd"),
    "make": _risky(long="eval file makefile directory include-dir", short="fCIE", prefixes=("SHELL=", "MAKEFLAGS=")),
    "diff": _risky(long="paginate", short="l"),
    "jq": _risky(long="from-file library-path run-tests", short="fL"),
    "yq": _risky(long="inplace split-exp", short="is"),
    "perl": _risky(short="i"),
    "ruby": _risky(short="i"),
}


def is_risky(words: Sequence[str]) -> bool:
    """Whether these words may write a file or run a program through an option; commands named by a path always may."""
    name, arguments = words[0], words[1:]
    if "/" in name:
        return True
    table = TABLE.get(name, ANY)
    subcommands = [argument for argument in arguments if not argument.startswith("-")][:2]
    if table.always or not table.words.isdisjoint(subcommands):
        return True
    if (
        name == "tar" and arguments and not arguments[0].startswith("-")
    ):  # its first word is a cluster, without the dash too
        arguments = [f"-{arguments[0]}", *arguments[1:]]
    return any(_is_risky_argument(table, argument) for argument in arguments)


def _is_risky_argument(table: Risky, argument: str) -> bool:
    if argument.startswith(table.prefixes):
        return True
    if "::" in argument and table is _GIT:  # a transport such as ext::
        return True
    if argument.startswith("--"):
        name = argument[2:].partition("=")[0]
        return bool(name) and any(long.startswith(name) for long in table.long)
    return argument.startswith("-") and any(letter in argument for letter in table.short)
