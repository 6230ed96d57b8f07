"""Commands that changed something beyond the files the tools report: commits, installs, migrations, moves."""

from collections.abc import Sequence

from agent.compact.ledger.fact import Fact
from agent.compact.ledger.normalise import normalised
from agent.compact.ledger.record import Done
from agent.compact.ledger.shell_effects import effects
from agent.protocol.details import CommandOutput

LONGEST = 160  # characters


def command_facts(done: Sequence[Done]) -> list[Fact]:
    """Each part of a command that changed something and did not fail, the latest at the end, repeats once."""
    facts: dict[str, Fact] = {}
    for one in done:
        if one.call.name != "Bash" or one.is_error or _failed(one):
            continue
        for change in effects(one.argument("command")).changes:
            flat = " ".join(change.split())
            line = flat if len(flat) <= LONGEST else flat[:LONGEST] + "…"
            facts.pop(line, None)
            facts[line] = Fact(kind="command", line=line, needles=(normalised(flat[:LONGEST]),), source=one.uuid)
    return list(facts.values())


def _failed(one: Done) -> bool:
    return isinstance(one.details, CommandOutput) and one.details.exit_code not in (0, None)
