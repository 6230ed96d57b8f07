"""Builds small records: what was said, called and answered, as the entries of a transcript."""

from agent.protocol.blocks import Text, ToolResult, ToolUse
from agent.protocol.details import Details, FileDiff
from agent.protocol.messages import Message, user_message
from agent.transcript.entries import MessageEntry

TOKENIZER = "v4.8"


class Story:
    """Entries in order; uuids are `u1`, `u2`, ..."""

    def __init__(self) -> None:
        self.entries: list[MessageEntry] = []

    def user(self, text: str, *, is_meta: bool = False) -> "Story":
        return self._add(user_message(text), is_meta=is_meta)

    def answer(self, text: str) -> "Story":
        return self._add(Message(role="assistant", blocks=(Text(text=text),)))

    def call(
        self, name: str, result: str = "ok", *, error: bool = False, details: Details | None = None, **arguments: object
    ) -> "Story":
        name_of_call = f"toolu_{len(self.entries)}"
        self._add(Message(role="assistant", blocks=(ToolUse(id=name_of_call, name=name, input=arguments),)))
        answered = Message(role="user", blocks=(ToolResult(tool_use_id=name_of_call, content=result, is_error=error),))
        return self._add(answered, details=((name_of_call, details),) if details else ())

    def bash(self, command: str, result: str = "", *, error: bool = False) -> "Story":
        return self.call("Bash", result, error=error, command=command)

    def edit(self, path: str, added: int, removed: int, *, created: bool = False) -> "Story":
        diff = FileDiff(path=path, created=created, added=added, removed=removed, hunks=())
        return self.call("Edit", "done", details=diff, file_path=path, old_string="a", new_string="b")

    def _add(
        self, message: Message, *, is_meta: bool = False, details: tuple[tuple[str, Details], ...] = ()
    ) -> "Story":
        before = self.entries[-1].uuid if self.entries else None
        uuid = f"u{len(self.entries) + 1}"
        self.entries.append(
            MessageEntry(uuid=uuid, parent_uuid=before, message=message, is_meta=is_meta, tool_details=details)
        )
        return self


def whole_story() -> Story:
    """One of everything, in both languages."""
    story = Story()
    story.user("Please add a login page. Never push to main. The API must stay on port 5432.")
    story.answer(
        "I decided to use argon2 instead of bcrypt for `hash_password`.\n- [ ] write the docs\n- [ ] add a test"
    )
    story.call("Read", "1\tx", file_path="/repo/src/app.py")
    story.edit("/repo/src/login.py", 40, 2, created=True)
    story.bash("pip install argon2-cffi", "Successfully installed")
    story.bash(
        "pytest -q",
        "FAILED tests/test_login.py::test_good - assert\nFAILED tests/test_login.py::test_bad - x\n2 failed",
        error=True,
    )
    story.edit("/repo/src/login.py", 3, 1)
    story.bash("pytest tests/test_login.py::test_good -q", "1 passed in 0.1s")
    story.user("不要修改 config.yaml。Actually the port is 6543, not 5432.")
    story.answer("好的。我们决定采用 Redis 存储会话,而不是 JWT。\n- [x] add a test")
    story.bash("git commit -am 'login'", "[dev 1234567] login")
    return story
