"""text_file: whatever the bytes, text that is not changed goes back as it came."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools.text_file import decode

MARKS = [b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE]


@given(st.sampled_from(MARKS), st.binary(max_size=200))
def test_bytes_go_back_unchanged(mark: bytes, body: bytes) -> None:
    file = decode(mark + body)
    assert file is None or file.to_bytes() == mark + body


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])),
    st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]),
)
def test_marked_text_is_read(text: str, encoding: str) -> None:
    file = decode(text.encode(encoding))
    assert file is not None and file.text == text and file.is_utf8


@pytest.mark.parametrize("data", [b"\x7fELF\0\0", b"\x01\x02\x03\x04text", codecs.BOM_UTF16_LE + b"abc"])
def test_binaries_are_no_text(data: bytes) -> None:
    assert decode(data) is None


@pytest.mark.parametrize(("data", "newline"), [(b"a\r\nb\r\n", "\r\n"), (b"a\nb\r\n", "\n"), (b"", "\n"), (b"a", "\n")])
def test_the_prevailing_line_ending(data: bytes, newline: str) -> None:
    file = decode(data)
    assert file is not None and file.newline == newline


def test_legacy_bytes_are_known_as_such() -> None:
    file = decode(b"caf\xe9")
    assert file is not None and not file.is_utf8
