"""Sets of places in a text as integers: one bit a character, so that a question about a megabyte needs no loop in Python."""

UPPER = bytes(range(0x41, 0x5B))
ACCENTED = bytes(range(0xC3, 0xE0)) + bytes((0xE0, 0xE1))  # first bytes of Latin, Greek, Cyrillic, Hebrew, Arabic, Thai
LETTERS = UPPER + bytes(range(0x61, 0x7B)) + ACCENTED
DIGITS = bytes(range(0x30, 0x3A))
SIGNS = bytes(byte for byte in range(0x21, 0x7F) if byte not in LETTERS and byte not in DIGITS)
SYMBOLS = bytes((0xC2, 0xE2, 0xEE, 0xEF))  # dashes, quotes, arrows, boxes, full-width signs
CJK = bytes(range(0xE3, 0xEE))
ASTRAL = bytes(range(0xF0, 0xF5))  # emoji above all
_CONTINUATION = bytes(range(0x80, 0xC0))
_CONTROLS = bytes(byte for byte in range(0x20) if byte not in b"\t\n") + b"\x7f"  # tokenizers do not see them


def one_byte_each(text: str) -> bytes:
    """The first UTF-8 byte of each character, without control characters; a lone surrogate becomes "?"."""
    return text.encode("utf-8", "replace").translate(None, _CONTINUATION + _CONTROLS)


def mask_table(members: bytes) -> bytes:
    """For `mask`."""
    return bytes(1 if byte in members else 0 for byte in range(256))


def keep_table(members: bytes) -> bytes:
    """For `bytes.translate` and then `split`: what is not a member becomes a blank."""
    return bytes(byte if byte in members else 0x20 for byte in range(256))


def mask(data: bytes, table: bytes) -> int:
    """One bit per member, eight bits apart, the first character lowest: `<< 8` asks of the one before, `>> 8` of the one after."""
    return int.from_bytes(data.translate(table), "little")


def runs(places: int) -> int:
    """Members less adjacent pairs of members."""
    return places.bit_count() - (places & (places >> 8)).bit_count()


def in_a_row(places: int, width: int) -> int:
    """Members with which `width` members in a row begin: a run of n has n - `width` + 1 of them."""
    reached = 1
    while reached < width:
        step = min(reached, width - reached)
        places &= places >> (8 * step)
        reached += step
    return places


def like_the_next(data: bytes) -> int:
    """Characters whose next is the same."""
    characters = int.from_bytes(data, "little")
    differs = characters ^ (characters >> 8)
    for half in (4, 2, 1):  # gathers the eight bits of each byte in its lowest
        differs |= differs >> half
    return ~differs
