"""Write: new files byte-exact, old ones only when seen whole, in their own style."""

import pytest

from agent.protocol.errors import ToolError
from agent.tools.limits import Limits
from agent.tools.read import Read
from agent.tools.write import Write

READ, WRITE = Read(Limits()), Write()


async def test_creates_with_parents_and_byte_exact(desk, call) -> None:
    content = "l’a “b” — \u2011 \u00a0\r\nmixed\n"
    output = await call(WRITE, file_path="a/b/c.txt", content=content)
    assert output.text == "Created a/b/c.txt (2 lines)."
    assert (desk.root / "a/b/c.txt").read_bytes() == content.encode()
    assert output.details.created and output.details.added == 2
    await call(WRITE, file_path="a/b/c.txt", content="")  # what we wrote we know
    assert (desk.root / "a/b/c.txt").read_bytes() == b""


async def test_an_unread_file_is_not_overwritten(desk, call) -> None:
    file = desk.write("f", "theirs\n")
    with pytest.raises(ToolError, match="Read it first"):
        await call(WRITE, file_path="f", content="mine\n")
    await call(READ, file_path="f")
    file.write_text("changed\n")
    with pytest.raises(ToolError, match="changed since"):
        await call(WRITE, file_path="f", content="mine\n")
    assert file.read_text() == "changed\n"
    await call(READ, file_path="f")
    assert (await call(WRITE, file_path="f", content="mine\n")).text == "Updated f (1 line)."
    assert file.read_text() == "mine\n"


async def test_a_file_seen_in_part_is_not_overwritten(desk, call) -> None:
    file = desk.write("f", "1\n2\n3\n")
    await call(READ, file_path="f", limit=2)
    with pytest.raises(ToolError, match="only a part"):
        await call(WRITE, file_path="f", content="x")
    assert file.read_text() == "1\n2\n3\n"


@pytest.mark.parametrize(
    ("before", "content", "after", "said"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n", "CRLF"),
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\r\n", "CRLF"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n", "byte-order mark"),
        ("\ufeffa\n".encode("utf-16-le"), "é\n", "\ufeffé\n".encode("utf-16-le"), "UTF-16-LE"),
        (b"caf\xe9\n", "caf\u00e9\n", b"caf\xc3\xa9\n", "not UTF-8 before"),
        (b"a\nb\n", "x\r\ny\n", b"x\r\ny\n", "Updated f"),
    ],
)
async def test_the_files_style_is_kept_and_said(desk, call, before, content, after, said) -> None:
    file = desk.write("f", before)
    await call(READ, file_path="f")
    output = await call(WRITE, file_path="f", content=content)
    assert file.read_bytes() == after
    assert said in output.text


async def test_goes_through_links_and_keeps_the_mode(desk, call) -> None:
    file = desk.write("real", "x\n")
    file.chmod(0o600)
    (desk.root / "link").symlink_to("real")
    await call(READ, file_path="link")
    await call(WRITE, file_path="link", content="y\n")
    assert (desk.root / "link").is_symlink()
    assert file.read_text() == "y\n" and file.stat().st_mode & 0o777 == 0o600


async def test_a_file_where_a_folder_should_be_is_an_error(desk, call) -> None:
    desk.write("f", "x")
    with pytest.raises(ToolError, match="Could not write"):
        await call(WRITE, file_path="f/g", content="y")
    with pytest.raises(ToolError, match="is a directory"):
        await call(WRITE, file_path=".", content="y")


async def test_a_device_is_refused(desk, call) -> None:
    with pytest.raises(ToolError, match="device"):
        await call(WRITE, file_path="/dev/full", content="y")


def test_preview_is_the_difference(desk) -> None:
    desk.write("f", "a\nb\n")
    parsed = WRITE.parse({"file_path": "f", "content": "a\nB\n"})
    assert WRITE.preview(parsed, desk.context()) is None
    READ._read(READ.parse({"file_path": "f"}), desk.context())
    assert WRITE.preview(parsed, desk.context()).hunks[0].lines == (" a", "-b", "+B")
    new = WRITE.preview(WRITE.parse({"file_path": "g", "content": "a\n"}), desk.context())
    assert new.created and not (desk.root / "g").exists()
