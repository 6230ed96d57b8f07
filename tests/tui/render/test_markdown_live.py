"""A growing document shows what the whole one shows, however it was cut; and what is shown is right."""

import textwrap

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tui.render.lines import copied_text
from tui.render.markdown import render_markdown
from tui.render.markdown_live import IncrementalMarkdown
from tui.render.theme import DARK

WORDS = st.sampled_from(
    [
        "alpha",
        "beta",
        "`code`",
        "**bold**",
        "*em*",
        "~~gone~~",
        "[a](http://x.y)",
        "-",
        "1.",
        "#",
        ">",
        "|",
        "```",
        "~~~",
        "---",
        "\\",
        "[",
        "]",
        "<b>",
        "!",
        "漢字",
        "é",
    ]
)
PIECES = st.one_of(
    WORDS,
    st.sampled_from(
        [" ", "\n", "\n\n", "  ", "    ", "\t", "- ", "* ", "2. ", "1) ", "> ", "# ", "## ", "```py\n", "```\n"]
    ),
    st.sampled_from(
        ["a|b\n-|-\n", "| x | y |\n|:-|-:|\n| 1 | 2 |\n", "|", "***\n", "`", "**", "x = 1\n", "def f():\n"]
    ),
)
SOURCES = st.lists(PIECES, max_size=40).map("".join)


def grown(source: str, cuts: list[int], width: int = 40) -> list[tuple[str, str | None]]:
    document = IncrementalMarkdown(width, DARK)
    at = 0
    for cut in sorted(cut % (len(source) + 1) for cut in cuts):
        document.append(source[at:cut])
        first = document.flush()
        assert first <= document.height
        at = cut
    document.append(source[at:])
    document.flush(final=True)
    return [(row.text, row.joint) for row in document.rows()]


def whole(source: str, width: int = 40) -> list[tuple[str, str | None]]:
    return [(row.text, row.joint) for row in render_markdown(source, width, DARK)]


@given(SOURCES, st.lists(st.integers(0, 10_000), max_size=12))
@settings(max_examples=400, deadline=None)
@example("para\n#foo\n", [6])
@example("para\n|a|b|\n|-|-x|", [15])
@example("text\n- item\n", [6, 7])
@example("```py\nx\n```\nafter", [3, 7, 10, 13])
def test_growing_equals_whole(source: str, cuts: list[int]) -> None:
    assert grown(source, cuts) == whole(source)


@given(SOURCES)
@settings(max_examples=100, deadline=None)
def test_character_by_character_equals_whole(source: str) -> None:
    assert grown(source, list(range(len(source)))) == whole(source)


@given(st.lists(st.integers(0, 100_000), min_size=3, max_size=30))
@settings(max_examples=15, deadline=None)
@pytest.mark.parametrize(
    "source",
    [
        "".join(f"{n}. item {n} with `code`\n" + ("\n   more\n\n" if n % 7 == 0 else "") for n in range(1, 90)),
        "| a | b |\n|--|--:|\n" + "".join(f"| {n} | {'w' * (n % 9)} |\n" for n in range(90)) + "\nafter\n",
        "word " * 2_500 + "\n\nnext",
        "```python\n" + "".join(f"def f{n}(a):\n    '''doc\n    {n}'''\n\n" for n in range(60)) + "```\nafter",
    ],
    ids=["list", "table", "paragraph", "fence"],
)
def test_long_blocks_are_cut_without_a_trace(source: str, cuts: list[int]) -> None:
    assert grown(source, cuts) == whole(source)


def test_sealed_rows_never_change() -> None:
    source = "# T\n\npara one\n\n- a\n- b\n\n```py\nx = 1\ny = 2\n```\n\nend"
    document = IncrementalMarkdown(40, DARK)
    before: list[str] = []
    for char in source:
        document.append(char)
        first = document.flush()
        rows = [row.text for row in document.rows()]
        assert rows[:first] == before[:first]
        before = rows


def test_every_kind_of_block() -> None:
    source = textwrap.dedent("""\
        # Title
        Some **bold** and `code` with [text](http://example.com/a).
        - one
          - inner
        - two

        3. three
        4. four

        > quoted
        > more

        ```py
        x = 1
        ```
        | a | b |
        |---|--:|
        | 1 | 22 |

        ---
        text
        ---
        """)
    assert [row.text.rstrip() for row in render_markdown(source, 60, DARK)] == [
        "Title",
        "",
        "Some bold and code with text (http://example.com/a).",
        "",
        "• one",
        "  • inner",
        "• two",
        "",
        "3. three",
        "4. four",
        "",
        "▌ quoted more",
        "",
        " x = 1",
        "",
        "a │  b",
        "──┼───",
        "1 │ 22",
        "",
        "─" * 60,
        "",
        "text",
        "",
        "─" * 60,
    ]


def test_brackets_and_markup_are_shown_literally() -> None:
    source = "[/] [/dim] [b + x [=1,state=X] [@click=app.quit]x[/] [link=file:///x]y <script>"
    assert "".join(row.text for row in render_markdown(source, 200, DARK)) == source


@pytest.mark.parametrize("target", ["javascript:alert(1)", "file:///etc/passwd", "vscode://x"])
def test_only_web_and_mail_links_are_clickable(target: str) -> None:
    rows = render_markdown(f"[x]({target}) [y](https://ok.example)", 80, DARK)
    links = [segment.style.link for row in rows for segment in row.segments if segment.style and segment.style.link]
    assert set(links) == {"https://ok.example"}


def test_escape_sequences_never_reach_a_row() -> None:
    rows = render_markdown("a\x1b[2Jb\n\n```\n\x1b]52;c;AAAA\x07code\n```\n", 40, DARK)
    assert [row.text.strip() for row in rows] == ["ab", "", "code"]


def test_a_copy_is_the_source_text() -> None:
    rows = render_markdown("one two three four five\n\n- six seven eight nine", 12, DARK)
    assert copied_text((row, 0, -1) for row in rows) == "one two three four five\n\n• six seven eight nine"


def test_code_is_coloured_once_its_line_is_whole() -> None:
    document = IncrementalMarkdown(40, DARK)
    document.append("```python\nreturn 1")
    document.flush()
    draft = {segment.style for segment in document.row(0).segments}
    document.append("\n")
    document.flush()
    assert draft == {DARK.code_block}
    assert DARK.code_block + DARK.keyword in {segment.style for segment in document.row(0).segments}
