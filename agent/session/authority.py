"""The gate of a session, from its rules."""

from collections.abc import Callable, Mapping
from pathlib import Path

from agent.loop.deps import AnyTool, Authority
from agent.permissions.gate import Gate, Verdict
from agent.permissions.modes import Mode
from agent.permissions.rules import parse_rules
from agent.protocol.tools import Access, Subject
from agent.settings.paths import Places
from agent.settings.scripts import named_scripts
from agent.settings.settings import Settings


def new_authority(settings: Settings, places: Places, roots: tuple[Path, ...]) -> tuple[Authority, tuple[str, ...]]:
    """Mode and gate as the settings say, and one line for each rule that cannot be used."""
    allow, bad_allow = parse_rules(settings.allow, places)
    deny, bad_deny = parse_rules(settings.deny, places)
    ask, bad_ask = parse_rules(settings.ask, places)
    gate = Gate(
        allow,
        deny,
        ask,
        roots=roots,
        project_root=places.project_root,
        home=places.home,
        protected=(places.ccagent_home, places.claude_home, *_steering_scripts(settings, places)),
    )
    return Authority(gate, Mode(settings.permission_mode.value)), (*bad_allow, *bad_deny, *bad_ask)


def _steering_scripts(settings: Settings, places: Places) -> tuple[Path, ...]:
    """The project's scripts that hooks and helpers run: writing one is always asked for, because it is run without a question later."""
    commands = [" ".join((entry.handler.command, *(entry.handler.args or ()))) for entry in settings.hooks]
    status_line = settings.status_line.value
    commands += [text for text in (status_line and status_line.command, settings.api_key_helper.value) if text]
    return named_scripts(commands, places.project_root)


def renew_authority(authority: Authority, fresh: Authority, *, mode_changed: bool) -> None:
    """Judges by the rules of `fresh`; the person's session rules stay, and the mode too unless the settings have changed it."""
    authority.take_rules(fresh.gate)
    if mode_changed:
        authority.mode = fresh.mode


def may_read(authority: Authority, tools: Mapping[str, AnyTool]) -> Callable[[Path], bool]:
    """Whether a file may be read without a question: for @mentions and for what a compaction gives back."""
    spec = tools["Read"].spec

    def allowed(path: Path) -> bool:
        subject = Subject(access=Access.READ, title=f"Read {path}", paths=(path,))
        return authority.gate.decide(spec, subject, authority.mode).verdict is Verdict.ALLOW

    return allowed
