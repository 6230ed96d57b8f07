"""Todos: what is open, and what is done and must not come back as open."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from agent.compact.ledger.fact import Fact
from agent.compact.ledger.normalise import normalised
from agent.compact.ledger.record import Done, Said

DONE_WORDS = (
    *("done", "complete", "finished", "closed", "[x]", "✓", "✔", "☑", "already", "resolved", "implemented", "fixed"),
    *("完成", "已", "结束", "解决"),
)
NOT_DONE_WORDS = (
    "not done",
    "not yet",
    "undone",
    "unfinished",
    "incomplete",
    "pending",
    "open",
    "[ ]",
    "未",
    "没",
    "待",
)
_BOX = re.compile(r"^\s*[-*+]\s*\[(?P<mark>[ xX])\]\s+(?P<text>\S.*?)\s*$", re.MULTILINE)
_TASK_ID = re.compile(r"#?(\d+)")
_CLOSED = frozenset({"completed", "done", "deleted", "cancelled"})


class _Todo(Struct):
    text: str
    open: bool
    uuid: str


def todo_facts(done: Sequence[Done], answers: Sequence[Said]) -> list[Fact]:
    """The last state of each todo: from TodoWrite and Task calls, and from check lists in the model's own words."""
    todos: dict[str, _Todo] = {}
    for said in answers:
        for box in _BOX.finditer(said.text):
            todos[normalised(box["text"])] = _Todo(box["text"], box["mark"] == " ", said.uuid)
    tasks: dict[str, _Todo] = {}
    for one in done:
        if one.is_error:
            continue
        if one.call.name == "TodoWrite":
            _take_list(tasks, one)
        elif one.call.name == "TaskCreate":
            _create(tasks, one)
        elif one.call.name == "TaskUpdate":
            _update(tasks, one)
    for task in tasks.values():
        todos[normalised(task.text)] = task
    return [_fact(todo) for todo in todos.values() if normalised(todo.text)]


def _take_list(tasks: dict[str, _Todo], one: Done) -> None:
    """A whole new list; what stood on the old one and is not on it any more was settled."""
    listed = one.call.input.get("todos")
    items = [item for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    for task in tasks.values():
        task.open = False
    for item in items:
        text = " ".join(str(item.get("content", "")).split())
        tasks[normalised(text)] = _Todo(text, item.get("status") not in _CLOSED, one.uuid)


def _create(tasks: dict[str, _Todo], one: Done) -> None:
    found = _TASK_ID.search(one.result)
    text = " ".join((one.argument("subject") or one.argument("description")).split())
    tasks[found[1] if found else normalised(text)] = _Todo(text, True, one.uuid)


def _update(tasks: dict[str, _Todo], one: Done) -> None:
    task = tasks.get(str(one.call.input.get("taskId", "")).lstrip("#"))
    if task is not None:
        task.text = one.argument("subject") or task.text
        task.open = (one.argument("status") or ("pending" if task.open else "done")) not in _CLOSED
        task.uuid = one.uuid


def _fact(todo: _Todo) -> Fact:
    needle = (normalised(todo.text),)
    if todo.open:
        return Fact(kind="todo", line=f"open: {todo.text}", needles=needle, source=todo.uuid)
    line = f"finished: {todo.text}"
    return Fact(
        kind="todo",
        line=line,
        needles=needle,
        states=DONE_WORDS,
        against=NOT_DONE_WORDS,
        source=todo.uuid,
        only_if_named=True,
    )
