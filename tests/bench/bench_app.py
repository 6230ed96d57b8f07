"""Figures of the app: `python tests/bench/bench_app.py [start|load|stream|history|resume]`."""

import os
import random
import re
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from tests.bench.bench_transcript import fill, new  # noqa: E402
from tests.support.terminal import Terminal  # noqa: E402

COLUMNS, ROWS = 120, 40


def child(*arguments: str) -> Terminal:
    """The app with a streaming engine in a fresh home."""
    return spawn([sys.executable, str(Path(__file__).parent / "stage_child.py"), *arguments])


def spawn(argv: Sequence[str], home: Path | None = None) -> Terminal:
    """A program in a 120x40 terminal, in its home folder (an empty one if none is given)."""
    home = home or Path(tempfile.mkdtemp())
    env = {**os.environ, "HOME": str(home), "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT)}
    env.pop("SSH_CONNECTION", None)
    return Terminal(argv, cwd=home, env=env, columns=COLUMNS, rows=ROWS)


class Raw:
    """Watches the bytes only: an emulator would cost more than the app."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        terminal._stream.feed = lambda _data: None  # type: ignore[method-assign]

    def until(self, what: bytes, start: int = 0, seconds: float = 120) -> float:
        """The time at which `what` came."""
        end = time.perf_counter() + seconds
        while what not in self.terminal.output[start:]:
            if time.perf_counter() > end:
                raise TimeoutError(what)
            self.terminal.pump(0.001)
        return time.perf_counter()

    def echo(self, key: str) -> float:
        """Milliseconds from a key to its echo."""
        start = len(self.terminal.output)
        began = time.perf_counter()
        self.terminal.send(key)
        return (self.until(key.encode(), start) - began) * 1_000

    def echoes(self, keys: str) -> list[float]:
        """Milliseconds to the echo of each key, typed at an uneven pace (an even one falls in step with the frames)."""
        source = random.Random(3)
        times = []
        for key in keys:
            self.terminal.pump(source.uniform(0.05, 0.15))
            times.append(self.echo(key))
        return times

    def settled(self) -> float:
        """Wait until the child rests; the time of its last output."""
        size, last, quiet = len(self.terminal.output), time.perf_counter(), time.perf_counter() + 0.5
        while time.perf_counter() < quiet:
            self.terminal.pump(0.005)
            if len(self.terminal.output) != size:
                size, last = len(self.terminal.output), time.perf_counter()
                quiet = last + 0.5
        return last

    def used(self) -> tuple[float, float]:
        """CPU seconds and RSS (MB) of the child so far (Linux)."""
        stat = Path(f"/proc/{self.terminal.pid}/stat").read_text().rsplit(")", 1)[1].split()
        pages = int(Path(f"/proc/{self.terminal.pid}/statm").read_text().split()[1])
        ticks = os.sysconf("SC_CLK_TCK")
        return (int(stat[11]) + int(stat[12])) / ticks, pages * resource.getpagesize() / 1e6


def start(repeats: int = 5) -> None:
    """exec -> drawn, usable, echoed; idle CPU."""
    rows: list[tuple[float, float, float, float, float]] = []
    for _ in range(repeats):
        began = time.perf_counter()
        raw = Raw(spawn([sys.executable, "-m", "tui.cli", "--offline"]))
        drawn = raw.until("❯".encode()) - began
        raw.terminal.send("q")
        echoed = raw.until(
            b"q", raw.terminal.output.rfind(b"\x1b[?2004h") if b"\x1b[?2004h" in raw.terminal.output else 0
        )
        usable = raw.until(b"ask first") - began
        cpu, rss = raw.used()
        rows.append((drawn, echoed - began, usable, cpu, rss))
        raw.terminal.close()
    names = ("drawn s", "first echo s", "meter there s", "CPU s", "RSS MB")
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        print(f"  {name:14} {statistics.median(values):7.3f}   (min {min(values):.3f})")


def load(repeats: int = 3) -> None:
    """Keys typed while the SDK is imported behind the prompt; what the app weighs afterwards."""
    echoes: list[float] = []
    weights: list[float] = []
    for _ in range(repeats):
        raw = Raw(spawn([sys.executable, "-m", "tui.cli", "--offline"]))
        raw.until(b"ask first")
        echoes += raw.echoes("bcdfghjklmvwxzbcdfghjklm")
        raw.settled()
        weights.append(raw.used()[1])
        raw.terminal.close()
    echoes.sort()
    print(
        f"  echo median {statistics.median(echoes):.1f}, p95 {echoes[int(len(echoes) * 0.95)]:.1f}, max {echoes[-1]:.1f} ms; "
        f"RSS with the SDK {statistics.median(weights):.0f} MB"
    )


def resume() -> None:
    """A recorded session, gone on with by --continue: when it is usable, what it weighs."""
    for records, size in ((5_000, 400), (100_000, 600)):
        home = Path(tempfile.mkdtemp())
        name = re.sub(r"[^A-Za-z0-9]", "-", str(home.resolve()))
        path = home / ".ccagent" / "projects" / name / "11111111-2222-4333-8444-555555555555.jsonl"
        path.parent.mkdir(parents=True)
        transcript = new(path, cwd=home)
        fill(transcript, records, size, compact=True)
        transcript.close()
        began = time.perf_counter()
        raw = Raw(spawn([sys.executable, "-m", "tui.cli", "--offline", "--continue"], home))
        raw.until(f"line {records - 1}".encode())
        usable = raw.until(b"ask first") - began
        cpu, rss = raw.used()
        raw.settled()
        print(
            f"  {records:,} records, {path.stat().st_size / 1e6:.0f} MB: usable {usable:.2f} s, CPU {cpu:.2f} s, "
            f"RSS {rss:.0f} MB, with the SDK {raw.used()[1]:.0f} MB"
        )
        raw.terminal.close()
        shutil.rmtree(home)


def stream(characters: int, pace: float, messages: int = 0) -> None:
    """One long answer: when it is shown, what it costs, how keys feel meanwhile."""
    raw = Raw(child(str(characters), str(pace), str(messages)))
    raw.until(b"ask first")
    raw.terminal.pump(1)
    before, _ = raw.used()
    idle = raw.echoes("bcdfghjklmbcdfghjklm")
    raw.terminal.send("\r")
    mark, began = len(raw.terminal.output), time.perf_counter()
    echoes: list[float] = []
    while b"THE END" not in raw.terminal.output[mark:]:
        if pace:
            echoes.append(raw.echo("vwxz"[len(echoes) % 4]))
            raw.terminal.pump(random.uniform(0.1, 0.2))
        else:
            raw.terminal.pump(0.001)
    shown = raw.settled() - began
    cpu, rss = raw.used()
    print(
        f"  {characters // 1000} KB at {pace or 'full speed'}, {messages} messages before: shown {shown:.2f} s, CPU {cpu - before:.2f} s, RSS {rss:.0f} MB"
    )
    print(
        f"    idle echo median {statistics.median(idle):.1f} ms; written {(len(raw.terminal.output) - mark) / 1e6:.2f} MB"
    )
    if echoes:
        echoes.sort()
        print(
            f"    echo while streaming: median {statistics.median(echoes):.1f}, p95 {echoes[int(len(echoes) * 0.95)]:.1f}, max {echoes[-1]:.1f} ms ({len(echoes)} keys)"
        )
    raw.terminal.close()


def history() -> None:
    """An empty app against one with 5,000 messages: memory, one key, a resize."""
    for messages in (0, 5_000, 20_000):
        raw = Raw(child("1000", "0", str(messages)))
        raw.until(b"ask first")
        raw.terminal.pump(1.0)
        cpu, rss = raw.used()
        keys = raw.echoes("bcdfghjklmbcdfghjklm")
        start_resize, _ = raw.used()
        raw.terminal.resize(100, 40)
        os.kill(raw.terminal.pid, 28)
        raw.terminal.pump(1.0)
        resize = raw.used()[0] - start_resize
        calm, _ = raw.used()
        raw.terminal.pump(10)
        idle = 10 * (raw.used()[0] - calm)  # percent of ten seconds
        print(
            f"  {messages:6} messages: CPU to idle {cpu:.2f} s, RSS {rss:.0f} MB, key {statistics.median(keys):.1f} ms, resize CPU {resize * 1000:.0f} ms, idle CPU {idle:.1f} %"
        )
        raw.terminal.close()


def main() -> None:
    """Everything, or what is named."""
    wanted = sys.argv[1:] or ["start", "load", "stream", "history", "resume"]
    if "start" in wanted:
        print("start (ccagent --offline)")
        start()
    if "load" in wanted:
        print("while the SDK is loaded")
        load()
    if "resume" in wanted:
        print("a recorded session")
        resume()
    if "stream" in wanted:
        print("a long answer")
        stream(200_000, 0)
        stream(50_000, 0)
        stream(200_000, 100)
        stream(200_000, 100, 5_000)
    if "history" in wanted:
        print("long conversations")
        history()


if __name__ == "__main__":
    main()
