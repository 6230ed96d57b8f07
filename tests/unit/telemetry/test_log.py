"""The log is small, private and silent."""

import json
import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.telemetry.log import SIZE_LIMIT, Log


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "ccagent.jsonl").read_text().splitlines()]


def test_one_json_line_an_event(tmp_path: Path) -> None:
    log = Log(tmp_path / "logs")
    log.event("retry", attempt=2, delay=1.5, reason="overloaded", fatal=False, request_id=None)
    log.event("started")
    first, second = lines(tmp_path / "logs")
    assert {key: first[key] for key in ("event", "attempt", "delay", "reason", "fatal", "request_id")} == {
        "event": "retry",
        "attempt": 2,
        "delay": 1.5,
        "reason": "overloaded",
        "fatal": False,
        "request_id": None,
    }
    assert second["event"] == "started"
    assert (tmp_path / "logs").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "logs" / "ccagent.jsonl").stat().st_mode & 0o777 == 0o600


def test_no_prompts_and_no_keys(tmp_path: Path) -> None:
    Log(tmp_path).event(
        "failed",
        prompt="my words",
        api_key="sk-ant-abcdefgh",
        custom_headers="x",
        error="401 for sk-ant-abcdefgh12 and Bearer tok-12345",
        input_tokens=7,
        body={"text": "my words"},
        long="y" * 5_000,
    )
    text = (tmp_path / "ccagent.jsonl").read_text()
    for private in ("my words", "sk-ant-abcdefgh", "tok-12345"):
        assert private not in text
    (record,) = lines(tmp_path)
    assert record["input_tokens"] == 7
    assert record["body"] == "dict"
    assert len(str(record["long"])) == 300


def test_it_turns_over(tmp_path: Path) -> None:
    log = Log(tmp_path)
    for number in range(4_200):
        log.event("e", number=number, filler="z" * 250)
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(sizes) == {"ccagent.jsonl", "ccagent.old.jsonl"}
    assert max(sizes.values()) <= SIZE_LIMIT
    assert lines(tmp_path)[-1]["number"] == 4_199


def test_it_never_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Log(tmp_path / "file").event("nowhere to go")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "ccagent.jsonl").mkdir()
    Log(tmp_path / "a").event("a folder in the file's place")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "ccagent.jsonl").symlink_to("/dev/full")
    Log(tmp_path / "b").event("a link is not followed")
    (tmp_path / "c").mkdir()
    os.mkfifo(tmp_path / "c" / "ccagent.jsonl")
    Log(tmp_path / "c").event("nobody reads the pipe")
    assert list((tmp_path / "a" / "ccagent.jsonl").iterdir()) == []


@given(st.text(), st.one_of(st.text(), st.floats(), st.binary(), st.integers(), st.none()))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_makes_one_line(tmp_path: Path, name: str, value: object) -> None:
    Log(tmp_path).event(name, value=value)
    last = (tmp_path / "ccagent.jsonl").read_bytes().splitlines()[-1]
    assert json.loads(last)["event"] == name


def test_fields_do_not_replace_ours(tmp_path: Path) -> None:
    Log(tmp_path).event("e", pid="theirs", time="theirs")
    (record,) = lines(tmp_path)
    assert record["pid"] == os.getpid()
    assert record["time"] != "theirs"
