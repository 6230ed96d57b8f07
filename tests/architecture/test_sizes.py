"""How the code is written: small files, small functions, one sentence at the top, no hidden imports."""

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("agent", "tui")
FILE_LIMIT, FILE_AIM = 400, 300  # lines
FUNCTION_LIMIT = 60  # lines
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


@cache
def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Each function with its length in lines, decorators and docstring included."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield node.name, (node.end_lineno or node.lineno) - first + 1


def test_there_is_something_to_measure() -> None:
    assert len(SOURCES) > 50
    assert dict(functions(Path(__file__)))["functions"] == 6


def test_files_stay_small() -> None:
    assert {name(path): lines(path) for path in [*SOURCES, *TESTS] if lines(path) > FILE_LIMIT} == {}


@pytest.mark.filterwarnings("default:files to split by concept")
def test_files_that_grow_are_named() -> None:
    growing = {name(path): lines(path) for path in SOURCES if lines(path) > FILE_AIM}
    if growing:
        warnings.warn(f"files to split by concept soon: {growing}", stacklevel=1)


def test_functions_stay_small() -> None:
    long = {
        f"{name(path)}:{function}": length
        for path in SOURCES
        for function, length in functions(path)
        if length > FUNCTION_LIMIT
    }
    assert long == {}


def test_a_module_begins_with_one_sentence() -> None:
    odd = {}
    for path in SOURCES:
        docstring = ast.get_docstring(tree(path)) or ""
        sentence, _, drawing = docstring.partition("\n\n")
        drawn = path.name == "errors.py" and drawing.startswith("CcagentError")  # it draws the error tree
        if not sentence.endswith((".", "?")) or re.search(r"[.?!] +[A-Z]", sentence) or (drawing and not drawn):
            odd[name(path)] = docstring
    assert odd == {}


def test_no_import_hides_behind_type_checking() -> None:
    assert [name(path) for path in SOURCES if "TYPE_CHECKING" in path.read_text(encoding="utf-8")] == []


def test_every_ignored_type_error_has_a_code_and_a_reason() -> None:
    bare = re.compile(r"#\s*type:\s*ignore(?!\[[a-z, -]+\]\s+#\s*\S)")
    found = [
        f"{name(path)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if bare.search(line)
    ]
    assert found == []


def test_test_files_have_names_of_their_own() -> None:
    names = [path.name for path in TESTS if path.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))
