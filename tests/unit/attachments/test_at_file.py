"""Mentions of files and folders on a real disk."""

import base64
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.attachments.at_file import MAX_BYTES, MAX_ENTRIES, MAX_LINES, MAX_MENTIONS, Attachment, expand_mentions
from tests.support.pictures import png, webp_lossy

Expand = Callable[[str], tuple[Attachment, ...]]


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    folder = (tmp_path / "work").resolve()
    folder.mkdir()
    (folder / "a.py").write_text("one\ntwo\nthree\n")
    return folder


@pytest.fixture
def expand(cwd: Path) -> Expand:
    return lambda text: expand_mentions(text, cwd=cwd, roots=(), may_read=lambda _path: True)


@pytest.mark.parametrize(
    "text",
    ["@a.py", "see @a.py.", "(@a.py)", "what is in @a.py?", '@"a.py"', "x\n@a.py\n", "@./a.py, please", "@a.py @a.py"],
)
def test_file_is_attached_once_with_line_numbers(expand: Expand, cwd: Path, text: str) -> None:
    (found,) = expand(text)
    assert found.path == cwd / "a.py"
    assert found.text == f"File {cwd}/a.py:\n     1\tone\n     2\ttwo\n     3\tthree"
    assert found.whole


@pytest.mark.parametrize("text", ["me@a.py", "@missing.py", "@", "@ a.py", "a @property", '@"', "@a.py\0", "@a.py/b"])
def test_other_words_stay_as_typed(expand: Expand, text: str) -> None:
    assert expand(text) == ()


def test_stamp_is_that_of_the_bytes_read(expand: Expand, cwd: Path) -> None:
    (found,) = expand("@a.py")
    assert found.stamp is not None
    assert found.stamp.sha256 == hashlib.sha256((cwd / "a.py").read_bytes()).hexdigest()
    assert found.stamp.mtime_ns == (cwd / "a.py").stat().st_mtime_ns


@pytest.mark.parametrize(
    ("suffix", "numbers"), [("#L2", ["2"]), ("#L2-3", ["2", "3"]), ("#L2-L3", ["2", "3"]), ("#L3-1", ["3"])]
)
def test_lines_asked_for(expand: Expand, suffix: str, numbers: list[str]) -> None:
    (found,) = expand(f"@a.py{suffix}")
    assert [line.split("\t")[0].strip() for line in found.text.splitlines()[1:]] == numbers
    assert not found.whole


def test_lines_that_are_not_there(expand: Expand) -> None:
    (found,) = expand("@a.py#L99")
    assert "has no line 99" in found.text
    assert not found.whole


def test_file_whose_name_looks_like_a_range_wins(expand: Expand, cwd: Path) -> None:
    (cwd / "a.py#L2").write_text("odd")
    assert [found.path.name for found in expand("@a.py#L2")] == ["a.py#L2"]


def test_quoted_path_with_spaces(expand: Expand, cwd: Path) -> None:
    (cwd / "my file.txt").write_text("hi")
    assert [found.path.name for found in expand('read @"my file.txt" now')] == ["my file.txt"]


def test_folder_is_listed(expand: Expand, cwd: Path) -> None:
    (cwd / "src").mkdir()
    (cwd / "src" / "z.py").touch()
    (cwd / "src" / "deep").mkdir()
    (found,) = expand("@src/")
    assert found.text == f"Folder {cwd}/src:\ndeep/\nz.py"
    for number in range(MAX_ENTRIES):
        (cwd / "src" / f"n{number}").touch()
    assert expand("@src")[0].text.endswith("... and 2 more")


def test_long_file_is_cut_and_does_not_count_as_read(expand: Expand, cwd: Path) -> None:
    (cwd / "long.txt").write_text("x\n" * (MAX_LINES + 1))
    (cwd / "wide.txt").write_text("y" * (MAX_BYTES + 1))
    long, wide = expand("@long.txt @wide.txt")
    assert f"lines 1-{MAX_LINES} only" in long.text
    assert len(wide.text) < MAX_BYTES + 500
    assert not long.whole
    assert not wide.whole


def test_empty_and_binary_files(expand: Expand, cwd: Path) -> None:
    (cwd / "empty").touch()
    (cwd / "blob").write_bytes(b"\x7fELF\0\0\1\2")
    empty, blob = expand("@empty @blob")
    assert "is empty" in empty.text
    assert empty.whole
    assert "binary" in blob.text
    assert not blob.whole


def test_bytes_that_are_no_text_can_be_sent(expand: Expand, cwd: Path) -> None:
    (cwd / "latin").write_bytes(b"caf\xe9 ol\xe9\r\n")
    (found,) = expand("@latin")
    assert "caf\ufffd ol\ufffd" in found.text
    assert "\r" not in found.text
    found.text.encode()


@pytest.mark.parametrize(("encode", "kind"), [(png, "image/png"), (webp_lossy, "image/webp")])
def test_image_is_attached_by_what_it_holds(
    expand: Expand, cwd: Path, encode: Callable[[int, int], bytes], kind: str
) -> None:
    (cwd / "picture").write_bytes(data := encode(3, 2))
    (found,) = expand("@picture")
    assert found.image is not None
    assert found.image.source["media_type"] == kind
    assert base64.b64decode(str(found.image.source["data"])) == data
    assert not found.whole


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (png(3, 2) + bytes(4_000_000), "larger than the API takes"),
        (png(9_000, 2), "larger than the API takes"),
        (png(3, 2)[:14], "damaged"),
    ],
)
def test_an_image_that_the_api_would_refuse_is_named_only(expand: Expand, cwd: Path, data: bytes, why: str) -> None:
    (cwd / "big.png").write_bytes(data)
    (found,) = expand("@big.png")
    assert found.image is None
    assert why in found.text


def test_pipe_is_not_opened(expand: Expand, cwd: Path) -> None:
    os.mkfifo(cwd / "pipe")
    assert expand("@pipe") == ()


def test_denied_file_is_left_out_even_through_a_link(cwd: Path) -> None:
    secret = cwd / "secret"
    secret.write_text("key")
    (cwd / "innocent").symlink_to(secret)
    (cwd / "loop").symlink_to(cwd / "loop")
    found = expand_mentions("@innocent @secret @loop @a.py", cwd=cwd, roots=(), may_read=lambda path: path != secret)
    assert [attachment.path.name for attachment in found] == ["a.py"]


def test_roots_are_searched_after_the_working_directory(cwd: Path, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "other"
    other.mkdir()
    (other / "a.py").write_text("other")
    (other / "b.py").write_text("other")
    found = expand_mentions("@a.py @b.py", cwd=cwd, roots=(other,), may_read=lambda _path: True)
    assert [attachment.path for attachment in found] == [cwd / "a.py", other / "b.py"]


def test_number_of_mentions_is_bounded(expand: Expand, cwd: Path) -> None:
    for number in range(MAX_MENTIONS + 5):
        (cwd / f"f{number}").write_text("x")
    assert len(expand(" ".join(f"@f{number}" for number in range(MAX_MENTIONS + 5)))) == MAX_MENTIONS
