"""What /settings, /permissions and /hooks print: each value with the file it stands in."""

from agent.hooks.log import Ran
from agent.permissions.read_only import READ_ONLY_NAMES
from agent.protocol.asks import TrustItem
from agent.protocol.markdown import code, table
from agent.protocol.text import counted
from agent.session.setting_rows import setting_rows
from agent.session.state import State
from agent.settings.hook_entries import HookEntry

NOT_TRUSTED = "held back: this folder is not trusted"


def setting_table(state: State) -> str:
    """Every setting, its value and its source; what is held back; what could not be used."""
    settings = state.builder.settings
    rows = [(name, code(value), source) for name, value, source in setting_rows(settings)]
    held = [(item.kind, code(item.text), f"{item.source} ({NOT_TRUSTED})") for item in settings.held_back]
    said = "\n".join(f"- {line}" for line in settings.notices)
    rules = f"{len(settings.deny)} deny, {len(settings.ask)} ask and {counted(len(settings.allow), 'allow rule')}: /permissions"
    more = f"{rules} · {counted(len(settings.hooks), 'hook')}: /hooks"
    parts = (table(("setting", "value", "from"), [*rows, *held]), more, said)
    return "\n\n".join(part for part in parts if part)


def permission_table(state: State) -> str:
    """Every rule in the order in which the gate asks them, then the folders the session may work in and the commands on the built-in list."""
    settings = state.builder.settings
    kinds = (("deny", settings.deny), ("ask", settings.ask), ("allow", settings.allow))
    rows = [(kind, code(rule.text), rule.source) for kind, rules in kinds for rule in rules]
    rows += [("allow", code(rule.text), "this session") for rule in state.parts.authority.session_rules]
    rows += [(item.kind, code(item.text), f"{item.source} ({NOT_TRUSTED})") for item in _held(state, "allow", "mode")]
    rows += [("folder", code(str(root)), "") for root in state.parts.workplace.roots]
    names = ", ".join(map(code, READ_ONLY_NAMES))
    return f"{table(('verdict', 'rule', 'from'), rows)}\n\nUnasked unless a rule says otherwise, inside the folders and with options that only read: {names}."


def hook_table(state: State) -> str:
    """Every hook with its event, matcher, file, and how it last ended; when they are switched off, that comes first."""
    settings = state.builder.settings
    off = settings.disable_all_hooks
    told = f"All hooks but managed ones are switched off by {off.source}.\n\n" if off.value else ""
    rows = [_hook_row(state, entry) for entry in settings.hooks]
    rows += [("", "", code(item.text), item.source, NOT_TRUSTED) for item in _held(state, "hook")]
    if not rows:
        return f"{told}No hooks are set."
    return told + table(("event", "matcher", "hook", "from", "last run"), rows)


def _hook_row(state: State, entry: HookEntry) -> tuple[str, ...]:
    handler = entry.handler
    ran = state.builder.hook_log.ran(entry.event.value, handler.command)
    words = " ".join((handler.command, *(handler.args or ())))
    matcher = code(entry.matcher or "*") + (f" if {code(handler.if_)}" if handler.if_ else "")
    return (entry.event.value, matcher, code(words), entry.source, "not run yet" if ran is None else _last(ran))


def _last(ran: Ran) -> str:
    """`ok · 12 ms · 3 runs · text`."""
    ended = "" if ran.exit_code in (None, 0) else f" (exit {ran.exit_code})"
    parts = (f"{ran.status}{ended}", f"{ran.duration_ms} ms", counted(ran.times, "run"), code(ran.text))
    return " · ".join(filter(None, parts))


def _held(state: State, *kinds: str) -> list[TrustItem]:
    return [item for item in state.builder.settings.held_back if item.kind in kinds]
