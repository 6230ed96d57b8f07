"""Parts of one answer that stand beside the path: parallel calls and their results, each hung on its own block's record."""

from agent.transcript.blocks import answered_id, call_id
from agent.transcript.chain import Chain, Kind
from agent.transcript.entries import MessageEntry
from agent.transcript.ledger import Ledger


def with_family(ledger: Ledger, path: list[int]) -> list[int]:
    """`path` with the missing records of every answer that is told in several, and the results that answer its calls.

    Claude Code hangs a result on the record of its own call, so that parallel calls fork and a walk from the leaf sees only one.
    """
    chain = ledger.chain
    if not chain.forks:
        return path
    present = set(path)
    found: list[int] = []
    for place in range(len(path)):
        if _is_inner(chain, path, place):
            continue
        group = _group(chain, path, place)
        if not any(member in chain.forks for member in group):
            found += group
            continue
        members = _members(chain, group)
        found += members
        found += [child for child in _results(ledger, members) if child not in present]
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


def _results(ledger: Ledger, members: list[int]) -> list[int]:
    """User records that answer the members' calls, in file order."""
    chain = ledger.chain
    if chain.nodes[members[0]].kind is not Kind.ASSISTANT:
        return []
    calls = {call for member in members for call in _calls(ledger, member)}
    if not calls:
        return []
    children = sorted(child for member in members for child in chain.children(member))
    users = [child for child in children if chain.nodes[child].kind is Kind.USER and not chain.nodes[child].sidechain]
    return [child for child in users if not calls.isdisjoint(_answers(ledger, child))]


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
