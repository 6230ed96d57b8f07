"""Comments, code, headings, and what the model reads."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.memory.frontmatter import path_globs, split_frontmatter
from agent.memory.instructions import compact_instructions
from agent.memory.markdown import imports_in, marked_lines, without_comments
from agent.memory.memory_file import Memory, MemoryFile
from agent.memory.render import render_memory


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\n<!-- gone -->\nb\n", "a\nb\n"),
        ("a\n<!--\ngone\n-->\nb", "a\nb"),
        ("<!-- x --> after\n", " after\n"),
        ("<!-- x --><!-- y -->\nb", "b"),
        ("in <!-- line --> stays", "in <!-- line --> stays"),
        ("```\n<!-- code -->\n```\n", "```\n<!-- code -->\n```\n"),
        ("<!-- never closed\nb", "<!-- never closed\nb"),
        ("    <!-- indented code -->\n", "    <!-- indented code -->\n"),
        ("<!--\n```\n-->\n@x\n", "@x\n"),
    ],
)
def test_block_comments_are_stripped(text: str, kept: str) -> None:
    assert without_comments(text) == kept


MARKDOWN = st.text(alphabet="`~<!->@ax/.# \n", max_size=60)


@given(MARKDOWN)
def test_no_text_upsets_the_readers(text: str) -> None:
    assert "".join(line for line, _is_code in marked_lines(text)) == text
    without_comments(text)
    imports_in(text)
    assert "".join(split_frontmatter(text)) in text or text.startswith("---")
    compact_instructions(Memory((MemoryFile(Path("/x"), "User", text),)))


@given(MARKDOWN)
def test_what_has_no_comment_stays_as_it_is(text: str) -> None:
    if "<!--" not in text:
        assert without_comments(text) == text


HOSTILE = {
    "comments": "<!--\n" * 50_000,
    "ticks": "`" * 100_001 + " @x",
    "pairs": "` `` " * 30_000,
    "fences": "```\n" * 50_000,
    "imports": "@" * 50_000,
    "frontmatter": "---\n" + "paths:\n- \n" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_no_time(name: str) -> None:
    text = HOSTILE[name]
    without_comments(text)
    imports_in(text)
    path_globs(split_frontmatter(text)[0])


@pytest.mark.parametrize(
    ("frontmatter", "expected"),
    [
        ("paths: src/**\n", True),
        ("paths:\n  - a\n", True),
        ("paths: [a]\n", True),
        ("paths: []\n", False),
        ("paths:\n", False),
        ("x: paths: a\n", False),
    ],
)
def test_paths_of_rules(frontmatter: str, expected: bool) -> None:
    assert bool(path_globs(frontmatter)) is expected


def test_rendering_names_each_file() -> None:
    files = (
        MemoryFile(Path("/h/CLAUDE.md"), "User", "be brief"),
        MemoryFile(Path("/p/x.md"), "Project", "use tabs", imported_by=Path("/p/CLAUDE.md")),
    )
    text = render_memory(Memory(files))
    assert text.index("/h/CLAUDE.md") < text.index("be brief") < text.index("/p/x.md") < text.index("use tabs")
    assert "imported by /p/CLAUDE.md" in text
    assert render_memory(Memory()) == ""


def _instructions(*texts: str) -> str:
    return compact_instructions(Memory(tuple(MemoryFile(Path("/x"), "Project", text) for text in texts)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\na\n# Compact instructions\nkeep the API\n## more\nb\n# Next\nc", "keep the API\n## more\nb"),
        ("## Compact Instructions ##\nx\n# Up\ny", "x"),
        ("### When compacting, keep tests\n- a\n### other\n", "- a"),
        ("## Compaction instructions\nx", "x"),
        ("intro\n\nWhen compacting, keep\nthe names.\n\nother", "When compacting, keep\nthe names."),
        ("**When compacting**: x\n# H\ny", "**When compacting**: x"),
        ("# Other\ntext about compaction", ""),
        ("```\n# Compact instructions\nx\n```", ""),
        ("# Compact instructions\n```\n# not a heading\n```\nend", "```\n# not a heading\n```\nend"),
        ("# Compact instructions", ""),
        ("# Compact instructions\na\n# Compact instructions\nb", "a\n\nb"),
    ],
)
def test_compact_instructions(text: str, expected: str) -> None:
    assert _instructions(text) == expected


def test_compact_instructions_of_all_files() -> None:
    assert _instructions("# Compact instructions\na", "none", "# Compact instructions\nb") == "a\n\nb"
