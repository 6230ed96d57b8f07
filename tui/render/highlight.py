"""Colours code line by line, carrying the lexer's state, so that an open fence is never lexed twice."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct
from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound
from rich.style import Style

from tui.render.theme import Theme

State: TypeAlias = tuple[str, ...]
Piece: TypeAlias = tuple[_TokenType, str]
Action: TypeAlias = Callable[[RegexLexer, re.Match[str]], Iterator[tuple[int, _TokenType, str]]]
Rule: TypeAlias = tuple[Callable[[str, int], re.Match[str] | None], Action | _TokenType | None, object]
Styles: TypeAlias = dict[_TokenType, Style]
ROOT: State = ("root",)
LONG_LINE = 4_000  # characters; beyond it colour is not worth its time


class Lexed(Struct, frozen=True):
    """One line's tokens and the state in which the next line begins."""

    tokens: tuple[Piece, ...]
    after: State


@lru_cache(4_096)
def lex_line(language: str, line: str, before: State) -> Lexed:
    """The tokens of `line` (no newline in it) of a text in `language` whose lexer stands in `before`."""
    lexer = _lexer(language)
    if lexer is None or len(line) > LONG_LINE:
        return Lexed(((Token.Text, line),), before)
    stack = list(before)
    tokens = tuple((kind, text.rstrip("\n")) for kind, text in _resume(lexer, line + "\n", stack) if text != "\n")
    return Lexed(tokens, tuple(stack))


def style_of(kind: _TokenType, styles: Styles) -> Style:
    """The style for a token type or its nearest ancestor."""
    return styles.get(kind) or _inherited(kind, styles)


@lru_cache(64)
def _lexer(language: str) -> RegexLexer | None:
    """A lexer whose state can be carried, or None: unknown languages and lexers with a loop of their own stay plain."""
    try:
        lexer: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None
    own_loop = type(lexer).get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed
    return lexer if isinstance(lexer, RegexLexer) and not own_loop and _rules(lexer) else None


def _rules(lexer: RegexLexer) -> dict[str, Sequence[Rule]]:
    """The compiled states, which Pygments keeps to itself; without them a fence is plain."""
    rules: dict[str, Sequence[Rule]] = getattr(lexer, "_tokens", {})
    return rules


def _resume(lexer: RegexLexer, text: str, stack: list[str]) -> Iterator[Piece]:
    """Pygments' own loop over its compiled states (lexer.py, RegexLexer), with a stack that outlives the call."""
    states = _rules(lexer)
    at = 0
    while at < len(text):
        for match_at, action, new_state in states[stack[-1]]:
            found = match_at(text, at)
            if not found:
                continue
            if isinstance(action, _TokenType):
                yield action, found.group()
            elif action is not None:
                yield from ((kind, piece) for _, kind, piece in action(lexer, found))
            at = found.end()
            _move(stack, new_state)
            break
        else:
            if text[at] == "\n":
                stack[:] = ROOT
            yield Token.Error if text[at] != "\n" else Token.Text, text[at]
            at += 1


def _move(stack: list[str], new_state: object) -> None:
    """What Pygments does after a rule matched: push, pop or stay."""
    if isinstance(new_state, tuple):
        for state in new_state:
            _move(stack, state)
    elif isinstance(new_state, int):
        del stack[max(1, len(stack) + new_state) if new_state < 0 else max(1, new_state) :]
    elif new_state == "#pop":
        del stack[max(1, len(stack) - 1) :]
    elif new_state == "#push":
        stack.append(stack[-1])
    elif isinstance(new_state, str):
        stack.append(new_state)


@lru_cache(4)
def code_styles(theme: Theme) -> Styles:
    """The theme's styles by token type; asked for once a fence, because a theme is slow to hash."""
    roles = {
        Token: theme.text,
        Token.Keyword: theme.keyword,
        Token.Operator.Word: theme.keyword,
        Token.Name.Function: theme.name,
        Token.Name.Decorator: theme.name,
        Token.Name.Tag: theme.name,
        Token.Name.Class: theme.type_name,
        Token.Name.Builtin: theme.type_name,
        Token.Name.Attribute: theme.type_name,
        Token.Keyword.Type: theme.type_name,
        Token.Literal.String: theme.string,
        Token.Literal.Number: theme.number,
        Token.Comment: theme.comment,
        Token.Generic.Inserted: theme.good,
        Token.Generic.Deleted: theme.bad,
        Token.Generic.Heading: theme.heading,
    }
    return {kind: theme.code_block + style for kind, style in roles.items()}


def _inherited(kind: _TokenType, styles: Styles) -> Style:
    parent = kind.parent
    while parent is not None and parent not in styles:
        parent = parent.parent
    found = styles[parent] if parent is not None else styles[Token]
    styles[kind] = found
    return found
