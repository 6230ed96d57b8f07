"""Commands that are better chosen from a list than typed with an argument."""

from collections.abc import Callable, Sequence

from tui.app.choice_list import Option
from tui.app.engine import Completion
from tui.app.pickers import Picker

TITLES = {
    "/resume": "Go on with an earlier conversation",
    "/rewind": "Go back to before a prompt",
    "/model": "Which model?",
    "/compact from": "Summarise from which message to the end?",
    "/compact up-to": "Summarise what is before which message?",
}
BY_ARGUMENT = ("/model", "/compact from", "/compact up-to")  # short, and with much to say of it


def choices(line: str, complete: Callable[[str], Sequence[Completion]]) -> Sequence[Completion]:
    """What a bare command can be completed to, for a list; nothing when it is to be sent as it is."""
    return complete(f"{line} ") if line in TITLES else ()


async def pick(picker: Picker, line: str, found: Sequence[Completion]) -> str | None:
    """The whole command line that was chosen, or None after Esc."""
    options = [_option(line, item) for item in found]
    index = await picker.pick(TITLES[line], options)
    return found[index].text if index is not None else None


def _option(line: str, item: Completion) -> Option:
    """An id is for the machine: where there are words, they come first."""
    argument = item.text.removeprefix(f"{line} ")
    return Option(item.hint, argument) if item.hint and line not in BY_ARGUMENT else Option(argument, item.hint)
