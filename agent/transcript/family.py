"""Parts of one answer that stand beside the path: parallel calls and their results, each hung on its own block's record."""

from agent.transcript.blocks import answered_id, call_id
from agent.transcript.chain import Chain, Kind
from agent.transcript.entries import MessageEntry
from agent.transcript.ledger import Ledger


def with_family(ledger: Ledger, path: list[int]) -> list[int]:
    """`path` with the missing records of every answer that is told in several, and the results that its calls lack on the path.

    Claude Code hangs a result on the record of its own call, so that parallel calls fork and a walk from the leaf sees only one.
    """
    chain = ledger.chain
    if not chain.forks:
        return path
    found: list[int] = []
    on_path = set(path)
    place = 0
    while place < len(path):
        group = _group(chain, path, place)
        place += len(group)
        if any(member in chain.forks for member in group):
            members = _members(chain, group)
            found += members + _missing_results(ledger, members, path, on_path, place)
        else:
            found += group
    return found


def _is_inner(chain: Chain, path: list[int], place: int) -> bool:
    """Whether the record at `place` continues the message of the one before it on the path."""
    message_id = chain.nodes[path[place]].message_id
    return place > 0 and bool(message_id) and chain.nodes[path[place - 1]].message_id == message_id


def _group(chain: Chain, path: list[int], place: int) -> list[int]:
    end = place + 1
    while end < len(path) and _is_inner(chain, path, end):
        end += 1
    return path[place:end]


def _members(chain: Chain, group: list[int]) -> list[int]:
    """All records of the group's message that hang together with it, in file order."""
    message_id = chain.nodes[group[0]].message_id
    if not message_id:
        return group
    members = set(group)
    queue = list(group)
    while queue:
        for child in chain.children(queue.pop()):
            if chain.nodes[child].message_id == message_id and child not in members:
                members.add(child)
                queue.append(child)
    return sorted(members)


def _missing_results(ledger: Ledger, members: list[int], path: list[int], on_path: set[int], place: int) -> list[int]:
    """User records beside the path that answer calls of the members, in file order; `path[place]` is what follows the members.

    Where the path ends with the members, or the answer is one record (as ours are), it was told to go there: no more is wanted.
    """
    if len(members) == 1 or place == len(path):
        return []
    chain = ledger.chain
    open_calls = {call for member in members for call in _calls(ledger, member)}
    while place < len(path) and chain.nodes[path[place]].kind is not Kind.ASSISTANT:
        open_calls -= set(_answers(ledger, path[place]))
        place += 1
    beside = sorted(child for member in members for child in chain.children(member) if child not in on_path)
    users = [child for child in beside if chain.nodes[child].kind is Kind.USER and not chain.nodes[child].sidechain]
    return [child for child in users if not open_calls.isdisjoint(_answers(ledger, child))]


def _calls(ledger: Ledger, at: int) -> list[str]:
    entry = ledger[at]
    return (
        [call for block in entry.message.blocks if (call := call_id(block))] if isinstance(entry, MessageEntry) else []
    )


def _answers(ledger: Ledger, at: int) -> list[str]:
    entry = ledger[at]
    return (
        [name for block in entry.message.blocks if (name := answered_id(block))]
        if isinstance(entry, MessageEntry)
        else []
    )
