"""The command line, word by word."""

import pytest

from agent.protocol.errors import UsageError
from tui.args import COMMANDS, OPTIONS, Args, parse
from tui.help_text import HELP


def test_nothing_said_is_the_default() -> None:
    assert parse([]) == Args()


@pytest.mark.parametrize(
    "argv",
    [
        ["-p", "fix it", "--model", "opus"],
        ["fix it", "-p", "--model", "opus"],
        ["--model=opus", "--print", "fix it"],
        ["--model", "opus", "-p", "--", "fix it"],
    ],
)
def test_print_is_a_switch_and_the_prompt_stands_anywhere(argv: list[str]) -> None:
    assert parse(argv) == Args(print_=True, prompt="fix it", model="opus")


def test_two_dashes_end_the_options() -> None:
    assert parse(["-p", "--", "--help"]) == Args(print_=True, prompt="--help")


def test_a_subcommand_is_the_first_word_only() -> None:
    assert parse(["context", "a.jsonl", "--json"]) == Args(command="context", rest=("a.jsonl", "--json"))
    assert parse(["-p", "doctor"]) == Args(print_=True, prompt="doctor")
    assert parse(["doctor the plants"]) == Args(prompt="doctor the plants")


@pytest.mark.parametrize(
    ("argv", "resume", "prompt"),
    [
        (["-r"], "", None),
        (["--resume", "abc"], "abc", None),
        (["--resume=abc", "go on"], "abc", "go on"),
        (["-r", "abc", "go on"], "abc", "go on"),
        (["go on", "-r"], "", "go on"),
        (["-r", "--", "go on"], "", "go on"),
    ],
)
def test_resume_takes_an_id_if_one_follows(argv: list[str], resume: str, prompt: str | None) -> None:
    assert parse(argv) == Args(resume=resume, prompt=prompt)


def test_offline_takes_a_script_only_after_an_equals_sign() -> None:
    assert parse(["--offline", "hello"]) == Args(offline="", prompt="hello")
    assert parse(["--offline=demo", "hello"]) == Args(offline="demo", prompt="hello")


def test_one_letter_switches_can_stand_together() -> None:
    assert parse(["-pc", "and now?"]) == Args(print_=True, continue_=True, prompt="and now?")


def test_rules_and_folders_are_collected_in_either_spelling() -> None:
    args = parse(["--allowedTools", "Read,Bash(git log:*)", "--allowed-tools", "Edit", "--add-dir", "a", "--add-dir=b"])
    assert args.allowed_tools == ("Read,Bash(git log:*)", "Edit")
    assert args.add_dirs == ("a", "b")
    assert parse(["--disallowedTools=Bash"]).disallowed_tools == ("Bash",)


@pytest.mark.parametrize(("text", "tokens"), [("120000", 120_000), ("500k", 500_000), ("1M", 1_000_000)])
def test_token_numbers(text: str, tokens: int) -> None:
    assert parse(["--context-window", text]).context_window == tokens
    assert parse(["--autocompact", text]).autocompact == text


def test_a_value_may_begin_with_a_dash_unless_it_is_an_option() -> None:
    assert parse(["--append-system-prompt", "- be brief"]).append_system_prompt == "- be brief"
    with pytest.raises(UsageError, match="--model needs a value"):
        parse(["--model", "--print"])


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["--modle", "x"], "unknown option --modle. Did you mean --model?"),
        (["--zzzzzz"], "unknown option --zzzzzz. See ccagent --help."),
        (["-x"], "unknown option -x."),
        (["--model"], "--model needs a value."),
        (["--verbose=yes"], "--verbose takes no value."),
        (["--output-format", "xml", "-p"], "--output-format needs one of text, json, stream-json, not 'xml'."),
        (["--max-turns", "0"], "--max-turns needs a whole number above 0, not '0'."),
        (["--max-turns", "٣"], "--max-turns needs a whole number above 0"),
        (["--max-budget-usd", "nan"], "--max-budget-usd needs an amount above 0 in US dollars, not 'nan'."),
        (["--session-id", "abc"], "--session-id needs a UUID"),
        (["--autocompact", "on"], "--autocompact needs auto, off, or a number of tokens"),
        (["--context-window", "0"], "--context-window needs a number of tokens"),
        (
            ["fix", "the", "bug"],
            "one prompt expected, but 3 words stand alone ('fix', 'the', …). Put the prompt in quotes.",
        ),
        (["-c", "-r", "x"], "--continue and --resume exclude each other."),
        (["-p", "-r"], "--resume needs a session id together with --print."),
        (["--output-format", "json", "hi"], "--output-format needs --print."),
        (["-p", "--input-format", "stream-json"], "--input-format stream-json needs --output-format stream-json."),
        (["--fork-session"], "--fork-session needs --continue or --resume."),
        (
            ["-c", "--session-id", "0b5e9d1c-7a54-4d0e-9a0f-3f6f2f6f9b11"],
            "--session-id names a new session: with --continue or --resume it needs --fork-session.",
        ),
        (["-p", "--plain"], "--print and --plain exclude each other."),
        (["--system-prompt", "a", "--system-prompt-file", "b"], "Give one of --system-prompt and its -file."),
    ],
)
def test_misuse_is_one_plain_line(argv: list[str], line: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(argv)
    assert line in caught.value.line
    assert "\n" not in caught.value.line


def test_help_names_every_option() -> None:
    assert [name for name in (*OPTIONS, *COMMANDS) if name not in HELP] == []
