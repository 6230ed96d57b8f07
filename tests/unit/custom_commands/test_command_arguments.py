"""What was typed goes where the command asks for it, in the old way of counting and the new one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.custom_commands.arguments import Arguments, asks_for_arguments, counts_from_zero


def put(template: str, typed: str, *names: str) -> str:
    variables = {"CLAUDE_PROJECT_DIR": "/p"}
    return Arguments(typed, names, variables, counts_from_zero(template)).put(template)


@pytest.mark.parametrize(
    ("template", "typed", "expected"),
    [
        ("Fix $ARGUMENTS now", "issue 12", "Fix issue 12 now"),
        ("$ARGUMENTS/$ARGUMENTS", "a", "a/a"),
        ("Review $1 against $2", "src/a.py main", "Review src/a.py against main"),
        ("$1|$2|$3", "'two words' b", "two words|b|"),
        ("$0 then $1", "a b", "a then b"),
        ("$ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[7]", "a b", "a b "),
        ("It's $1", "don't", "It's don't"),
        ("costs $100, $5.99 and $1,000", "x", "costs $100, $5.99 and $1,000"),
        ("$HOME ${HOME} $ARGUMENTSX", "x", "$HOME ${HOME} $ARGUMENTSX"),
        ("in ${CLAUDE_PROJECT_DIR}", "", "in /p"),
        (r"keep \$1 and \$ARGUMENTS", "x", "keep $1 and $ARGUMENTS"),
        ("$issue on $branch, $other", "12 main", "12 on main, $other"),
        ("nothing", "x", "nothing"),
    ],
)
def test_places(template: str, typed: str, expected: str) -> None:
    assert put(template, typed, "issue", "branch") == expected


def test_what_was_typed_is_not_looked_through_again() -> None:
    assert put("do $1 and $2", "'$2' x") == "do $2 and x"


@pytest.mark.parametrize(
    ("template", "asks"),
    [("$ARGUMENTS", True), ("see $1", True), ("for $name", True), (r"\$1", False), ("plain $HOME", False)],
)
def test_whether_a_command_places_its_arguments(template: str, asks: bool) -> None:
    assert asks_for_arguments(template, ["name"]) is asks


@given(st.text(), st.text())
def test_anything_can_be_typed_and_written(template: str, typed: str) -> None:
    put(template, typed)
    asks_for_arguments(template, [])
