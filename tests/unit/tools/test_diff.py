"""file_diff: its hunks turn the old text into the new one, and large files stay cheap."""

from hypothesis import given
from hypothesis import strategies as st

from agent.protocol.details import FileDiff
from agent.tools.diff import MAX_SHOWN, file_diff

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=40)


def applied(old: list[str], diff: FileDiff) -> list[str]:
    """`old` with the hunks applied, checking each line of them."""
    new, at = [], 0
    for hunk in diff.hunks:
        new += old[at : hunk.old_start - 1]
        at = hunk.old_start - 1
        assert len(new) == hunk.new_start - 1
        assert hunk.old_lines == sum(line[0] != "+" for line in hunk.lines)
        assert hunk.new_lines == sum(line[0] != "-" for line in hunk.lines)
        for line in hunk.lines:
            if line[0] != "+":
                assert old[at] == line[1:]
                at += 1
            if line[0] != "-":
                new.append(line[1:])
    return new + old[at:]


@given(LINES, LINES)
def test_hunks_make_the_new_text(old: list[str], new: list[str]) -> None:
    diff = file_diff("f", "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))
    assert applied(old, diff) == new
    assert len(old) - diff.removed + diff.added == len(new)
    assert bool(diff.hunks) == (old != new)


def test_far_changes_are_two_hunks() -> None:
    old = [str(i) for i in range(40)]
    new = [*old[:5], "x", *old[6:30], "y", *old[31:]]
    diff = file_diff("f", "\n".join(old), "\n".join(new))
    assert [hunk.old_start for hunk in diff.hunks] == [3, 28]


def test_a_new_file_is_all_added() -> None:
    diff = file_diff("f", None, "a\nb\n")
    assert diff.created and diff.added == 2 and diff.hunks[0].lines == ("+a", "+b")


def test_a_huge_change_is_counted_whole_and_shown_in_part() -> None:
    old = "".join(f"old {i}\n" for i in range(20_000))
    new = "".join(f"new {i}\n" for i in range(20_000))
    diff = file_diff("f", old, new)
    assert (diff.added, diff.removed) == (20_000, 20_000)
    assert sum(len(hunk.lines) for hunk in diff.hunks) == MAX_SHOWN
