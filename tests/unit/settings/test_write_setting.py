"""One key changes; nothing else does."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.protocol.errors import FilesError, SettingsError
from agent.settings.paths import Places
from agent.settings.write import edit, set_user_setting

Put = Callable[[Path, object], Path]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "k": 1\n}\n'),
        ("{}", '{\n  "k": 1\n}'),
        ('{"a": 1}', '{"a": 1, "k": 1}'),
        ('{\n    "a": [1,2]\n}\n', '{\n    "a": [1,2],\n    "k": 1\n}\n'),
        ('{\n\t"k" :  "old",\n\t"x": {"k": 0}\n}', '{\n\t"k" :  1,\n\t"x": {"k": 0}\n}'),
        ('{"a\\"}": "}", "k": {"b": [1]}}', '{"a\\"}": "}", "k": 1}'),
    ],
)
def test_the_layout_stays(before: str, after: str) -> None:
    assert edit(before, "k", 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"k": 1}', "{}"),
        ('{"k": 1, "a": 2}', '{"a": 2}'),
        ('{\n  "a": 2,\n  "k": [1]\n}\n', '{\n  "a": 2\n}\n'),
        ('{"a": 2}', '{"a": 2}'),
    ],
)
def test_none_removes(before: str, after: str) -> None:
    assert edit(before, "k", None) == after


VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**50), 2**50)
    | st.text(alphabet='a"\\{}:,\n é', max_size=6)
    | st.lists(st.text(alphabet='b"', max_size=3))
)
KEYS = st.text(alphabet='ab"\\} é', max_size=3)


@given(st.dictionaries(KEYS, VALUES, max_size=5), KEYS, VALUES, st.sampled_from([None, 1, 4, "\t"]))
def test_the_result_is_the_object_with_the_key_set(
    before: dict[str, object], key: str, value: object, indent: int | str | None
) -> None:
    after = json.loads(edit(json.dumps(before, indent=indent, ensure_ascii=False), key, value))  # type: ignore[arg-type]  # any JSON value
    expected = {**before, key: value}
    if value is None:
        expected.pop(key)
    assert after == expected
    assert list(after) == [k for k in {**before, key: 0} if k in expected]


def test_the_file_is_made_and_kept_private(places: Places) -> None:
    set_user_setting(places, "autoCompactWindow", 120_000)
    set_user_setting(places, "model", "opus")
    assert json.loads(places.user_settings.read_text()) == {"autoCompactWindow": 120_000, "model": "opus"}
    assert places.ccagent_home.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in places.ccagent_home.iterdir()] == ["settings.json"]


def test_a_broken_file_is_not_touched(places: Places, put: Put) -> None:
    path = put(places.user_settings, '{"a": 1,}')
    with pytest.raises(SettingsError, match=":1:9"):
        set_user_setting(places, "model", "opus")
    assert path.read_text() == '{"a": 1,}'


def test_a_folder_in_the_way_is_an_error(places: Places) -> None:
    places.ccagent_home.write_text("a file where a folder should be")
    with pytest.raises((FilesError, SettingsError)):
        set_user_setting(places, "model", "opus")
