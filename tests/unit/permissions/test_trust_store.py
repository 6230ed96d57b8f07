"""Trust is bound to a folder and to what stands in its settings."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.permissions.trust import TrustStore, fingerprint
from agent.protocol.asks import TrustItem
from agent.protocol.errors import FilesError

HOOK = TrustItem("hook", "Stop: ./x.sh", ".claude/settings.json", "abc")
RULE = TrustItem("allow", "Bash(ls:*)", ".claude/settings.json")


def test_grant_holds_for_these_items_in_any_order(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "state" / "trust.json")
    assert store.is_trusted(tmp_path, [])
    assert not store.is_trusted(tmp_path, [HOOK])
    store.grant(tmp_path, [HOOK, RULE])
    assert TrustStore(tmp_path / "state" / "trust.json").is_trusted(tmp_path, [RULE, HOOK])
    assert (tmp_path / "state" / "trust.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "items",
    [
        [HOOK, TrustItem("allow", "Bash(ls:* )", ".claude/settings.json")],
        [TrustItem("hook", HOOK.text, HOOK.source, "changed script"), RULE],
        [TrustItem("env", HOOK.text, HOOK.source, HOOK.digest), RULE],
    ],
)
def test_anything_else_asks_again(tmp_path: Path, items: list[TrustItem]) -> None:
    store = TrustStore(tmp_path / "trust.json")
    store.grant(tmp_path, [HOOK, RULE])
    assert not store.is_trusted(tmp_path, items)


def test_what_is_different_is_told_item_by_item(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust.json")
    assert store.news(tmp_path, [HOOK, RULE]) == (), "nothing was trusted yet"
    store.grant(tmp_path, [HOOK, RULE])
    assert store.news(tmp_path, [HOOK, RULE]) == ("", "")
    changed = TrustItem(HOOK.kind, HOOK.text, HOOK.source, "other content")
    added = TrustItem("env", "A=1", HOOK.source)
    assert store.news(tmp_path, [changed, RULE, added]) == ("its content has changed", "", "new")


def test_a_name_on_record_trusts_nothing(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust.json")
    store.grant(tmp_path, [HOOK])
    assert not store.is_trusted(tmp_path, [TrustItem(HOOK.kind, HOOK.text, HOOK.source)])


def test_what_is_gone_does_not_ask_again(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust.json")
    store.grant(tmp_path, [HOOK, RULE])
    assert store.is_trusted(tmp_path, [HOOK])
    store.grant(tmp_path, [RULE])
    assert not store.is_trusted(tmp_path, [HOOK, RULE])


def test_folders_are_apart_and_real(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    store = TrustStore(tmp_path / "trust.json")
    store.grant(tmp_path / "a", [HOOK])
    store.grant(tmp_path, [RULE])
    assert store.is_trusted(tmp_path / "link", [HOOK])
    assert not store.is_trusted(tmp_path, [HOOK])


@pytest.mark.parametrize("content", ["", "[]", "{", '{"x": 1}', "\xff"])
def test_a_broken_store_trusts_nothing_and_can_be_written(tmp_path: Path, content: str) -> None:
    file = tmp_path / "trust.json"
    file.write_text(content, encoding="latin-1")
    store = TrustStore(file)
    assert not store.is_trusted(tmp_path, [HOOK])
    store.grant(tmp_path, [HOOK])
    assert store.is_trusted(tmp_path, [HOOK])


def test_a_disk_that_refuses_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    with pytest.raises(FilesError):
        TrustStore(tmp_path / "state" / "trust.json").grant(tmp_path, [HOOK])


def test_odd_folder_names_have_a_fingerprint() -> None:
    odd = Path(os.fsdecode(b"/x\xff"))
    assert fingerprint(odd, HOOK) != fingerprint(Path("/x"), HOOK)


TEXTS = st.text(alphabet='ab",[]\ud800', max_size=3)
ITEMS = st.builds(TrustItem, TEXTS, TEXTS, TEXTS, TEXTS)


@given(ITEMS, ITEMS)
def test_equal_fingerprints_mean_equal_items(first: TrustItem, second: TrustItem) -> None:
    folder = Path("/x")
    assert (fingerprint(folder, first) == fingerprint(folder, second)) is (first == second)
