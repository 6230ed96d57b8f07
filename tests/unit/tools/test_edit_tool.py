"""Edit: exact, unique, faithful to the bytes it does not change, and helpful when it refuses."""

import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent.protocol.errors import InvalidToolInput, ToolError
from agent.tools.edit import Edit
from agent.tools.limits import Limits
from agent.tools.read import Read
from agent.tools.replacement import occurrences, replace_at, to_lf

READ, EDIT = Read(Limits()), Edit()


async def edited(desk, call, before: bytes, old: str, new: str, **more: object) -> bytes:
    """The bytes of a file with `before` after Read and Edit."""
    file = desk.write("f", before)
    await call(READ, file_path="f")
    await call(EDIT, file_path="f", old_string=old, new_string=new, **more)
    return file.read_bytes()


async def test_replaces_and_shows_the_lines_around(desk, call) -> None:
    desk.write("src/x.py", "a\nb\nc\nd\ne\nf\n")
    await call(READ, file_path="src/x.py")
    output = await call(EDIT, file_path="src/x.py", old_string="d", new_string="D1\nD2")
    assert output.text == "Edited src/x.py:\n2\tb\n3\tc\n4\tD1\n5\tD2\n6\te\n7\tf"
    assert (output.details.added, output.details.removed, output.details.created) == (2, 1, False)
    assert output.details.hunks[0].lines == (" a", " b", " c", "-d", "+D1", "+D2", " e", " f")


async def test_the_lines_around_are_those_that_read_shows(desk, call) -> None:
    """No line behind the last newline, and the same mark for a byte that is no text."""
    desk.write("f", b"x = 1\n# caf\xe9\n")
    seen = await call(READ, file_path="f")
    output = await call(EDIT, file_path="f", old_string="x = 1", new_string="x = 2")
    assert output.text == "Edited f:\n1\tx = 2\n2\t# caf\N{REPLACEMENT CHARACTER}"
    assert seen.text.split("\n")[1] == output.text.split("\n")[2]
    assert output.details.hunks[0].lines[-1] == " # caf\N{REPLACEMENT CHARACTER}"


async def test_a_long_replacement_is_shown_short(desk, call) -> None:
    desk.write("f", "a\nb\nc\n")
    await call(READ, file_path="f")
    output = await call(EDIT, file_path="f", old_string="b", new_string="n\n" * 300)
    assert len(output.text.split("\n")) <= 12


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nB1\nB2", b"a\r\nB1\r\nB2\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b\r\n", "B\r\n", b"a\r\nB\r\nc\r\n"),
        (b"one\r\ntwo\nthree\r\n", "two", "2\n2", b"one\r\n2\n2\nthree\r\n"),
        (b"one\r\ntwo\nthree\r\n", "one\ntwo\nthree", "one\n2\nthree", b"one\r\n2\nthree\r\n"),
        (b"\xef\xbb\xbfA\nB\n", "B", "C", b"\xef\xbb\xbfA\nC\n"),
        (b"\xef\xbb\xbfA\nB\n", "A", "", b"\xef\xbb\xbf\nB\n"),
        (b"x = 1\n# caf\xe9\n", "x = 1", "x = 2", b"x = 2\n# caf\xe9\n"),
        (b"x = 1\n# \xc4\xe3\xba\xc3\n", "x = 1", "x = 2", b"x = 2\n# \xc4\xe3\xba\xc3\n"),
        (b"no newline", "no", "still no", b"still no newline"),
        (b"a\x0cb\xe2\x80\xa8c\n", "b", "B", b"a\x0cB\xe2\x80\xa8c\n"),
        ("\ufeffé\r\n".encode("utf-16-le"), "é", "è", "\ufeffè\r\n".encode("utf-16-le")),
    ],
)
async def test_only_the_change_changes(desk, call, before: bytes, old: str, new: str, after: bytes) -> None:
    assert await edited(desk, call, before, old, new) == after


TEXT = st.text(st.sampled_from("ab\n\té"), max_size=40)


@given(TEXT, st.text(st.sampled_from("ab\n"), min_size=1, max_size=4), TEXT)
def test_equals_str_replace(text: str, old: str, new: str) -> None:
    replaced = replace_at(text, occurrences(text, old), old, new)
    assert replaced.text == text.replace(old, new)
    assert all(replaced.text.startswith(new, start) for start in replaced.starts)


@given(TEXT, st.text(st.sampled_from("ab\n"), min_size=1, max_size=4), TEXT)
def test_equals_str_replace_in_a_file_of_crlf(text: str, old: str, new: str) -> None:
    crlf = text.replace("\n", "\r\n")
    assume("\n" in text)  # without a line break there is no ending to keep
    replaced = replace_at(crlf, occurrences(text, old), old, new)
    assert replaced.text == text.replace(old, new).replace("\n", "\r\n")


@given(st.lists(st.tuples(st.text("ab", max_size=4), st.sampled_from(["\n", "\r\n"])), max_size=12), st.data())
def test_lines_outside_keep_their_own_endings(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    raw = "".join(line + ending for line, ending in lines) + "end"
    at = data.draw(st.integers(0, len(lines)))
    marked = "".join(("!" if i == at else "") + line + ending for i, (line, ending) in enumerate([*lines, ("end", "")]))
    replaced = replace_at(marked, occurrences(to_lf(marked), "!"), "!", "?\n?")
    assert replaced.text.replace("?\r\n?", "").replace("?\n?", "") == raw


async def test_ambiguity_names_the_lines_and_replace_all_takes_them(desk, call) -> None:
    file = desk.write("f", "x\ny\nx\n")
    await call(READ, file_path="f")
    with pytest.raises(ToolError, match=r"2 times .*lines 1, 3"):
        await call(EDIT, file_path="f", old_string="x", new_string="z")
    output = await call(EDIT, file_path="f", old_string="x", new_string="z", replace_all="true")
    assert output.text == "Replaced 2 occurrences in f."
    assert file.read_text() == "z\ny\nz\n"


@pytest.mark.parametrize(
    ("text", "old", "why"),
    [
        ("\tif x:\n\t\ty()\n", "    if x:\n        y()", r'whitespace .*"\\tif x:\\n\\t\\ty\(\)"'),
        ("say “hi”\n", 'say "hi"', r"look-alike .*U\+201C .*\\u201c"),
        ("a\u00a0b\n", "a b", r"U\+00A0 no-break space.*a\\u00a0b"),
        ("cafe\u0301\n", "caf\u00e9", r"look-alike characters \(U\+00E9.*U\+0301"),
        ("a\u200bb\n", "ab", r"U\+200B"),
        ("one\ntwo\n", "1\tone\n2\ttwo", "line numbers"),
        ("one\ntwo !\n", "one\ntwo\n", "line 1, but not with the line breaks"),
        ("one\n", "\n\n", "Read the part"),
        ("one\n", "something else", "Read the part"),
    ],
)
async def test_a_near_miss_is_explained_and_nothing_changes(desk, call, text: str, old: str, why: str) -> None:
    file = desk.write("f", text)
    await call(READ, file_path="f")
    with pytest.raises(ToolError, match=f"(?s)is not in .*{why}"):
        await call(EDIT, file_path="f", old_string=old, new_string="new")
    assert file.read_text() == text


async def test_quotes_are_never_straightened(desk, call) -> None:
    assert await edited(desk, call, "l’a ‘b’\n".encode(), "‘b’", "'c' “d”") == "l’a 'c' “d”\n".encode()


async def test_an_unread_file_is_refused(desk, call) -> None:
    desk.write("f", "x\n")
    with pytest.raises(ToolError, match="Read it first"):
        await call(EDIT, file_path="f", old_string="x", new_string="y")


async def test_a_touched_file_with_the_same_bytes_is_fresh(desk, call) -> None:
    file = desk.write("f", "x\n")
    await call(READ, file_path="f")
    os.utime(file, (2_000_000_000, 2_000_000_000))
    assert "changed" not in (await call(EDIT, file_path="f", old_string="x", new_string="y")).text


async def test_a_changed_file_is_edited_only_where_the_text_is_still_unique(desk, call) -> None:
    file = desk.write("f", "x\nmine\n")
    await call(READ, file_path="f")
    file.write_text("x\nmine\nx\ntheirs\n")
    with pytest.raises(ToolError, match="has changed since"):
        await call(EDIT, file_path="f", old_string="x", new_string="y")
    with pytest.raises(ToolError, match="has changed since"):
        await call(EDIT, file_path="f", old_string="x", new_string="y", replace_all=True)
    with pytest.raises(ToolError, match="Read it again"):
        await call(EDIT, file_path="f", old_string="gone", new_string="y")
    output = await call(EDIT, file_path="f", old_string="mine", new_string="ours")
    assert "had changed since you read it" in output.text
    assert file.read_text() == "x\nours\nx\ntheirs\n"
    assert desk.read_state.get(file).partial  # theirs was never seen


async def test_edits_follow_each_other_without_another_read(desk, call) -> None:
    file = desk.write("f", "x\n")
    await call(READ, file_path="f")
    await call(EDIT, file_path="f", old_string="x", new_string="y")
    await call(EDIT, file_path="f", old_string="y", new_string="z")
    assert file.read_text() == "z\n"


async def test_an_empty_old_string_makes_a_new_file_only(desk, call) -> None:
    output = await call(EDIT, file_path="new/f", old_string="", new_string="x\n")
    assert output.text == "Created new/f." and output.details.created
    with pytest.raises(ToolError, match="exists"):
        await call(EDIT, file_path="new/f", old_string="", new_string="y\n")
    assert (desk.root / "new/f").read_text() == "x\n"
    with pytest.raises(ToolError, match="does not exist"):
        await call(EDIT, file_path="nowhere", old_string="a", new_string="b")


async def test_text_a_legacy_file_cannot_hold_is_refused(desk, call) -> None:
    file = desk.write("f", b"x = 1\n# caf\xe9\n")
    await call(READ, file_path="f")
    with pytest.raises(ToolError, match="not UTF-8"):
        await call(EDIT, file_path="f", old_string="x = 1", new_string="x = 日")
    assert file.read_bytes() == b"x = 1\n# caf\xe9\n"


async def test_keys_are_masked_in_all_that_is_shown(desk, call) -> None:
    desk.env["MY_API_KEY"] = "key-123456789"
    file = desk.write("f", "a = 1\nk = key-123456789\n")
    await call(READ, file_path="f")
    output = await call(EDIT, file_path="f", old_string="a = 1", new_string="a = 2")
    assert "2\tk = [masked]" in output.text and "123456789" not in str(output)
    with pytest.raises(ToolError) as caught:
        await call(EDIT, file_path="f", old_string="a  = 2\nk = key-123456789", new_string="x")
    assert "[masked]" in str(caught.value) and "123456789" not in str(caught.value)
    assert file.read_text() == "a = 2\nk = key-123456789\n"


async def test_links_modes_and_snapshots(desk, call) -> None:
    file = desk.write("real.sh", "x\n")
    file.chmod(0o755)
    (desk.root / "link").symlink_to("real.sh")
    (desk.root / "chain").symlink_to("link")
    await call(READ, file_path="real.sh")
    await call(EDIT, file_path="chain", old_string="x", new_string="y")
    assert (desk.root / "link").is_symlink() and (desk.root / "chain").is_symlink()
    assert file.read_text() == "y\n" and file.stat().st_mode & 0o777 == 0o755
    assert desk.snapshots == [file]


async def test_what_is_no_text_file_is_refused(desk, call) -> None:
    desk.write("bin", b"\0\1\2")
    (desk.root / "loop").symlink_to("loop")
    os.mkfifo(desk.root / "p")
    for name, why in [("bin", "binary"), ("loop", "cannot be used"), ("p", "named pipe"), (".", "directory")]:
        with pytest.raises(ToolError, match=why):
            await call(EDIT, file_path=name, old_string="a", new_string="b")


def test_preview_shows_the_change_and_makes_none(desk) -> None:
    file = desk.write("f", "x\n")
    parsed = EDIT.parse({"file_path": "f", "old_string": "x", "new_string": "y"})
    assert EDIT.preview(parsed, desk.context()) is None
    READ._read(READ.parse({"file_path": "f"}), desk.context())
    preview = EDIT.preview(parsed, desk.context())
    assert preview is not None and preview.hunks[0].lines == ("-x", "+y")
    assert file.read_text() == "x\n" and not desk.snapshots


def test_subject_is_a_write_to_the_file(tmp_path: Path) -> None:
    subject = EDIT.subject(EDIT.parse({"file_path": "/etc/x", "old_string": "a", "new_string": "b"}), tmp_path)
    assert (subject.access, subject.title, subject.paths) == ("write", "Edit /etc/x", (Path("/etc/x"),))


def test_equal_strings_are_refused() -> None:
    with pytest.raises(InvalidToolInput, match="the same"):
        EDIT.parse({"file_path": "f", "old_string": "a", "new_string": "a"})
