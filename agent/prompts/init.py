"""The request behind /init: get to know a repository and write its memory file."""

from importlib.resources import files
from pathlib import Path


def init_prompt(file: Path, *, exists: bool, wishes: str = "") -> str:
    """What the model is asked; a file that `exists` is read first and only changed where it is wrong or thin."""
    words = (files("agent.prompts") / "words" / "init.md").read_text(encoding="utf-8")
    task = (
        f"Read {file}. It is the user's: keep what it says and how it says it. Change it with Edit only where something is missing, "
        "wrong or out of date, and say what you changed and why. If it is good as it is, say so and change nothing."
        if exists
        else f"Write {file}."
    )
    said = f"\nThe user also wants: {wishes}\n" if wishes else ""
    return words.format(task=task, wishes=said).strip()
