"""A model's raw arguments, read field by field into what a tool can trust."""

from collections.abc import Mapping, Sequence

from agent.protocol.errors import InvalidToolInput


class Fields:
    """The arguments of one call of `tool`; unknown ones are ignored, null counts as absent, numbers and switches may come as strings."""

    def __init__(self, tool: str, raw: Mapping[str, object]) -> None:
        self._tool = tool
        self._raw = raw

    def text(self, name: str, default: str | None = None, *, blank: bool = False) -> str:
        """A string; required when there is no default; `blank` says whether it may be empty."""
        value = self._raw.get(name)
        if value is None:
            if default is None:
                raise self._wrong(name, "is missing")
            return default
        if not isinstance(value, str):
            raise self._wrong(name, "must be a string")
        if not blank and not value.strip():
            raise self._wrong(name, "must not be empty")
        try:
            value.encode()
        except UnicodeEncodeError as error:  # a lone surrogate
            raise self._wrong(name, "holds a character that is not valid Unicode") from error
        return value

    def path(self, name: str, default: str | None = None) -> str:
        """A file name, as the model wrote it."""
        value = self.text(name, default)
        if "\0" in value:
            raise self._wrong(name, "must not hold a NUL character")
        return value

    def integer(self, name: str, default: int | None, *, least: int = 0) -> int | None:
        """A whole number not below `least`; "12" and 12.0 are taken too."""
        value = self._raw.get(name)
        if value is None or value == "":
            return default
        if isinstance(value, str):
            value = _number(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(name, "must be a whole number")
        if value < least:
            raise self._wrong(name, f"must be at least {least}")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """true or false; "true" and "false" are taken too."""
        value = self._raw.get(name)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        raise self._wrong(name, "must be true or false")

    def choice(self, name: str, options: Sequence[str], default: str) -> str:
        """One of `options`."""
        value = self._raw.get(name)
        if value is None:
            return default
        if isinstance(value, str) and value in options:
            return value
        raise self._wrong(name, f"must be one of {', '.join(options)}")

    def _wrong(self, name: str, what: str) -> InvalidToolInput:
        return InvalidToolInput(f"{self._tool}: `{name}` {what}.")


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text.strip())
        except ValueError:
            continue
    return None
