"""Whether a shell line says itself which programs it runs: about one that makes them up as it runs no deny rule can be sure."""

import re
from collections.abc import Iterator, Sequence

from agent.permissions.risky_options import is_risky, risky_of
from agent.permissions.shell import ASSIGNMENT, CARRIERS, LENGTH_LIMIT

_HEREDOC = re.compile(
    r"<<-?[ \t]*(['\"\\]?)([\w.-]+)['\"]?([^\n]*)\n(.*?)(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_ARITHMETIC = re.compile(r"\$\(\([^()$`]*\)\)")
_OPEN, _CLOSE = "\x01", "\x02"  # around a substitution in a skeleton
_SUBSTITUTION = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_CODE = re.compile(r"\\.|'[^']*'|\$\(|[<>]\(|(?<![^\s;&|()])#[^\n]*|.", re.DOTALL)
_QUOTED = re.compile(r"\\.|\$\(|.", re.DOTALL)
_INPUT = re.compile(r"<")
_REDIRECT = re.compile(r"(?:\d+|&)?(?:<<<|<<-?|<>|<|>>|>\||>)&?[ \t]*[^\s;&|()]*")
_OPERATOR = re.compile(r"(\|&?|[;&\n()])")
_PLAIN = re.compile(r"[\w./+@%:=~-]+|\[\[?")
_LEAD = frozenset({"!", "{", "if", "then", "elif", "else", "while", "until", "do", "time", "coproc"})
_NO_COMMAND = frozenset({"for", "case", "select", "function", "esac", "done", "fi", "}", "]]"})
_MAKES_UP = frozenset({"alias", "eval", "parallel", "xargs"})


def spelled_out(command: str) -> bool:
    """Whether every program that `command` may start stands in it as a plain word, with no code handed to an interpreter.

    It doubts what it does not understand: such a line is not spelled out.
    """
    if len(command) > LENGTH_LIMIT or _OPEN in command or _CLOSE in command:
        return False
    text = _ARITHMETIC.sub("_", command)
    if any(not quote and ("$(" in body or "`" in body) for quote, _word, _rest, body in _HEREDOC.findall(text)):
        return False
    skeleton = _skeleton(_HEREDOC.sub(r"<< \2\3\n", text))
    if skeleton is None:
        return False
    while inner := _SUBSTITUTION.search(skeleton):
        if not _all_plain(inner[1]):
            return False
        skeleton = f"{skeleton[: inner.start()]}${skeleton[inner.end() :]}"
    return _all_plain(skeleton)


def _skeleton(line: str) -> str | None:
    """`line` with `_` for what is quoted, `$` for what is put in at run time, marks around substitutions; None when something stays open."""
    out: list[str] = []
    inside: list[str] = []  # what is open: quotes, substitutions, parentheses
    at = 0
    while found := (_QUOTED if inside[-1:] == ['"'] else _CODE).match(line, at):
        at, token, quoted = found.end(), found[0], inside[-1:] == ['"']
        match token:
            case "$(" | "<(" | ">(":
                inside.append(_OPEN)
                out.append(_OPEN)
            case '"' if quoted:
                inside.pop()
                out.append("_")
            case '"' | "(" if not quoted:
                inside.append(token)
                out.append("_" if token == '"' else token)
            case ")" if not quoted and inside:  # without anything open it belongs to a case
                out.append(_CLOSE if inside.pop() == _OPEN else token)
            case "`" if "`" in inside:
                while inside.pop() != "`":
                    pass
                out.append(_CLOSE)
            case "`":
                inside.append(token)
                out.append(_OPEN)
            case "'" if not quoted:
                return None
            case _:
                out.append(_plain_token(token, quoted=quoted))
    return None if inside else "".join(out)


def _plain_token(token: str, *, quoted: bool) -> str:
    if token == "\\\n" or (token.startswith("#") and len(token) > 1):
        return ""
    if token == "$" or (len(token) == 1 and not quoted):
        return token
    return "_"


def _all_plain(text: str) -> bool:
    """Whether each command of a skeleton without substitutions names its program plainly."""
    return all(_is_plain(words, fed=fed) for words, fed in _commands(text))


def _commands(text: str) -> Iterator[tuple[list[str], bool]]:
    """The words of each command, without what stands before its program, and whether it reads what another one or the line writes."""
    operator = ""
    for at, piece in enumerate(_OPERATOR.split(_REDIRECT.sub(_mark, text))):
        if at % 2:
            operator = piece
            continue
        words = piece.split()
        fed = operator.startswith("|") or "<" in words
        words = [word for word in words if word != "<"]
        while words and (words[0] in _LEAD or ASSIGNMENT.fullmatch(words[0])):
            words = words[1:]
        if words and words[0] not in _NO_COMMAND:
            yield words, fed


def _mark(redirect: re.Match[str]) -> str:
    return " < " if "<" in redirect[0] else " "


def _is_plain(words: Sequence[str], *, fed: bool) -> bool:
    program = words[0].rpartition("/")[2]
    if not _PLAIN.fullmatch(words[0]) or program in _MAKES_UP:
        return False
    arguments = words[1:]
    operands = [argument for argument in arguments if not argument.startswith("-")]
    if program in ("find", "gfind"):
        return not is_risky([program, *arguments])
    if program in ("source", "."):
        return bool(operands) and _is_file(operands[0])
    if code := risky_of([program]).code:
        given = any(
            option.startswith("-") and set(code) & set(option.partition("=")[0])
            for option in arguments
            if not option.startswith("--")
        )
        return not given and "--eval" not in arguments and (_is_file(operands[0]) if operands else not fed)
    return program not in CARRIERS or not any("$" in argument for argument in arguments)


def _is_file(operand: str) -> bool:
    return operand != "-" and not operand.startswith("/dev/") and "$" not in operand
