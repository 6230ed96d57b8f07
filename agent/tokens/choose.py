"""Which counter a model gets: its real tokenizer when it is at hand, else the features."""

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import TypeAlias

from agent.files.regular import read_regular
from agent.models.table import lookup
from agent.tokens.messages import CountText

Counting: TypeAlias = tuple[str, CountText | None]
"""What a counter needs: the tokenizer generation for the features, and the model's own tokenizer when it is at hand."""

_BASE_URL = "https://openaipublic.blob.core.windows.net/encodings"

# SHA-256 of the tables, as tiktoken checks them: it fetches a table anew when its file does not match.
_TABLES = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}

TABLE_LIMIT = 16 * 1024 * 1024  # bytes

_ENCODINGS = (
    (re.compile(r"(?:chatgpt-4o|gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4)(?![a-z0-9])"), "o200k_base"),
    (re.compile(r"(?:gpt-4|gpt-3\.5)(?![a-z0-9])"), "cl100k_base"),
)


def counting(model: str) -> Counting:
    """How tokens of `model` are counted."""
    return lookup(model).tokenizer, exact_counter(model)


def exact_counter(model: str) -> CountText | None:
    """A counter with the model's own tokenizer, or None: the feature counter then serves.

    Nothing is ever fetched. For Claude models the answer is always None, and tiktoken is not imported.
    The environment is the process's own, because that is where tiktoken itself looks for the folder of its tables.
    """
    encoding = encoding_of(model)
    if encoding is None or not _is_on_disk(encoding):
        return None
    from agent.tokens.tiktoken_count import tiktoken_counter

    return tiktoken_counter(encoding)


def encoding_of(model: str) -> str | None:
    """The name of the model's encoding, when it is one of those we know; "vendor/" before the name is skipped."""
    name = model.lower().rpartition("/")[2]
    return next((encoding for pattern, encoding in _ENCODINGS if pattern.match(name)), None)


def _is_on_disk(encoding: str) -> bool:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "":
        return False  # tiktoken's word for: keep no tables
    name = hashlib.sha1(f"{_BASE_URL}/{encoding}.tiktoken".encode(), usedforsecurity=False).hexdigest()
    table = Path(folder or Path(tempfile.gettempdir(), "data-gym-cache"), name)
    try:
        return hashlib.sha256(read_regular(table, TABLE_LIMIT)).hexdigest() == _TABLES[encoding]
    except OSError:
        return False
