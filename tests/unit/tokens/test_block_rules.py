"""Each kind of block has its rule: text, thinking, calls, results, pictures, documents, and what nobody knows."""

import base64

import pytest

from agent.protocol.blocks import Document, Image, Opaque, RedactedThinking, Text, Thinking, ToolResult, ToolUse
from agent.protocol.messages import Message
from agent.tokens.features import estimate_text
from agent.tokens.media import image_tokens
from agent.tokens.messages import BLOCK_OVERHEAD, estimate_block, estimate_message
from tests.support.pictures import gif, jpeg, png, webp_extended, webp_lossless, webp_lossy

WORDS = "The parser returns an error for an unknown option. " * 20


def base64_source(data: bytes, media: str) -> dict[str, object]:
    return {"type": "base64", "media_type": media, "data": base64.b64encode(data).decode()}


@pytest.mark.parametrize("encode", [png, gif, jpeg, webp_extended, webp_lossy, webp_lossless])
@pytest.mark.parametrize(("width", "height", "tokens"), [(750, 100, 100), (1, 1, 1), (300, 301, 121)])
def test_a_picture_costs_its_pixels(encode: object, width: int, height: int, tokens: int) -> None:
    assert callable(encode)
    assert image_tokens(base64_source(encode(width, height), "image/x")) == tokens


def test_a_large_picture_is_scaled_down_first() -> None:
    assert image_tokens(base64_source(png(3_136, 784), "image/png")) == pytest.approx(1_568 * 392 / 750, abs=1)
    assert image_tokens(base64_source(png(60_000, 60_000), "image/png")) == 1_600


@pytest.mark.parametrize(
    "source",
    [
        {"type": "url", "url": "https://example.com/a.png"},
        {"type": "base64", "data": "not base64 at all!"},
        {"type": "base64", "data": "☃☃☃☃"},
        {"type": "base64", "data": 7},
        base64_source(b"", "image/png"),
        base64_source(png(10, 10)[:14], "image/png"),
        base64_source(png(0, 10), "image/png"),
        base64_source(jpeg(10, 10)[:5_000], "image/jpeg"),
        base64_source(b"\xff\xd8garbage", "image/jpeg"),
        base64_source(b"RIFF0000WEBPVP9 " + bytes(20), "image/webp"),
        base64_source(b"BM" + bytes(60), "image/bmp"),
        {},
    ],
)
def test_a_picture_whose_size_cannot_be_told_costs_the_most(source: dict[str, object]) -> None:
    assert image_tokens(source) == 1_600


def test_a_block_costs_its_text_and_a_frame() -> None:
    assert estimate_block(Text(text=WORDS)) == estimate_text(WORDS) + BLOCK_OVERHEAD
    assert estimate_block(Text(text="")) == BLOCK_OVERHEAD


def test_a_call_costs_its_name_and_its_input_as_json() -> None:
    call = ToolUse(id="toolu_1", name="Bash", input={"command": "ls -la", "中": [1, None]})
    content = estimate_text("Bash") + estimate_text('{"command":"ls -la","中":[1,null]}')
    assert estimate_block(call) == content + BLOCK_OVERHEAD


def test_a_result_costs_what_it_holds() -> None:
    plain = ToolResult(tool_use_id="toolu_1", content=WORDS)
    assert estimate_block(plain) == estimate_text(WORDS) + BLOCK_OVERHEAD
    picture = Image(source=base64_source(png(750, 100), "image/png"))
    nested = ToolResult(tool_use_id="toolu_1", content=[Text(text=WORDS), picture])
    assert estimate_block(nested) == estimate_text(WORDS) + 100 + 3 * BLOCK_OVERHEAD


def test_hidden_thinking_is_told_from_its_seal() -> None:
    shown = Thinking(thinking=WORDS, signature="x" * 9_000)
    assert estimate_block(shown) == estimate_text(WORDS) + BLOCK_OVERHEAD
    assert estimate_block(Thinking(thinking="", signature="x" * 300)) == 100 + BLOCK_OVERHEAD
    assert estimate_block(RedactedThinking(data="x" * 300)) == 100 + BLOCK_OVERHEAD


def test_documents_have_rules_of_their_own() -> None:
    pages = b"%PDF-1.7 /Type /Pages " + b"<< /Type /Page >> <</Type/Page/Parent 1 0 R>> " * 3
    packed = b"%PDF-1.7" + bytes(120_000)
    by_text = {"type": "text", "media_type": "text/plain", "data": WORDS}
    assert estimate_block(Document(source=base64_source(pages, "application/pdf"))) == 6 * 2_000 + BLOCK_OVERHEAD
    assert estimate_block(Document(source=base64_source(packed, "application/pdf"))) == 3 * 2_000 + BLOCK_OVERHEAD
    assert estimate_block(Document(source=by_text)) == estimate_text(WORDS) + BLOCK_OVERHEAD
    assert estimate_block(Document(source={"type": "content", "content": WORDS})) >= estimate_text(WORDS)
    assert estimate_block(Document(source={"type": "url", "url": "x"})) == 2_000 + BLOCK_OVERHEAD


def test_what_nobody_knows_is_weighed_by_its_bytes() -> None:
    assert estimate_block(Opaque(kind="server_thing", raw=b"x" * 300)) == 100 + BLOCK_OVERHEAD


def test_a_message_is_the_sum_of_its_blocks() -> None:
    message = Message(role="user", blocks=(Text(text=WORDS), Text(text="Go on.")))
    assert estimate_message(message, "v3") == estimate_block(Text(text=WORDS), "v3") + estimate_block(
        Text(text="Go on."), "v3"
    )
