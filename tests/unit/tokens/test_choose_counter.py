"""A real tokenizer only for its own models, only from a table on this disk, and never fetched."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from agent.tokens.choose import encoding_of, exact_counter

TABLE = hashlib.sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken").hexdigest()


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-5", "o200k_base"),
        ("gpt-5-mini", "o200k_base"),
        ("openai/gpt-4o-2024-08-06", "o200k_base"),
        ("GPT-4.1", "o200k_base"),
        ("o3", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("gpt-50", None),
        ("o30", None),
        ("claude-opus-5-5", None),
        ("qwen3-coder", None),
        ("", None),
    ],
)
def test_the_encoding_of_a_model(model: str, encoding: str | None) -> None:
    assert encoding_of(model) == encoding


def test_tiktoken_agrees_about_the_encodings() -> None:
    tiktoken_model = pytest.importorskip("tiktoken.model")
    for model in ("gpt-5", "gpt-4o-2024-08-06", "gpt-4.1", "o3", "o1-mini", "gpt-4-turbo", "gpt-3.5-turbo"):
        assert encoding_of(model) == tiktoken_model.encoding_name_for_model(model)


def test_without_the_table_there_is_no_exact_counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert exact_counter("gpt-5") is None
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert exact_counter("gpt-5") is None


def test_a_table_that_is_not_the_right_one_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    table = tmp_path / TABLE
    table.write_bytes(b"IQ== 0\n")
    assert exact_counter("gpt-5") is None
    assert table.read_bytes() == b"IQ== 0\n"
    assert [path.name for path in tmp_path.iterdir()] == [TABLE]


def test_tiktoken_is_not_imported_for_a_claude_model_nor_without_a_table(tmp_path: Path) -> None:
    code = (
        "import sys; from agent.tokens.choose import exact_counter; "
        "exact_counter('claude-opus-5-5'); exact_counter('gpt-5'); print('tiktoken' in sys.modules)"
    )
    env = {"TIKTOKEN_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == "False"
