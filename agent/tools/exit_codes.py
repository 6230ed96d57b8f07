"""Exit codes that are an answer and no failure."""

import shlex

_ANSWERS = frozenset({"grep", "egrep", "fgrep", "rg", "find", "diff", "test", "[", "cmp"})
_GIT_ANSWERS = frozenset({"diff", "grep"})
_SEPARATORS = frozenset(";&|\n()")


def is_answer(command: str, exit_code: int) -> bool:
    """Whether `exit_code` of `command` is an answer ("no match", "differs") of the program that ran last; quotes are understood."""
    if exit_code != 1:
        return False
    words = _last_command(command)
    while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        words = words[1:]  # variables set for the command
    if not words:
        return False
    program = words[0].rpartition("/")[2]
    if program == "git":
        return next((word for word in words[1:] if not word.startswith("-")), "") in _GIT_ANSWERS
    return program in _ANSWERS


def _last_command(command: str) -> list[str]:
    lexer = shlex.shlex(command.strip(), posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if set(word) <= _SEPARATORS:
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:  # quotes that do not close
        return []
    return next((words for words in reversed(commands) if words), [])
