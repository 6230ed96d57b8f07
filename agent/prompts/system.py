"""The system prompt: fixed words, the same bytes for a whole session."""

from importlib.resources import files


def system_prompt(custom: str | None = None, append: str | None = None) -> tuple[str, ...]:
    """The system prompt's text blocks: our words, or `custom` in their place, then `append`; blank texts are left out.

    Nothing volatile belongs here: date and git state would void the cached prefix (see `environment`).
    """
    own = (files("agent.prompts") / "words" / "system.md").read_text(encoding="utf-8") if custom is None else custom
    return tuple(text.strip() for text in (own, append or "") if text.strip())
