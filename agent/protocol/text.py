"""Text from outside, made fit for UTF-8 once, where it comes in."""

import json


def scrub(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def scrub_json(text: str | bytes) -> str:
    """The same for the strings of a JSON text, where lone surrogates stand as escapes; raises ValueError or RecursionError for no JSON."""
    return scrub(json.dumps(json.loads(text), ensure_ascii=False))
