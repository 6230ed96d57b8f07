"""A key that turns up anywhere leaves no trace: not in a request, not in the record, not in a log, not on the screen."""

import json

from agent.api import Flags
from agent.protocol.asks import Answer
from agent.protocol.events import PromptAccepted
from agent.rehearsal.script import call, say, summary

KEY = "sk-ant-api03-0123456789abcdefghij"
HEADER = "header-secret-0123456789"
NINE = "\n".join(f"{at}. Section: nothing to tell." for at in range(1, 10))


async def test_keys_are_in_no_request_and_no_file_of_ours(make_walk, project):
    (project / "keys.txt").write_text(f"{KEY} and {HEADER}\n", encoding="utf-8")
    (project / "CLAUDE.md").write_text(f"The key is {KEY}.\n@keys.txt\n", encoding="utf-8")
    hook = {"hooks": [{"type": "command", "command": "env; cat keys.txt"}]}
    walk = await make_walk(
        say("Noted."),
        call("Read", file_path=str(project / "keys.txt")),
        call("Bash", command="env; cat keys.txt; cat keys.txt >&2; exit 3"),
        call("Grep", pattern="sk-", output_mode="content"),
        say("Done."),
        summary(NINE),
        say("Still here."),
    )
    await walk.open(
        env={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_CUSTOM_HEADERS": f"X-Team: {HEADER}"},
        flags=Flags(settings=json.dumps({"hooks": {"UserPromptSubmit": [hook], "SessionStart": [hook]}})),
    )
    accepted = await walk.say(f"my key is {KEY}, see @keys.txt")
    assert any(isinstance(event, PromptAccepted) for event in accepted)
    for prompt in ("look at the keys", "/compact", f"once more {KEY}"):
        await walk.say(prompt, Answer("once"))
    sent = json.dumps(walk.bodies())
    ours = [file for file in (walk.home / ".ccagent").rglob("*") if file.is_file()]
    assert ours
    texts = [sent, *(file.read_text(encoding="utf-8") for file in ours)]
    assert [text for text in texts if KEY in text or HEADER in text] == []
    assert sent.count("[masked]") > 6


async def test_whatever_comes_first_makes_folders_for_nobody_else_s_eyes(make_walk, project, clean_environment):
    home = clean_environment / ".ccagent"
    home.mkdir(mode=0o755)  # the person's own doing
    hook = {"hooks": [{"type": "command", "command": "echo x"}]}
    walk = await make_walk(call("Bash", command="seq 20000"), say("done"))
    await walk.open(
        flags=Flags(settings=json.dumps({"hooks": {"SessionStart": [hook]}, "permissions": {"allow": ["Bash"]}}))
    )
    await walk.say("count")
    folders = [path for path in home.rglob("*") if path.is_dir()]
    assert len(folders) > 4
    assert [path for path in folders if path.stat().st_mode & 0o077] == []
