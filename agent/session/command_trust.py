"""Trust in a project's command: what it would run and allow is shown and asked for when it is first used, and when its file has changed."""

import hashlib

from agent.custom_commands.command import CustomCommand
from agent.custom_commands.template import shell_commands
from agent.files.seen_from import seen_from
from agent.protocol.asks import Trust, TrustItem
from agent.protocol.errors import UsageError
from agent.protocol.events import Emit, Notice
from agent.session.asker import PendingAsks
from agent.session.state import State
from agent.settings.scripts import scripts_digest


async def may_run(state: State, command: CustomCommand, emit: Emit, asks: PendingAsks) -> bool:
    """Whether `command` may run its shell parts and use its rules; without them it is only words.

    Raises UsageError when it is not trusted and its words need the output of its shell parts.
    """
    shell = shell_commands(command.text)
    if command.whose == "user" or not (shell or command.allowed_tools):
        return True
    trusting, root = state.builder.trusting, state.builder.places.project_root
    text = " · ".join([*(f"!{line}" for line in shell), *(f"allows {rule}" for rule in command.allowed_tools)])
    scripts = "".join(scripts_digest(line, root) for line in shell)
    digest = hashlib.sha256(f"{command.digest}{scripts}".encode()).hexdigest()
    source = str(seen_from(command.path, root))
    item = TrustItem(f"command /{command.name}", text, source, digest)
    if trusting.trusts_file(command.path, item):
        return True
    question = Trust(folder=str(root), items=(item,), news=trusting.file_news(command.path, item))
    if state.builder.interactive and (await asks.put(question, emit)).allowed:
        if told := trusting.grant_file(command.path, item):
            await emit(Notice(level="warning", text=told))
        return True
    how = "" if state.builder.interactive else "--trust allows it."
    if shell:
        raise UsageError(
            f"/{command.name} runs `{shell[0]}`, and {source} is not trusted.", safe="Nothing was run.", do=how
        )
    told = f"Not trusted, so not used: {item.kind} {text} ({source}) {how}".rstrip()
    await emit(Notice(level="warning", text=told))
    return False
