"""The page about the rehearsal API names every rule with its source, and its example script can be read."""

from pathlib import Path

from agent.rehearsal.rules.catalogue import RULES
from agent.rehearsal.toml_script import names, read_script

PAGE = (Path(__file__).parents[3] / "docs" / "rehearsal.md").read_text()


def test_every_rule_stands_in_the_table_with_its_source() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `") and ("." in line.split("`")[1])]
    assert rows == [
        f"| `{name}` | {rule.what}{'' if rule.breach else ' (*limit*)'} | {rule.source} |"
        for name, rule in RULES.items()
    ]


def test_the_example_script_can_be_read() -> None:
    script = read_script(PAGE.split("```toml\n")[1].split("```")[0].encode(), "docs/rehearsal.md")
    assert len(script.replies) == 7


def test_every_script_that_comes_along_is_named() -> None:
    assert all(f"`{name}`" in PAGE for name in names())
