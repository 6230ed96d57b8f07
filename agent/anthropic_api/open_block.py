"""One content block while its pieces arrive, and the JSON that it becomes."""

import msgspec

from agent.anthropic_api.fields import JsonObject, text_in
from agent.protocol.blocks import Block, Text, Thinking, ToolUse, block_from_json
from agent.protocol.errors import StreamBroken
from agent.protocol.text import scrub_json


class OpenBlock:
    """A block begun by `content_block_start`; it keeps the API's field order and every field, known or not."""

    def __init__(self, start: JsonObject) -> None:
        self._fields = dict(start)
        self._pieces: dict[str, list[str]] = {}
        self._input: list[str] = []
        self.type = text_in(start, "type")
        self.name = text_in(start, "name")

    def add(self, delta: JsonObject) -> None:
        """Take one `content_block_delta`: strings grow, citations are listed, anything else replaces what was there."""
        kind = text_in(delta, "type")
        if kind == "input_json_delta":
            self._input.append(text_in(delta, "partial_json"))
        elif kind == "citations_delta":
            known = self._fields.get("citations")
            self._fields["citations"] = [*(known if isinstance(known, list) else ()), delta.get("citation")]
        else:
            for key, value in delta.items():
                if key != "type":
                    self._merge(key, value)

    def _merge(self, key: str, value: object) -> None:
        if isinstance(value, str):
            begun = text_in(self._fields, key)
            self._pieces.setdefault(key, [begun]).append(value)
            self._fields.setdefault(key, "")  # holds the field's place in the order
        else:
            self._fields[key] = value

    def finish(self, *, cut: bool) -> Block | None:
        """The whole block, or None for one that must not go back to the API.

        `cut`: the answer ended early (max_tokens, refusal, ...) and this is its last block. Left out are blank text and,
        when cut, a call without its whole input and thinking without its signature. Raises StreamBroken for a call that
        is malformed although the answer was not cut: it must never run with guessed arguments.
        """
        fields: JsonObject = {**self._fields, **{key: "".join(parts) for key, parts in self._pieces.items()}}
        if not self.type:
            return None
        if "input" in fields and not self._put_input(fields, cut=cut):
            return None
        block = block_from_json(msgspec.json.encode(fields))
        if self.type == "tool_use" and not isinstance(block, ToolUse):
            raise _malformed(self.name)
        if isinstance(block, Text) and not block.text.strip():
            return None
        if cut and isinstance(block, Thinking) and not block.signature:
            return None
        return block

    def _put_input(self, fields: JsonObject, *, cut: bool) -> bool:
        text = "".join(self._input)
        if not text and not (cut and fields["input"] == {}):
            return True
        whole = input_json(text)
        if whole is None and not cut:
            raise _malformed(self.name)
        if whole is not None:
            fields["input"] = msgspec.Raw(whole)
        return whole is not None


def input_json(text: str) -> bytes | None:
    """A call's input as JSON on one line, its numbers and key order untouched; None unless it is one whole object."""
    data = text.encode()
    try:
        msgspec.json.decode(data, type=dict[str, object])
        return msgspec.json.format(data, indent=-1)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        whole = scrub_json(data)  # accepts escaped lone surrogates, which msgspec refuses
    except (ValueError, RecursionError):
        return None
    return whole.encode() if whole.startswith("{") else None


def _malformed(name: str) -> StreamBroken:
    return StreamBroken(f"The model's call of {name or 'a tool'} arrived malformed.", safe="It was not run.")
