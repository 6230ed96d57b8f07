"""Which parts of a command's text are run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.custom_commands.template import Ran, Said, parts_of, shell_commands


def test_inline_commands_and_blocks() -> None:
    text = "Status: !`git status`\n```!\ngit log\ngit diff\n```\nend"
    assert parts_of(text) == (
        Said("Status: "),
        Ran("git status"),
        Said("\n"),
        Ran("git log\ngit diff"),
        Said("\n"),
        Said("end"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "wow!`ls`",
        "`ls`",
        "! `ls`",
        "```\n!`ls`\n```",
        "````md\n```!\nrm -rf x\n```\n````",
        "````md\n```\n```!\nrm -rf x\n```\n````",
        "```!\nnever closed",
        "```!\n```",
        "!``",
    ],
)
def test_what_is_only_words(text: str) -> None:
    assert shell_commands(text) == ()
    assert "".join(part.text for part in parts_of(text) if isinstance(part, Said)) == text


@given(st.text(alphabet="`!~ \nab$", max_size=60))
def test_no_text_is_lost(text: str) -> None:
    for part in parts_of(text):
        said = part.text if isinstance(part, Said) else part.command
        assert said.strip("\n") in text
    if not shell_commands(text):
        assert "".join(part.text for part in parts_of(text) if isinstance(part, Said)) == text
