"""The whole of it as processes: `ccagent -p` works in a repository against `ccagent rehearse`, goes on, compacts, and broke no rule of the API."""

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ccagent import COMMAND, ccagent
from tests.support.patience import PATIENCE

SECTIONS = "\\n".join(f"{at}. Section {at}: the greeting is hi now." for at in range(1, 10))
SCRIPT = f"""
[[reply]]
calls = [{{ name = "Read", input = {{ file_path = "{{cwd}}/hello.py" }} }}]
[[reply]]
calls = [{{ name = "Edit", input = {{ file_path = "{{cwd}}/hello.py", old_string = "hello", new_string = "hi" }} }}]
[[reply]]
calls = [{{ name = "Bash", input = {{ command = "cd . && python3 hello.py | tail -1" }} }}]
expect = {{ contains = ["hello.py"] }}
[[reply]]
say = "It says hi now."
[[reply]]
say = "Still hi."
expect = {{ last_user = "and now?", contains = ["It says hi now."] }}
[[reply]]
when = {{ compaction = true }}
summary = "{SECTIONS}"
expect = {{ contains = ["keep the greeting"] }}
[[reply]]
say = "From the summary."
expect = {{ contains = ["the greeting is hi now"], lacks = ["Still hi."] }}
"""


@contextlib.contextmanager
def rehearse(script: Path) -> Iterator[str]:
    """The rehearsal server on this script; it must have seen no illegal request in the end."""
    server = subprocess.Popen(
        [*COMMAND, "rehearse", "--script", str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[-1]
        server.send_signal(signal.SIGINT)
        _, broken = server.communicate(timeout=PATIENCE)
        assert (server.returncode, broken) == (0, "")
    finally:
        server.kill()
        server.communicate()


def test_read_edit_run_go_on_and_compact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=repo, check=True)
    (repo / "hello.py").write_text("print('hello')\n")
    (tmp_path / "script.toml").write_text(SCRIPT)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "any-key-of-a-test-0123456789")
    with rehearse(tmp_path / "script.toml") as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        worked = ccagent("-p", "make it say hi", "--allowed-tools", "Edit,Bash", cwd=repo)
        assert worked == (0, "It says hi now.\n", "")
        assert (repo / "hello.py").read_text() == "print('hi')\n"
        assert ccagent("-pc", "and now?", cwd=repo) == (0, "Still hi.\n", "")
        compacted = ccagent("-pc", "/compact keep the greeting", "--output-format=json", cwd=repo)
        assert compacted.code == 0
        assert [each["trigger"] for each in json.loads(compacted.out)["compactions"]] == ["manual"]
        assert ccagent("-pc", "go on", cwd=repo) == (0, "From the summary.\n", "")
