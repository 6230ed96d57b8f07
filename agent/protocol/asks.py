"""Questions the engine puts to a person, and the answers it takes."""

from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from agent.protocol.details import Details


class Permission(Struct, frozen=True, tag=True):
    """May this call run? `title` is one line; `details` previews the change; `rule` is what "session" would allow, in words.

    `flag` is the rule with which --allowed-tools would have allowed it, "" when none would.
    """

    tool: str
    tool_use_id: str
    title: str
    input: dict[str, object]
    details: Details | None = None
    rule: str = ""
    reason: str = ""
    flag: str = ""


class TrustItem(Struct, frozen=True):
    """One thing of the project's settings that runs code or widens rights: its kind, its text, the file it stands in.

    `digest` is the SHA-256 of the project's own scripts it runs; empty when it runs none.
    """

    kind: str
    text: str
    source: str
    digest: str = ""


class Trust(Struct, frozen=True, tag=True):
    """May this folder's settings run these hooks and allow these rules?

    `news` says of each item what is different since the last yes ("" nothing); empty when there was none.
    """

    folder: str
    items: tuple[TrustItem, ...]
    news: tuple[str, ...] = ()


class Plan(Struct, frozen=True, tag=True):
    """Is this plan approved?"""

    text: str


class Preview(Struct, frozen=True, tag=True):
    """Install this compaction? Before there is a `summary` (it is empty): shall one be made, by these `instructions`?

    `report` is Markdown: what would be kept, its price, the wait. "session" means: and do not ask again, about this compaction, or (when
    it is automatic) about any later one. The person may rewrite the instructions, or the summary (Answer.edited); a no to a summary with
    something `edited` asks for another one, by these further instructions.
    """

    summary: str
    tokens_before: int
    tokens_after: int
    report: str = ""
    instructions: str = ""
    automatic: bool = False


class Rewind(Struct, frozen=True, tag=True):
    """Rewind to this prompt? `files` is a line for each file that could be put back as it was then: "session" says to do that too.

    `uncovered` names what was changed since in ways that nobody kept track of (by commands).
    """

    uuid: str
    prompt: str
    files: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()


Ask: TypeAlias = Permission | Trust | Plan | Preview | Rewind

Choice: TypeAlias = Literal["once", "session", "deny"]


class Answer(Struct, frozen=True):
    """once = yes; session = yes, and do not ask again in this session; deny = no. `comment` goes to the model.

    `edited` is what the person made of a text that the question holds; None when it stands as it was. `unasked`: nobody was there.
    """

    choice: Choice
    comment: str = ""
    edited: str | None = None
    unasked: bool = False

    @property
    def allowed(self) -> bool:
        """Whether it is a yes."""
        return self.choice != "deny"


class Asker(Protocol):
    """The only way the engine waits for a human."""

    async def ask(self, question: Ask) -> Answer: ...
