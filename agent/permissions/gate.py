"""Decides on a call before it runs: deny beats ask beats allow, and what is not sure is asked."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from agent.permissions.modes import Mode
from agent.permissions.path_match import PathScope
from agent.permissions.protected import is_protected
from agent.permissions.read_only import is_read_only
from agent.permissions.rule_match import Call, allowing_rule, names_call, places_of
from agent.permissions.rules import READERS, Rule
from agent.permissions.run_time import spelled_out
from agent.permissions.session_rule import session_rule
from agent.permissions.shell import plain_words
from agent.protocol.model import ToolSpec
from agent.protocol.tools import Access, Subject


class Verdict(StrEnum):
    """Run it, refuse it, or ask a person."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


class Decision(Struct, frozen=True):
    """The verdict and why, in one plain line; `insists` when an ask rule wants a person, whatever a hook allows.

    `told` says that a person who is asked needs the reason: nobody would expect a question there.
    """

    verdict: Verdict
    reason: str = ""
    insists: bool = False
    told: bool = False


class Gate:
    """Reads symlinks, and otherwise only its arguments.

    `roots` are the folders the session may work in, the first is where it started; `protected` are folders that count as protected
    besides the usual ones (a moved ~/.ccagent).
    """

    def __init__(
        self,
        allow: Sequence[Rule],
        deny: Sequence[Rule],
        ask: Sequence[Rule],
        *,
        roots: tuple[Path, ...],
        project_root: Path,
        home: Path,
        protected: tuple[Path, ...] = (),
    ) -> None:
        self._allow = tuple(allow)
        self._deny = tuple(deny)
        self._ask = tuple(ask)
        self._roots = roots
        self._project_root = project_root
        self._home = home
        self._protected = protected
        self._scope = PathScope(cwd=roots[0] if roots else project_root, home=home)
        self._restricted = any(rule.spec and rule.tool in READERS for rule in (*deny, *ask))

    def decide(self, spec: ToolSpec, subject: Subject, mode: Mode) -> Decision:
        """What to do with this call in this mode."""
        decision = self._decide(Call(spec.name, subject), mode)
        if decision.verdict is Verdict.ASK and mode is Mode.DONT_ASK:
            return Decision(Verdict.DENY, f"not asked in dontAsk mode: {decision.reason}")
        return decision

    @property
    def hides(self) -> Callable[[Path], bool] | None:
        """`denies_read`, or None where no rule could deny: searches ask for each of very many files."""
        return self.denies_read if any(rule.names("Read") for rule in self._deny) else None

    def forbids(self, tool: str) -> bool:
        """Whether a deny rule without a specifier names `tool`: no call of it can ever run, so the model need not see it."""
        return any(rule.spec is None and rule.names(tool) for rule in self._deny)

    def denies_read(self, path: Path) -> bool:
        """Whether a deny rule keeps `path` (absolute) from being read: for tools whose results name many files."""
        call = Call("Read", Subject(Access.READ, "", (path,)))
        return any(names_call(rule, call, self._scope, liberal=True) for rule in self._deny)

    def with_session_rule(self, rule: Rule) -> "Gate":
        """The same gate, which also allows what `rule` says."""
        return Gate(
            (*self._allow, rule),
            self._deny,
            self._ask,
            roots=self._roots,
            project_root=self._project_root,
            home=self._home,
            protected=self._protected,
        )

    def session_rule_for(self, spec: ToolSpec, subject: Subject) -> Rule | None:
        """What "yes, and do not ask again in this session" would allow; None when no rule could be safe."""
        if subject.access is Access.WRITE and self._is_protected(subject):
            return None
        return session_rule(spec.name, subject, self._roots, self._home)

    def _decide(self, call: Call, mode: Mode) -> Decision:
        for rule in self._deny:
            if names_call(rule, call, self._scope, liberal=True):
                return Decision(Verdict.DENY, f"the rule {rule.text} denies it")
        if mode is Mode.BYPASS:
            return Decision(Verdict.ALLOW, "permissions are bypassed")
        if mode is Mode.PLAN and not self._only_reads(call.subject):
            return Decision(Verdict.DENY, "plan mode only reads")
        for rule in self._ask:
            if names_call(rule, call, self._scope, liberal=True):
                return Decision(Verdict.ASK, f"the rule {rule.text} asks", insists=True)
        return self._decide_unnamed(call, mode)

    def _decide_unnamed(self, call: Call, mode: Mode) -> Decision:
        """What neither a deny nor an ask rule names."""
        subject = call.subject
        if subject.access is Access.WRITE and self._is_protected(subject):
            return Decision(Verdict.ASK, "it steers what runs later")
        if rule := allowing_rule(self._allow, call, self._scope):
            written = tuple(rule for rule in self._allow if rule.spec is not None)
            if rule.spec is None and (doubt := self._doubt(call)) and not allowing_rule(written, call, self._scope):
                return Decision(Verdict.ASK, doubt, told=True)
            return Decision(Verdict.ALLOW, f"the rule {rule.text} allows it")
        match subject.access:
            case Access.READ:
                inside = self._inside(subject)
                return Decision(Verdict.ALLOW) if inside else Decision(Verdict.ASK, "outside the working folders")
            case Access.WRITE:
                if mode is Mode.ACCEPT_EDITS and subject.paths and self._inside(subject):
                    return Decision(Verdict.ALLOW, "edits are accepted")
                return Decision(Verdict.ASK, "it changes files")
            case Access.EXECUTE:
                only_reads = self._only_reads(subject)
                return (
                    Decision(Verdict.ALLOW, "it only reads")
                    if only_reads
                    else Decision(Verdict.ASK, "it runs a command")
                )

    def _doubt(self, call: Call) -> str:
        """Why a rule for every command does not settle this one: it may run what another rule denies or asks about, unseen."""
        if call.subject.access is not Access.EXECUTE:
            return ""
        limit = next((rule for rule in (*self._deny, *self._ask) if rule.spec and rule.names(call.tool)), None)
        if limit is None or spelled_out(call.subject.command):
            return ""
        return f"what it runs is made up at run time, where the rule {limit.text} cannot see it"

    def _only_reads(self, subject: Subject) -> bool:
        if subject.access is not Access.EXECUTE:
            return subject.access is Access.READ
        words = plain_words(subject.command)
        if words is None or subject.cwd is None:
            return False
        return is_read_only(words, subject.cwd, self._reads_freely, restricted=self._restricted)

    def _reads_freely(self, path: Path) -> bool:
        call = Call("Read", Subject(Access.READ, "", (path,)))
        named = any(names_call(rule, call, self._scope, liberal=True) for rule in (*self._deny, *self._ask))
        return not named and self._inside(call.subject)

    def _inside(self, subject: Subject) -> bool:
        """Whether every path and every symlink's target lies in a working folder."""
        return all(
            any(place.is_relative_to(root) for root in self._roots)
            for path in subject.paths
            for place in places_of(path)
        )

    def _is_protected(self, subject: Subject) -> bool:
        return any(is_protected(place, self._protected) for path in subject.paths for place in places_of(path))
