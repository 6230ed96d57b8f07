"""Files given back after a compaction: recent text files within the budget, and nothing else."""

from pathlib import Path

from agent.compact.restore import MAX_FILES, restore_files
from agent.tools.read_state import FileReadState, stamp_of

TOKENIZER = "v4.8"


def _seen(state: FileReadState, path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    state.set(path, stamp_of(data, path.stat()))
    return path


def _restore(state: FileReadState, window: int = 200_000, denied: tuple[Path, ...] = ()) -> list[Path]:
    restored = restore_files(state, window=window, tokenizer=TOKENIZER, may_read=lambda path: path not in denied)
    return [item.path for item in restored]


def test_newest_first_and_at_most_five(tmp_path: Path) -> None:
    state = FileReadState()
    paths = [_seen(state, tmp_path / f"{n}.py", b"x = 1\n") for n in range(8)]
    assert _restore(state) == list(reversed(paths))[:MAX_FILES]


def test_binary_huge_vanished_and_denied_files_are_passed_over(tmp_path: Path) -> None:
    state = FileReadState()
    good = _seen(state, tmp_path / "good.py", b"x = 1\n")
    _seen(state, tmp_path / "a.out", b"\x7fELF\0\0")
    _seen(state, tmp_path / "latin.txt", b"caf\xe9")
    _seen(state, tmp_path / "big.log", b"line\n" * 400_000)
    _seen(state, tmp_path / "gone.py", b"x\n").unlink()
    secret = _seen(state, tmp_path / "secret.env", b"KEY=1\n")
    assert _restore(state, denied=(secret,)) == [good]


def test_the_whole_stays_within_a_fifth_of_a_small_window(tmp_path: Path) -> None:
    state = FileReadState()
    for n in range(5):
        _seen(state, tmp_path / f"{n}.py", b"value = 'some text'\n" * 2_000)
    restored = restore_files(state, window=20_000, tokenizer=TOKENIZER, may_read=lambda _path: True)
    assert 0 < sum(len(item.message.text) for item in restored) < 4 * 4_000


def test_a_cut_file_counts_as_partly_seen_and_a_changed_one_as_seen_anew(tmp_path: Path) -> None:
    state = FileReadState()
    long = _seen(state, tmp_path / "long.py", b"value = 'some text'\n" * 20_000)
    changed = _seen(state, tmp_path / "changed.py", b"old\n")
    changed.write_bytes(b"new\n")
    first, second = restore_files(state, window=200_000, tokenizer=TOKENIZER, may_read=lambda _path: True)
    assert "new" in first.message.text
    assert first.stamp.sha256 == stamp_of(b"new\n", changed.stat()).sha256
    assert (second.path, second.stamp.partial) == (long, True)


def test_reading_back_alone_changes_nothing_that_the_model_is_thought_to_know(tmp_path: Path) -> None:
    state = FileReadState()
    changed = _seen(state, tmp_path / "changed.py", b"old\n")
    before = state.snapshot()
    changed.write_bytes(b"new\n")
    assert restore_files(state, window=200_000, tokenizer=TOKENIZER, may_read=lambda _path: True)
    assert state.snapshot() == before


def test_one_endless_line_keeps_no_other_file_out(tmp_path: Path) -> None:
    state = FileReadState()
    good = _seen(state, tmp_path / "good.py", b"x = 1\n")
    _seen(state, tmp_path / "empty.py", b"")
    _seen(state, tmp_path / "minified.js", b"a(b);" * 40_000)
    assert _restore(state) == [good]
