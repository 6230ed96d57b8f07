"""Read: pages, notices, what is refused, and pictures."""

import os
import socket
import struct
import zlib
from pathlib import Path

import pytest

from agent.protocol.details import FileText
from agent.protocol.errors import InvalidToolInput, ToolError
from agent.tools.limits import Limits
from agent.tools.read import Read


@pytest.fixture
def read() -> Read:
    return Read(Limits())


async def test_numbers_lines_and_keeps_tabs(desk, call, read) -> None:
    desk.write("a.go", "func f() {\n\treturn\n}\n")
    output = await call(read, file_path="a.go")
    assert output.text == "1\tfunc f() {\n2\t\treturn\n3\t}"
    assert output.details == FileText(path=str(desk.root / "a.go"), first_line=1, lines=3, total_lines=3)


async def test_offset_and_limit_say_how_much_there_is(desk, call, read) -> None:
    desk.write("a", "".join(f"line {i}\n" for i in range(1, 11)))
    output = await call(read, file_path="a", offset="3", limit=2.0)
    assert output.text == "3\tline 3\n4\tline 4\n[Lines 3-4 of 10.]"
    assert (await call(read, file_path="a", offset=9, limit=50)).text == "9\tline 9\n10\tline 10"
    assert (await call(read, file_path="a", offset=0)).text.startswith("1\tline 1\n")


async def test_default_page_names_the_offset_to_go_on(desk, call, read) -> None:
    desk.write("a", "x\n" * 4_500)
    first = await call(read, file_path="a")
    assert first.text.endswith("2000\tx\n[PARTIAL view: lines 1-2000 of 4500. Go on with offset=2001.]")
    assert (await call(read, file_path="a", offset=4_001)).text.endswith("4500\tx")


async def test_too_many_tokens_give_a_first_page(desk, call) -> None:
    desk.write("a", "".join(f"{i:04d}{'y' * 96}\n" for i in range(1, 501)))
    output = await call(Read(Limits(read_tokens=1_000)), file_path="a")
    assert len(output.text) < 5_000
    assert "[PARTIAL view: lines 1-35 of 500. Go on with offset=36.]" in output.text


async def test_pages_follow_each_other_without_gap_in_a_file_larger_than_a_chunk(desk, call) -> None:
    lines = [f"{i}:" + "é" * (i % 700) for i in range(1, 4_001)]
    desk.write("big", "\r\n".join(lines))
    seen: list[str] = []
    while len(seen) < len(lines):
        output = await call(Read(Limits(read_tokens=100_000)), file_path="big", offset=len(seen) + 1)
        page = [row for row in output.text.split("\n") if not row.startswith("[")]
        assert page[0].startswith(f"{len(seen) + 1}\t")
        seen += [row.partition("\t")[2] for row in page]
    assert seen == lines


async def test_long_lines_are_cut(desk, call, read) -> None:
    desk.write("a", "z" * 3_000_000 + "\nshort\n")
    output = await call(read, file_path="a")
    assert output.text == "1\t" + "z" * 2_000 + " [... line cut]\n2\tshort"
    stamp = desk.read_state.get(desk.root / "a")
    assert stamp is not None and stamp.partial


async def test_empty_file_and_offset_past_the_end_are_told(desk, call, read) -> None:
    desk.write("empty", "")
    desk.write("one", "x\n")
    assert (await call(read, file_path="empty")).text == "[The file is empty.]"
    assert (await call(read, file_path="one", offset=7)).text == "[The file has 1 line; line 7 is past its end.]"


async def test_missing_file_names_its_neighbour(desk, call, read) -> None:
    desk.write("settings.py", "x\n")
    with pytest.raises(ToolError, match=r"does not exist.*Did you mean .*settings\.py"):
        await call(read, file_path="setings.py")
    with pytest.raises(ToolError, match="working directory"):
        await call(read, file_path="no/such/file")


async def test_what_is_no_regular_file_is_refused_at_once(desk, call, read, monkeypatch) -> None:
    os.mkfifo(desk.root / "p")
    with pytest.raises(ToolError, match="named pipe"):
        await call(read, file_path="p")
    with pytest.raises(ToolError, match="device"):
        await call(read, file_path="/dev/zero")
    with pytest.raises(ToolError, match="is a directory"):
        await call(read, file_path=".")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(desk.root)  # a socket's whole path may be too long
        server.bind("s")
        with pytest.raises(ToolError, match="socket"):
            await call(read, file_path="s")
    (desk.root / "loop").symlink_to("loop")
    with pytest.raises(ToolError, match="cannot be used"):
        await call(read, file_path="loop")


async def test_binaries_are_refused_plainly(desk, call, read) -> None:
    desk.write("a.out", b"\x7fELF\x02\x01\x01" + bytes(100))
    desk.write("doc.pdf", b"%PDF-1.7\n\0\0\0\0")
    with pytest.raises(ToolError, match="is a binary file"):
        await call(read, file_path="a.out")
    with pytest.raises(ToolError, match="is a PDF"):
        await call(read, file_path="doc.pdf")


async def test_other_encodings(desk, call, read) -> None:
    desk.write("latin", b"x = 1\n# caf\xe9\n")
    desk.write("utf16", "﻿één\r\ntwee\r\n".encode("utf-16-le"))
    desk.write("bom", b"\xef\xbb\xbfA\nB\n")
    latin = await call(read, file_path="latin")
    assert latin.text == "1\tx = 1\n2\t# caf�\n[Some bytes are not valid UTF-8 and are shown as �.]"
    assert (await call(read, file_path="utf16")).text == "1\téén\n2\ttwee"
    assert (await call(read, file_path="bom")).text == "1\tA\n2\tB"


async def test_a_partial_read_is_remembered_as_partial(desk, call, read) -> None:
    file = desk.write("a", "1\n2\n3\n")
    await call(read, file_path="a", limit=1)
    assert desk.read_state.get(file).partial
    await call(read, file_path="a")
    assert not desk.read_state.get(file).partial
    assert desk.read_state.recent() == (file,)


async def test_keys_of_the_environment_are_masked(desk, call, read) -> None:
    desk.env["ANTHROPIC_API_KEY"] = "sk-ant-very-secret"
    desk.write(".env", "KEY=sk-ant-very-secret\n")
    assert (await call(read, file_path=".env")).text == "1\tKEY=[masked]"


async def test_an_unchanged_whole_file_may_be_told_in_one_line(desk, call) -> None:
    read = Read(Limits(unchanged_notice=True))
    desk.write("a", "1\n2\n")
    await call(read, file_path="a", limit=1)
    assert (await call(read, file_path="a")).text == "1\t1\n2\t2"
    assert "unchanged" in (await call(read, file_path="a")).text
    desk.write("a", "1\n3\n")
    assert (await call(read, file_path="a")).text == "1\t1\n2\t3"


def png(width: int, height: int, padding: int = 0) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"tEXt", b"k\0" + b"x" * padding) + chunk(b"IEND", b"")


async def test_pictures_become_image_blocks(desk, call, read) -> None:
    desk.write("p.dat", png(3, 2))
    output = await call(read, file_path="p.dat")
    assert output.images[0].source["media_type"] == "image/png"
    assert output.text.startswith("p.dat: image/png, 3x2, ")


@pytest.mark.parametrize(
    ("data", "why"),
    [(png(3, 2, 4_000_000), "at most"), (png(9_000, 2), "pixels"), (png(1, 1)[:20], "cut short")],
)
async def test_pictures_the_api_would_refuse_are_refused_here(desk, call, read, data: bytes, why: str) -> None:
    desk.write("p.png", data)
    with pytest.raises(ToolError, match=why):
        await call(read, file_path="p.png")


def test_subject_names_the_link_and_its_target(desk, read, tmp_path: Path) -> None:
    target = tmp_path / "outside.txt"
    target.write_text("x")
    (desk.root / "link").symlink_to(target)
    subject = read.subject(read.parse({"file_path": "./sub/../link"}), desk.root)
    assert subject.title == "Read link"
    assert subject.paths == (desk.root / "link", target)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"file_path": 3},
        {"file_path": " "},
        {"file_path": "a\0"},
        {"file_path": "a", "limit": "x"},
        {"file_path": "a", "offset": True},
        {"file_path": "\ud800"},
    ],
)
def test_bad_arguments_are_said_plainly(read, raw: dict[str, object]) -> None:
    with pytest.raises(InvalidToolInput, match=r"^Read: `"):
        read.parse(raw)
