"""Rules as people write them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.permissions.command_match import matches_command
from agent.permissions.rules import parse_rule, parse_rules
from agent.protocol.errors import SettingsError
from agent.settings.paths import Places
from agent.settings.settings import SourcedRule


@pytest.mark.parametrize(
    ("text", "tool", "spec"),
    [
        ("Bash", "Bash", None),
        (" Bash(*) ", "Bash", None),
        ("Bash(:*)", "Bash", None),
        ("Bash(npm run test:*)", "Bash", "npm run test:*"),
        ("Read(a(b).txt)", "Read", "a(b).txt"),
        ("mcp__srv__*", "mcp__srv__*", None),
        ("Edit(src/**)", "Edit", "src/**"),
    ],
)
def test_rules_are_parsed(text: str, tool: str, spec: str | None) -> None:
    rule = parse_rule(text)
    assert (rule.tool, rule.spec) == (tool, spec)
    assert parse_rule(rule.text) == rule


@pytest.mark.parametrize("text", ["", "Bash()", "Bash( )", "Bash(a", "Bash a", "(x)", "Edit(!x)", "1x", "Bash(a)b"])
def test_what_is_no_rule(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_rule(text)


@pytest.mark.parametrize(
    ("rule", "tool", "named"),
    [
        ("Edit", "Write", True),
        ("Write", "Edit", False),
        ("Read", "Grep", True),
        ("Glob", "Read", False),
        ("mcp__srv", "mcp__srv__do", True),
        ("mcp__srv", "mcp__srvx__do", False),
        ("mcp__srv__*", "mcp__srv__do", True),
        ("Bash", "BashOutput", False),
    ],
)
def test_which_tools_a_rule_is_about(rule: str, tool: str, named: bool) -> None:
    assert parse_rule(rule).names(tool) is named


@pytest.mark.parametrize(
    ("spec", "line", "named"),
    [
        ("ls", "ls", True),
        ("ls", "ls -la", False),
        ("ls:*", "ls", True),
        ("ls:*", "ls -la", True),
        ("ls:*", "lsof", False),
        ("ls *", "ls", True),
        ("ls *", "lsof", False),
        ("ls*", "lsof", True),
        ("npm run:*", "npm run test", True),
        ("git * main", "git push origin main", True),
        ("git * main", "git push origin mainx", False),
        ("* --version", "npm --version", True),
        ("a*a", "a", False),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "a-c", False),
        ("a*b*b", "a-b", False),
        ("*x*y*", "1x2y3", True),
        ("*x*y*", "1y2x3", False),
        ("*", "anything at all", True),
    ],
)
def test_command_patterns(spec: str, line: str, named: bool) -> None:
    assert matches_command(spec, line) is named


@given(st.text(alphabet="ab* :", max_size=12), st.text(alphabet="ab ", max_size=12))
def test_a_pattern_without_wildcards_is_only_itself(spec: str, line: str) -> None:
    if "*" not in spec:
        assert matches_command(spec, line) is (spec.strip() == line.strip())


def test_a_hostile_pattern_takes_no_time() -> None:
    assert not matches_command("*a" * 20_001 + "*b", "a" * 20_000 + "b")
    assert matches_command("*a" * 20_000 + "*b", "a" * 20_000 + "b")


def test_bases_follow_the_scope(tmp_path: Path) -> None:
    places = Places.resolve(tmp_path, {"HOME": str(tmp_path / "h")})
    rules = [
        SourcedRule("Read(/x)", "u", "user", tmp_path / "h/.claude"),
        SourcedRule("Read(/x)", "p", "project", tmp_path / "root"),
        SourcedRule("Read(/x)", "l", "local", tmp_path / "root"),
        SourcedRule("broken(", "u", "user", tmp_path),
    ]
    parsed, notices = parse_rules(rules, places)
    assert [rule.base for rule in parsed] == [tmp_path / "h/.claude", tmp_path / "root", tmp_path]
    assert len(notices) == 1
    assert "'broken('" in notices[0]


def test_a_flood_of_rules_that_are_none_is_told_in_a_few_lines(tmp_path: Path) -> None:
    places = Places.resolve(tmp_path, {"HOME": str(tmp_path)})
    bad = [SourcedRule(text="(" * 5_000, source="s", scope="user", base=tmp_path)] * 1_000
    parsed, notices = parse_rules(bad, places)
    assert (parsed, len(notices)) == ((), 51)
    assert max(map(len, notices)) < 500
