"""What of the model's answer becomes memory: the <summary>, without the <analysis> (design note 001, formatCompactSummary)."""

import re

_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL | re.IGNORECASE)
_OPEN_ANALYSIS = re.compile(r"<analysis>(?:(?!<summary>).)*", re.DOTALL | re.IGNORECASE)
_SUMMARY = re.compile(r"<summary>(.*)</summary>", re.DOTALL | re.IGNORECASE)  # to the last tag: a summary may quote one
_OPEN_SUMMARY = re.compile(r"<summary>(.*)", re.DOTALL | re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n\s*\n+")


def format_summary(answer: str) -> str:
    """The summary text in `answer`, blank lines tidied; empty when there is none.

    An answer without tags is taken whole: a summary in the wrong dress is still a summary.
    """
    text = _OPEN_ANALYSIS.sub("", _ANALYSIS.sub("", answer))
    found = _SUMMARY.search(text) or _OPEN_SUMMARY.search(text)
    body = found.group(1) if found else text
    return _BLANK_LINES.sub("\n\n", body).strip()
