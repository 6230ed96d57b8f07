"""The counter: how near it comes to a tokenizer, and what it must do with any text at all."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.tokens.features import Features, estimate_text, measure

TOKENIZERS = ["v3", "v4.8", "other"]
PROGRAM = "def compute_tiers(windows, *, auto, pct=None):\n    return threshold(windows, pct)\n"
LISTING = "-rw-r--r--  1 root root  4661 Nov 30 13:35 setup.cfg\ndrwxr-xr-x  5 root root  4096 Nov 30 13:32 tests\n"
PATCH = """diff --git a/app/views.py b/app/views.py
index 3f2a1bc..9d8e7f6 100644
--- a/app/views.py
+++ b/app/views.py
@@ -10,7 +10,7 @@ def index(request):
-    return None
+    return render(request)
"""
TRACEBACK = """Traceback (most recent call last):
  File "main.py", line 12, in <module>
    raise ValueError("bad value")
ValueError: bad value
"""


@pytest.mark.parametrize(
    ("text", "v48", "v3"),
    [
        (PROGRAM, 34, 27),
        ("I need to look at where the error is raised, then write a test that fails before the change.", 23, 21),
        ('{"command": "ls -la", "timeout": 120000, "cwd": "src/app"}', 30, 24),
        (LISTING, 64, 56),
        (PATCH, 95, 89),
        (TRACEBACK, 49, 38),
        ("3.14159 2,718 1000000 0xff 12:30:45", 22, 22),
        ("It's what they'd call a test, isn't it?", 15, 13),
    ],
)
def test_what_an_agent_reads_is_counted_within_a_few_tokens(text: str, v48: int, v3: int) -> None:
    assert estimate_text(text, "v4.8") == pytest.approx(v48, abs=3)
    assert estimate_text(text, "v3") == pytest.approx(v3, abs=3)


@pytest.mark.parametrize(
    ("text", "v48", "v3"),
    [
        ("The quick brown fox jumps over the lazy dog, and nobody was surprised by it at all.", 31, 20),
        ("上下文管理、压缩与检查点：控制消息历史长度。", 23, 24),
        ("🙂 done 🚀", 9, 10),
        ("q9Zk3vXb7Lm2Wp8Rt5Yc1Nd6Hf4Jg0Ks", 41, 38),
    ],
)
def test_what_no_table_holds_is_counted_by_its_shape(text: str, v48: int, v3: int) -> None:
    assert estimate_text(text, "v4.8") == pytest.approx(v48, rel=0.25)
    assert estimate_text(text, "v3") == pytest.approx(v3, rel=0.25)


def test_the_shape_is_taken_of_what_the_table_lacks() -> None:
    table = {b"the": 1, b"s=s": 1}
    nothing = dict.fromkeys(Features.__struct_fields__, 0)
    features = measure("the Frobnicator = the thing ====== 12", table)
    assert msgspec.structs.asdict(features) == nothing | {
        "known": 1 + 1 + 1 + 2,  # the, the, " = ", 12 and the blank before it
        "words": 2,
        "letters": len("Frobnicatorthing"),
        "long_letters": len("cator"),
        "upper": 1,
        "sign_runs": 1,
        "signs": 4,
        "repeats": 2,
    }


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_nothing_is_nothing(tokenizer: str) -> None:
    assert estimate_text("", tokenizer) == 0
    assert estimate_text("\n", tokenizer) == 0


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@settings(deadline=None)
@given(text=st.text(max_size=200))
def test_any_text_has_a_size_and_always_the_same(tokenizer: str, text: str) -> None:
    assert 0 <= estimate_text(text, tokenizer) <= 6 * len(text) + 1
    assert estimate_text(text, tokenizer) == estimate_text(text, tokenizer)
    assert estimate_text(text + "\ud800", tokenizer) >= 0


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@settings(deadline=None)
@given(
    parts=st.lists(
        st.sampled_from([PROGRAM, LISTING, PATCH, TRACEBACK, "An answer.\n", "上下文。\n", "🙂\n"]), max_size=9
    )
)
def test_lines_add_up(tokenizer: str, parts: list[str]) -> None:
    apart = sum(estimate_text(part, tokenizer) for part in parts)
    line_ends = max(0, len(parts) - 1)  # the last one of a text is free
    assert abs(estimate_text("".join(parts), tokenizer) - apart - line_ends) <= 1 + 0.5 * len(parts)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("unit", [PROGRAM, "中", "🙂", "a ", "aZ3+", "x" * 7, "0", "{}[]", "Ж"])
def test_a_megabyte_is_the_sum_of_its_parts(tokenizer: str, unit: str) -> None:
    few, many = unit * 100, unit * (1_000_000 // len(unit))
    share = len(many) / len(few)
    assert estimate_text(many, tokenizer) == pytest.approx(share * estimate_text(few, tokenizer), rel=0.05, abs=share)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_blanks_without_end_are_few_tokens(tokenizer: str) -> None:
    assert estimate_text(" " * 1_000_000 + "x", tokenizer) == pytest.approx(1_000_000 / 16, rel=0.01)


def test_the_newer_tokenizer_takes_more() -> None:
    prose = "Everything that the person sees comes from one engine.\n" * 50
    assert estimate_text(prose, "v4.8") > 1.1 * estimate_text(prose, "v3")


def test_an_unknown_generation_is_an_error() -> None:
    with pytest.raises(KeyError):
        estimate_text("x", "v9")


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("sign", ["=", "-", "*", "_", "."])
def test_a_ruler_is_a_few_tokens_however_long(tokenizer: str, sign: str) -> None:
    assert estimate_text(f"\n{sign * 80}\n", tokenizer) <= 20
    assert estimate_text(f"\n{sign * 4}\n", tokenizer) <= estimate_text(f"\n{sign * 80}\n", tokenizer)


def test_different_signs_in_a_row_are_no_ruler() -> None:
    assert measure("(){}[]<>", {}).repeats == 0
    assert measure("🙂🙃😉😊😇😀", {}).repeats == 0
