"""docs/settings.schema.json says what the code reads, and accepts what people have."""

import json
from pathlib import Path

import msgspec

from agent.settings.hook_entries import KNOWN_EVENTS
from agent.settings.json_schema import ABOUT, settings_schema, settings_schema_text
from agent.settings.schema import FileSettings

FILE = Path(__file__).parents[3] / "docs" / "settings.schema.json"


def test_the_file_is_what_the_code_says() -> None:
    made = "python -m agent.settings.json_schema > docs/settings.schema.json"
    assert FILE.read_text(encoding="utf-8") == settings_schema_text(), made


def test_every_key_is_there_with_a_description() -> None:
    assert {field.encode_name for field in msgspec.structs.fields(FileSettings)} == set(ABOUT)


def test_references_lead_somewhere_and_nothing_says_null() -> None:
    schema = settings_schema()
    text = json.dumps(schema)
    for name in ("StatusLine", "PermissionSettings", "Experiments", "CommandHandler"):
        assert f"#/definitions/{name}" in text
        assert name in schema["definitions"]
    assert '"null"' not in text


def test_the_types_are_those_of_the_reader() -> None:
    properties = settings_schema()["properties"]
    assert properties["autoCompactWindow"]["type"] == "integer"
    assert properties["autoCompactPolicy"]["enum"] == ["price", "window"]
    assert set(properties["hooks"]["properties"]) == set(KNOWN_EVENTS)
    handler = settings_schema()["definitions"]["CommandHandler"]
    assert handler["required"] == ["command"]
    assert {"timeout", "if", "async", "statusMessage", "args"} <= set(handler["properties"])
