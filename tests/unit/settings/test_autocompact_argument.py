"""What `/autocompact` and `--autocompact` accept."""

import pytest

from agent.protocol.errors import UsageError
from agent.settings.autocompact_argument import parse_autocompact


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("on", "on"),
        (" OFF ", "off"),
        ("auto", "auto"),
        ("120000", 120_000),
        ("120_000", 120_000),
        ("120,000", 120_000),
        ("500k", 500_000),
        ("500K", 500_000),
        ("1M", 1_000_000),
        ("1.5m", 1_500_000),
        ("0.5M", 500_000),
        ("100", 100_000),
        ("500", 500_000),
        ("1000", 1_000_000),
        ("1001", 1_001),
        ("100k", 100_000),
    ],
)
def test_a_choice_is_understood(text: str, choice: str | int) -> None:
    assert parse_autocompact(text) == choice


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "yes",
        "50",
        "99",
        "0",
        "-1",
        "-500k",
        "1.5",
        "500kb",
        "50%",
        "1e6",
        "k",
        "M",
        "٥٠٠",
        "0.1k",
        "9" * 400,
        "on off",
    ],
)
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_autocompact(text)
    assert "\n" not in refusal.value.line
