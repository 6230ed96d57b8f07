"""Results of single tests in the output of the common runners, from pytest to TAP."""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

Verdict: TypeAlias = Literal["failing", "passing"]

LONGEST = 160  # characters of a test's name
_GOOD = frozenset({"PASSED", "PASS", "XPASS", "ok", "✓", "✔", "√", "Passed", "passed"})

_LINES = (
    re.compile(r"^(?P<verdict>FAILED|ERROR|PASSED) (?P<id>\S+?\.py(?:::[^\n]+?)?)(?= - |\s*$)"),
    re.compile(r"^(?P<id>\S+\.py::[^\n]+?) (?P<verdict>PASSED|FAILED|ERROR|XPASS)\b"),
    re.compile(r"^(?P<verdict>FAIL|ERROR): (?P<name>\w+) \((?P<scope>[\w.]+)[^)]*\)\s*$"),
    re.compile(r"^(?P<name>test\w*) \((?P<scope>[\w.]+)[^)]*\)[^\n]* \.\.\. (?P<verdict>ok|FAIL|ERROR)\s*$"),
    re.compile(r"^\s*--- (?P<verdict>PASS|FAIL): (?P<id>\S+)"),
    re.compile(r"^test (?P<id>[\w:]+) \.\.\. (?P<verdict>ok|FAILED)\s*$"),
    re.compile(r"^(?P<verdict>PASS|FAIL) (?P<id>\S+\.(?:[cm]?[jt]sx?|vue))\b"),
    re.compile(r"^\s*(?P<verdict>FAIL) +(?P<id>\S+\.\w+ > [^\n]+?)\s*$"),  # vitest
    re.compile(r"^_{4,} (?P<id>\S+\.py:\w+) _{4,}$"),  # sympy
    re.compile(r"^\s*(?P<verdict>ok|not ok) \d+ -? ?(?P<id>[^\n#]*[^\s#])"),  # TAP
    re.compile(r"^rspec (?:\./)?(?P<id>\S+:\d+) # "),
    re.compile(r"^\s+\d+\) (?P<id>\S[^\n]*?):?\s*$"),  # mocha, rspec
    re.compile(r"^\d+\) (?P<id>[\w\\]+::\w+)(?= |$)"),  # phpunit
    re.compile(r"^\[ERROR\]\s+(?P<id>[A-Z]\w*\.\w+)(?=[:\s»])"),  # maven
    re.compile(
        r"^\s*(?:\d+/\d+ Test +#)?\d+(?: - |: )(?P<id>\S+) (?:\.* *)?(?P<verdict>\(Failed\)|\*{3}Failed|Passed)"
    ),  # ctest
    re.compile(r"^\s+(?P<verdict>Failed|Passed) (?P<id>\S[^\n\[]*?) \[[^\]\n]*\]\s*$"),  # dotnet
    re.compile(r"^Test Case '-?\[?(?P<id>[^'\]\n]+)\]?' (?P<verdict>passed|failed)\b"),  # swift
    re.compile(r"^\s*(?P<verdict>[✓✔√✕✗×●]) (?P<id>\S[^\n]*?)(?: \(?\d+(?:\.\d+)? ?m?s\)?)?\s*$"),
)
_GO_PACKAGE = re.compile(r"^(?P<verdict>ok|FAIL)\s+(?P<package>[\w./-]+)\s+(?:\(cached\)|[\d.]+s)")
_UNITTEST_TOTAL = re.compile(r"^OK(?: \(|$)")
_ALL_PASSED = re.compile(
    r"Tests:?\s+(?:\d+ skipped[,|] ?)?\d+ passed\b(?!.*\bfailed)|\d+ examples?, 0 failures|OK \(\d+ tests?|100% tests passed|Passed!"
    r"|\[INFO\] BUILD SUCCESS|Result: PASS|tests finished: \d+ passed(?!.*\b(?:failed|exceptions))|Executed \d+ tests?, with 0 failures"
)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")

_RUNNER = re.compile(
    r"\b(?:pytest|py\.test|unittest|tox|nox|nosetests|runtests\S*|go test|cargo (?:test|nextest)|jest|vitest|mocha|ava|rspec|ctest|phpunit|prove|bats|pest|behave"
    r"|(?:npm|yarn|pnpm|bun)(?: run)? test\S*|(?:make|just|gradle\w*|mvn|mix|dotnet|rake|swift|manage\.py) (?:\S+ )*(?:test|check)\S*)"
    r"|\S*(?:run_?tests?|bin/test)\S*"
)


class SingleResult(Struct, frozen=True):
    """One test and how it ended; `scope` is the package or file that names alone do not say."""

    id: str
    verdict: Verdict
    scope: str = ""


def runs_tests(command: str) -> bool:
    """Whether `command` runs tests, as far as its words tell: only then is its output read as test results."""
    return _RUNNER.search(command) is not None


def results_in(output: str) -> Iterator[SingleResult]:
    """Every single result in `output`, in order; a go package that passed comes as a passing test of its own scope."""
    waiting: list[SingleResult] = []
    for line in _ANSI.sub("", output).splitlines():
        if package := _GO_PACKAGE.match(line):
            yield from (SingleResult(one.id, one.verdict, package["package"]) for one in waiting)
            waiting = []
            yield SingleResult(package["package"], _verdict(package["verdict"]), package["package"])
        elif (found := _result(line)) is not None:
            if line.lstrip().startswith("--- "):
                waiting.append(found)
            else:
                yield found
    yield from waiting


def all_passed(output: str) -> bool:
    """Whether the closing lines of `output` say that everything that ran has passed."""
    lines = [line.strip(" =") for line in _ANSI.sub("", output).splitlines() if line.strip(" =")]
    return any(
        _UNITTEST_TOTAL.match(line)
        or re.match(r"^\d+ passed\b(?!.*\b(?:failed|error))", line)
        or line.startswith("test result: ok.")
        or _ALL_PASSED.match(line)
        for line in lines[-6:]
    )


def _result(line: str) -> SingleResult | None:
    for pattern in _LINES:
        if (found := pattern.match(line)) is not None:
            groups = found.groupdict()
            name = groups.get("id") or f"{groups['scope']}.{groups['name']}"
            if groups.get("scope") and groups["scope"].rpartition(".")[2] == groups["name"]:
                name = groups["scope"]
            return SingleResult(_printable(name), _verdict(groups.get("verdict", "")))
    return None


def _verdict(word: str) -> Verdict:
    return "passing" if word in _GOOD else "failing"


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else " " for c in name)[:LONGEST]
