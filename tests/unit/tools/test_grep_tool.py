"""Grep: modes, pages, what is skipped, and rg's refusals told."""

import os
import sys

import pytest

from agent.protocol.errors import InvalidToolInput, ToolError
from agent.tools.grep import Grep
from agent.tools.limits import Limits
from agent.tools.rg import Found, unreadable_note

GREP = Grep(Limits())


@pytest.fixture
def tree(desk):
    """A project with hidden, ignored and nested files, outside git."""
    desk.write("a.py", "import os\nNEEDLE = 1\nprint(NEEDLE)\n")
    desk.write("src/b.py", "one\nNEEDLE\nthree\nfour\nfive\nNEEDLE\nseven\n")
    desk.write("src/c.ts", "const NEEDLE = 2\n")
    desk.write(".github/x.yml", "key: NEEDLE\n")
    desk.write("node_modules/m/i.js", "NEEDLE\n")
    desk.write("build/out.min.js", "NEEDLE\n")
    desk.write("app.min.js", "NEEDLE\n")
    desk.write(".git/config", "NEEDLE\n")
    desk.write(".gitignore", "node_modules/\n*.min.js\nbuild/\n")
    for age, name in enumerate([".github/x.yml", "src/c.ts", "src/b.py", "a.py"]):
        os.utime(desk.root / name, (1_000 + age, 1_000 + age))
    return desk


async def test_files_newest_first_with_hidden_and_without_ignored(tree, call) -> None:
    output = await call(GREP, pattern="NEEDLE")
    assert output.text.split("\n") == ["a.py", "src/b.py", "src/c.ts", ".github/x.yml"]


async def test_content_with_numbers_and_path(tree, call) -> None:
    output = await call(GREP, pattern="NEEDLE", output_mode="content", glob="*.py")
    expected = ["a.py:2:NEEDLE = 1", "a.py:3:print(NEEDLE)", "src/b.py:2:NEEDLE", "src/b.py:6:NEEDLE"]
    assert output.text.split("\n") == expected
    assert (output.details.files, output.details.hits) == (2, 4)


async def test_context_lines_and_gaps(tree, call) -> None:
    fields = {"pattern": "NEEDLE", "output_mode": "content", "path": "src", "type": "py", "-C": "1"}
    output = await call(GREP, fields)
    assert output.text.split("\n") == [
        "src/b.py-1-one", "src/b.py:2:NEEDLE", "src/b.py-3-three", "--",
        "src/b.py-5-five", "src/b.py:6:NEEDLE", "src/b.py-7-seven",
    ]  # fmt: skip
    assert output.details.hits == 2


async def test_a_single_file_needs_no_name(tree, call) -> None:
    fields = {"pattern": "needle", "output_mode": "content", "path": str(tree.root / "a.py"), "-i": True, "-n": "false"}
    assert (await call(GREP, fields)).text == "NEEDLE = 1\nprint(NEEDLE)"


async def test_counts(tree, call) -> None:
    output = await call(GREP, pattern="NEEDLE", output_mode="count")
    assert output.text.split("\n") == [
        ".github/x.yml:1", "a.py:2", "src/b.py:2", "src/c.ts:1", "6 matching lines in 4 files.",
    ]  # fmt: skip


async def test_pages(tree, call) -> None:
    fields = {"pattern": "NEEDLE", "output_mode": "content", "head_limit": 2}
    first = await call(GREP, fields)
    assert first.text.split("\n")[-1] == "[Results 1-2 of 6; go on with offset=2.]"
    last = await call(GREP, fields, offset=4)
    assert last.text.split("\n") == ["src/b.py:6:NEEDLE", "src/c.ts:1:const NEEDLE = 2"]
    assert "past their end" in (await call(GREP, fields, offset=9)).text


async def test_pages_of_a_flood_are_those_of_one_order_whichever_thread_of_rg_was_first(desk, call) -> None:
    files = [
        f"{folder}/{number}{rest}" for folder in ("a", "a.d", "b") for number in range(8) for rest in (".py", "/x")
    ]
    for name in files:
        desk.write(name, "".join(f"NEEDLE {line} {'z' * 400}\n" for line in range(50)))
    whole = [f"{name}:{line}" for name in sorted(files, key=lambda name: name.split("/")) for line in range(1, 51)]
    for offset in (0, 3, 70):
        output = await call(GREP, pattern="NEEDLE", output_mode="content", head_limit=40, offset=offset)
        *rows, note = output.text.split("\n")
        assert [row.split(":NEEDLE")[0] for row in rows] == whole[offset : offset + 40]
        assert note == f"[Results {offset + 1}-{offset + 40}; go on with offset={offset + 40}.]"


async def test_a_flood_is_ended_early(desk, call) -> None:
    desk.write("flood", "x = 1\n" * 2_000_000)
    output = await call(GREP, pattern="x", output_mode="content")
    lines = output.text.split("\n")
    assert len(lines) == 251 and lines[-1] == "[Results 1-250; go on with offset=250.]"


@pytest.mark.parametrize("glob", ["*.js", "**/*.js", "app*", "{app,x}.min.js", "/app.min.js", "*"])
async def test_a_glob_does_not_bring_ignored_files_back(tree, call, glob: str) -> None:
    assert "min.js" not in (await call(GREP, pattern="NEEDLE", glob=glob)).text


@pytest.mark.parametrize(
    ("glob", "files"),
    [
        ("*.ts", ["src/c.ts"]),
        ("src/*", ["src/b.py", "src/c.ts"]),
        ("src/**/*.{py,ts}", ["src/b.py", "src/c.ts"]),
        ("*.py, *.yml", ["a.py", "src/b.py", ".github/x.yml"]),
        ("!*.py", ["src/c.ts", ".github/x.yml"]),
        ("*.go", []),
    ],
)
async def test_globs(tree, call, glob: str, files: list[str]) -> None:
    text = (await call(GREP, pattern="NEEDLE", glob=glob)).text
    assert (text.split("\n") == files) if files else text.startswith("No matches found")


async def test_what_is_named_is_searched(tree, call) -> None:
    assert (await call(GREP, pattern="NEEDLE", path=".github")).text == ".github/x.yml"
    assert (await call(GREP, pattern="NEEDLE", path="node_modules/m")).text == "node_modules/m/i.js"
    tree.go(tree.root / "src")
    assert (await call(GREP, pattern="NEEDLE", glob="b*")).text == "b.py"
    assert (await call(GREP, pattern="NEEDLE", path=str(tree.root), glob="a.py")).text == str(tree.root / "a.py")


@pytest.mark.parametrize("pattern", ["(", r"\d{2", "[z-a]"])
async def test_a_broken_pattern_is_an_error_with_its_reason(tree, call, pattern: str) -> None:
    with pytest.raises(ToolError, match="regex parse error"):
        await call(GREP, pattern=pattern)


async def test_look_behind_and_backreferences_work(tree, call) -> None:
    assert (await call(GREP, pattern=r"(?<=const )NEEDLE")).text == "src/c.ts"
    assert (await call(GREP, pattern=r"(E)\1DLE", path="src/c.ts", output_mode="count")).text.startswith("src/c.ts:1")


async def test_patterns_over_lines_and_patterns_like_options(desk, call) -> None:
    desk.write("a", "begin\nmiddle\nend --flag\n")
    assert (await call(GREP, pattern="begin.*end", multiline=True)).text == "a"
    assert (await call(GREP, pattern="--flag", output_mode="content")).text == "a:3:end --flag"


async def test_long_lines_are_cut_and_other_bytes_replaced(desk, call) -> None:
    desk.write("a", b"NEEDLE caf\xe9 " + b"x" * 5_000)
    output = await call(GREP, pattern="NEEDLE", output_mode="content")
    assert output.text.startswith("a:1:NEEDLE caf� xxx") and len(output.text) < 700


async def test_too_much_text_goes_to_a_file(desk, call) -> None:
    desk.write("a", ("x" * 400 + "\n") * 300)
    output = await call(GREP, pattern="x", output_mode="content", head_limit=0)
    assert len(output.text) < 3_000 and "left out; all of it is in" in output.text
    (spilled,) = desk.spill.iterdir()
    assert spilled.read_text().count("\n") == 299


async def test_special_files_do_not_block(desk, call) -> None:
    os.mkfifo(desk.root / "p")
    desk.write("a", "NEEDLE\n")
    assert (await call(GREP, pattern="NEEDLE")).text == "a"
    with pytest.raises(ToolError, match="neither a file nor a directory"):
        await call(GREP, pattern="NEEDLE", path="p")
    with pytest.raises(ToolError, match="does not exist"):
        await call(GREP, pattern="NEEDLE", path="nowhere")


def test_unreadable_paths_are_counted() -> None:
    found = Found(output="a\0", cut=False, unreadable=("./d: Permission denied",))
    assert unreadable_note(found) == ["[1 path could not be read: ./d: Permission denied]"]
    assert unreadable_note(Found(output="", cut=False, unreadable=())) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no limit for a process's memory")
async def test_an_endless_ignore_file_is_no_end_of_memory_and_no_false_answer(tree, call) -> None:
    (tree.root / "src" / ".ignore").symlink_to("/dev/zero")
    with pytest.raises(ToolError, match=r"src/.ignore is a device and not a file"):
        await call(GREP, pattern="NEEDLE")


@pytest.mark.parametrize("place", [".gitignore", "src/.gitignore", "../.ignore", ".git/info/exclude"])
async def test_an_ignore_file_that_is_a_pipe_is_named_and_not_waited_for(tree, call, place) -> None:
    file = tree.root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    with pytest.raises(ToolError, match="is a named pipe and not a file"):
        await call(GREP, pattern="NEEDLE")


async def test_the_users_ripgrep_settings_do_not_count(tree, call, tmp_path) -> None:
    (tmp_path / "rgrc").write_text("--invert-match\n")
    tree.env["RIPGREP_CONFIG_PATH"] = str(tmp_path / "rgrc")
    assert (await call(GREP, pattern="const", output_mode="content")).text == "src/c.ts:1:const NEEDLE = 2"


@pytest.mark.parametrize(
    "raw",
    [
        {"pattern": ""},
        {"pattern": "x", "output_mode": "all"},
        {"pattern": "x", "type": "a b"},
        {"pattern": "x", "-A": -1},
    ],
)
def test_bad_arguments_are_said_plainly(raw) -> None:
    with pytest.raises(InvalidToolInput, match=r"^Grep: `"):
        GREP.parse(raw)


def test_subject(desk) -> None:
    subject = GREP.subject(GREP.parse({"pattern": "x+", "path": "src"}), desk.root)
    assert (subject.title, subject.paths, subject.access) == ("Grep x+ in src", (desk.root / "src",), "read")


async def test_a_place_that_cannot_exist_is_said(call):
    with pytest.raises(ToolError, match="does not exist"):
        await call(GREP, pattern="x", path="a" * 5_000)
    with pytest.raises(ToolError, match=r"~nobody-has-this-name/x does not exist"):
        await call(GREP, pattern="x", path="~nobody-has-this-name/x")
