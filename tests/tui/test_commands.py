"""The subcommands: doctor, sessions, context."""

import json
from pathlib import Path

import pytest

from tests.support.ccagent import ccagent


@pytest.fixture
def session(tmp_path: Path) -> str:
    """A recorded session of two tool turns in `tmp_path`."""
    (tmp_path / "hello.txt").write_text("hello world\n")
    ran = ccagent("-p", "read hello.txt", "--offline", "--output-format=json", cwd=tmp_path)
    return str(json.loads(ran.out)["session_id"])


def test_doctor_is_content_on_a_good_machine(tmp_path: Path) -> None:
    ran = ccagent("doctor", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "broken" not in ran.out
    for name in ("ccagent", "python", "anthropic", "rg", "git", "home", "model", "project", "trust", "credentials"):
        assert f"  {name} " in ran.out


def test_doctor_calls_settings_broken_that_do_not_parse(tmp_path: Path) -> None:
    settings = tmp_path / ".ccagent" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"modl": "haiku"}')
    ran = ccagent("doctor", cwd=tmp_path)
    assert ran.code == 0
    assert "  note  settings" in ran.out
    settings.write_text('{"model": "haiku",,}')
    ran = ccagent("doctor", cwd=tmp_path)
    assert ran.code == 1
    assert "broken  settings" in ran.out


def test_doctor_names_where_a_key_comes_from_and_never_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-1")
    ran = ccagent("doctor", cwd=tmp_path)
    assert "from ANTHROPIC_API_KEY" in ran.out
    assert "sk-secret-1" not in ran.out


def test_doctor_finds_what_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CCAGENT_HOME", str(tmp_path / "file" / "home"))
    ran = ccagent("doctor", cwd=tmp_path)
    assert ran.code == 1
    assert "broken  home" in ran.out


def test_doctor_asks_the_api_only_when_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert ccagent("doctor", cwd=tmp_path).code == 0
    ran = ccagent("doctor", "--online", cwd=tmp_path)
    assert ran.code == 1
    assert "broken  api          http://127.0.0.1:9 cannot be reached" in ran.out


def test_doctor_names_what_waits_for_trust_and_broken_settings(tmp_path: Path) -> None:
    (tmp_path / ".ccagent").mkdir()
    hook = {"hooks": [{"type": "command", "command": "touch PWN"}]}
    (tmp_path / ".ccagent" / "settings.json").write_text(json.dumps({"hooks": {"SessionStart": [hook]}}))
    (tmp_path / ".ccagent" / "settings.local.json").write_text("{")
    ran = ccagent("doctor", cwd=tmp_path)
    assert ran.code == 1
    assert "note  trust" in ran.out
    assert "touch PWN" in ran.out
    assert "broken  settings" in ran.out
    assert not (tmp_path / "PWN").exists()


def test_sessions_lists_this_folder_or_all(tmp_path: Path, session: str) -> None:
    listed = ccagent("sessions", cwd=tmp_path)
    assert listed.out.startswith(session)
    assert listed.out.rstrip().endswith("read hello.txt")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert ccagent("sessions", cwd=elsewhere).out == "No sessions yet.\n"
    assert str(tmp_path) in ccagent("sessions", "--all", cwd=elsewhere).out


def test_sessions_shows_one_from_any_folder(tmp_path: Path, session: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shown = ccagent("sessions", session, cwd=elsewhere)
    assert shown.code == 0
    assert "> read hello.txt\n\n" in shown.out
    assert "* Read " in shown.out


def test_rehearse_is_there(tmp_path: Path) -> None:
    assert "usage: ccagent rehearse" in ccagent("rehearse", "--help", cwd=tmp_path).out
