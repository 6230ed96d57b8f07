"""Paths as a person says them."""

from pathlib import Path


def seen_from(path: Path, folder: Path) -> Path:
    """`path` as one says it in `folder`: from there if it lies below, else as it is."""
    return path.relative_to(folder) if path.is_relative_to(folder) else path
