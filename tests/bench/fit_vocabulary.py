"""Makes agent/tokens/vocabulary.json: which words and signs the counter knows, and its weights for all others.

python tests/bench/fit_vocabulary.py FOLDER...     Python 3.12+ with `ctok` and msgspec, installed by hand; some minutes

Every folder and every long file directly below a FOLDER is a source, and every source weighs the same: site-packages, a standard library,
node_modules, headers, manuals. The outputs of some commands run in them (`ls -la`, `grep -rn`, `git diff`) are sources too, which weigh ten times
as much, because they are what an agent reads. What belongs to the repositories that the recorded sessions of the benchmarks work on is left out,
and so are those sessions. First the accuracy is shown on a quarter of the sources
that the rest was fitted without; what is written is fitted on all.
"""

import gzip
import html
import importlib
import json
import math
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from agent.tokens.features import Features, measure
from agent.tokens.pretokens import TOUCHING_BLANK, pretokens
from agent.tokens.vocabulary import Weights

GENERATIONS = {"v3": ("3.0", 7), "v4.8": ("4.8", 6)}  # ctok's name, and what it adds as the frame of a message
LEFT_OUT = ("django", "sphinx", "sympy", "__pycache__", "dist-info", "copyright", "changelog", "authors")
WORDS, SIGNS = 8_000, 1_500
AT_MOST = 0.0005  # of a source's words: what one source is full of (its author's name) is not common
OF_EACH = 120_000  # characters of a source
OF_A_FILE = 15_000
SEEN = 4  # sources that must have a word
SOURCES = 70  # of a folder
CHUNKS = 8  # of a source, for the weights
COMMANDS = {
    "ls": "ls -la {} | head -90",
    "find": "find {} -maxdepth 2 | head -90",
    "grep": "grep -rnI 'return' {} | head -70 | cut -c1-300",
    "names": "grep -rlI 'import' {} | head -90",
    "lines": "find {} -type f | head -60 | xargs -d '\\n' wc -l",
    "numbered": "find {} -name '*.[pjhm]*' -type f | head -1 | xargs -d '\\n' cat -n | head -120",
    "diff": "find {} -name '*.[pjhm]*' -size -30k -type f | sort | head -2 | xargs -d '\\n' git diff --no-index | head -140",
    "sums": "find {} -type f | head -40 | xargs -d '\\n' sha256sum",
    "status": "find {} -type f | head -40 | xargs -d '\\n' stat | head -90",
}
COMPACT_JSON = "compact JSON"
WEIGHTS = dict.fromkeys((*COMMANDS, COMPACT_JSON), 10)  # of the sources that weigh more
EMOJI = "".join(map(chr, range(0x1F300, 0x1F650)))
OTHER = "other"  # the shape alone, for the tokenizers of other vendors, which are nearer to the older generation
WORD_FEATURES = ("words", "letters", "long_letters", "upper")
SIGN_FEATURES = ("sign_runs", "signs", "repeats")


class Sample(NamedTuple):
    """A piece of a source."""

    source: str
    text: str


def main() -> None:
    texts = {name: text for name, text in sources([Path(name) for name in sys.argv[1:]]) if len(text) > 2_000}
    print(f"{len(texts)} sources, {sum(map(len, texts.values())):,} characters")
    names = sorted(texts)
    random.Random(1).shuffle(names)
    held_out = set(names[::4])
    fit(texts, [name for name in names if name not in held_out], held_out)
    tokens, weights = fit(texts, names, set())
    write(tokens, weights)


# ---- what is read


def sources(folders: Sequence[Path]) -> Iterator[tuple[str, str]]:
    outputs: dict[str, list[str]] = {name: [] for name in WEIGHTS}
    dice = random.Random(2)
    for folder in folders:
        below = sorted(path for path in folder.iterdir() if is_source(path))
        for path in sorted(dice.sample(below, min(len(below), SOURCES))):
            yield str(path), taken(path, dice)
            if path.is_dir():
                for name in dice.sample(sorted(COMMANDS), 2):
                    outputs[name].append(output(COMMANDS[name], path))
                outputs[COMPACT_JSON] += islice(compact_json(path), 2)
    for name, several in outputs.items():
        yield name, "\n".join(several)


def is_source(path: Path) -> bool:
    return not left_out(path) and (path.is_dir() or path.stat().st_size > OF_A_FILE)


def left_out(path: Path) -> bool:
    return any(name in str(path).lower() for name in LEFT_OUT)


def taken(source: Path, dice: random.Random) -> str:
    files = sorted(
        path for path in source.rglob("*") if path.is_file() and not path.is_symlink() and not left_out(path)
    )
    dice.shuffle(files)
    parts: list[str] = []
    for path in files[:400] or [source] * 8:
        text = read(path)
        start = dice.randrange(max(1, len(text) - OF_A_FILE))
        parts.append(text[start : start + OF_A_FILE])
        if sum(map(len, parts)) > OF_EACH:
            break
    return "\n".join(parts)


@cache
def read(path: Path) -> str:
    """The text of a file, "" if it has none; of a page, also of the manual, what a reader sees."""
    if path.stat().st_size > 1_000_000:
        return ""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = data.decode()
    except (OSError, UnicodeDecodeError, EOFError):
        return ""
    if path.suffix == ".html":
        text = re.sub(r"\n\s*\n+", "\n\n", html.unescape(re.sub(r"<[^>]*>", "", text)))
    if path.suffix == ".gz" and path.parent.name.startswith("man"):
        text = re.sub(r"\\f.|^[.'].[A-Z]? ?", "", text, flags=re.M).replace("\\-", "-")
    return "" if "\0" in text else text


def compact_json(folder: Path) -> Iterator[str]:
    """As tool calls and schemas are written."""
    for path in sorted(folder.rglob("*.json")):
        with suppress(ValueError):
            content = json.loads(read(path))
            yield json.dumps(content, separators=(",", ":"), ensure_ascii=False)[:8_000]


def output(command: str, folder: Path) -> str:
    """Run beside the folder, so that paths are as short as an agent sees them."""
    filled = command.format(f"'{folder.name}'")
    run = subprocess.run(["bash", "-c", filled], cwd=folder.parent, capture_output=True, check=False)
    return run.stdout.decode(errors="replace")[:8_000]


# ---- what the oracle says


@cache
def counted(text: str, generation: str) -> int:
    version, frame = GENERATIONS[generation]
    token_count: Callable[[str, str], int] = importlib.import_module("ctok").token_count
    return token_count(text, version) - frame


@cache
def counts(part: bytes, is_word: bool) -> tuple[int, ...]:
    """Tokens of a word, or of a run of signs between two words, in each generation."""
    text = part.decode()
    if is_word:
        return tuple(counted(text, generation) for generation in GENERATIONS)
    between = f"x{text.replace(TOUCHING_BLANK.decode(), ' ')}x"
    return tuple(counted(between, generation) - 2 * counted("x", generation) for generation in GENERATIONS)


# ---- what is fitted


def fit(
    texts: Mapping[str, str], names: Sequence[str], held_out: set[str]
) -> tuple[dict[bytes, tuple[int, ...]], dict[str, Weights]]:
    parts = {name: pretokens(texts[name]) for name in names}
    words = chosen({name: Counter(parts[name].words) for name in names}, WORDS, is_word=True)
    signs = chosen({name: Counter(parts[name].signs) for name in names}, SIGNS, is_word=False)
    tokens = {part: counts(part, part.isalpha()) for part in (*words, *signs)}
    samples = list(pieces(texts, (*names, *sorted(held_out))))
    weights = {}
    for place, generation in enumerate(GENERATIONS):
        known = {part: count[place] for part, count in tokens.items()}
        weights[generation] = fit_weights(samples, known, generation, held_out)
    weights[OTHER] = fit_weights(samples, {}, next(iter(GENERATIONS)), held_out)
    return tokens, weights


def fit_weights(samples: Sequence[Sample], known: Mapping[bytes, int], generation: str, held_out: set[str]) -> Weights:
    measured = [(sample, measure(sample.text, known)) for sample in samples if counted(sample.text, generation) > 20]
    fitted = [pair for pair in measured if pair[0].source not in held_out]
    weights = weighed(fitted, generation)
    for label, some in (("fitted", fitted), ("held out", [pair for pair in measured if pair[0].source in held_out])):
        if some:
            report(f"{generation:5} {'with' if known else 'without'} table, {label}:", some, weights, generation)
    return weights


def chosen(by_source: Mapping[str, Counter[bytes]], number: int, *, is_word: bool) -> list[bytes]:
    """Those that save most: seen often, and by their shape alone counted wrongly. Some sources must have them."""
    share: Counter[bytes] = Counter()
    seen: Counter[bytes] = Counter()
    for name, found in by_source.items():
        for part, times in found.items():
            if part.isascii() and len(part) < 40:
                part_of_it = times / found.total()
                share[part] += WEIGHTS.get(name, 1) * (min(AT_MOST, part_of_it) if is_word else part_of_it)
                seen[part] += 1
    names = WORD_FEATURES if is_word else SIGN_FEATURES
    rows = {part: shape(part, names) for part in share}
    candidates = [part for part in share if seen[part] >= SEEN]
    best = sorted(candidates, key=lambda part: -share[part])[:number]
    for _ in range(4):
        rest = sorted(share.keys() - set(best))
        saved: Counter[bytes] = Counter()
        for place in range(len(GENERATIONS)):
            rule = least_squares([(rows[part], counts(part, is_word)[place], share[part]) for part in rest])
            for part in candidates:
                count = counts(part, is_word)[place]
                saved[part] += share[part] * abs(dot(rule, rows[part]) - count) / (1 + place / 3)
        best = [part for part, _ in saved.most_common(number)]
    return best


def shape(part: bytes, names: Sequence[str]) -> list[float]:
    features = measure(part.decode().replace(TOUCHING_BLANK.decode(), "s" if part.isalpha() else ""), {})
    return [float(getattr(features, name)) for name in names]


def pieces(texts: Mapping[str, str], names: Iterable[str]) -> Iterator[Sample]:
    for name in names:
        dice, text = random.Random(name), texts[name]
        for _ in range(CHUNKS * WEIGHTS.get(name, 1)):
            size = dice.choice((400, 1_000, 2_500, 6_000))
            start = dice.randrange(max(1, len(text) - size))
            yield Sample(name, text[start : start + size])


def weighed(samples: Sequence[tuple[Sample, Features]], generation: str) -> Weights:
    """Least squares of relative errors; what lies far off (a page of base64) is left out the second time."""
    astral = counted(EMOJI, generation) / len(EMOJI)
    rows = []
    for sample, features in samples:
        known, *others, emoji = msgspec.structs.astuple(features)
        true = counted(sample.text, generation)
        rows.append((list(map(float, others)), true - known - astral * emoji, 1 / true))
    weights = least_squares(rows)
    near = [row for row in rows if abs(dot(weights, row[0]) - row[1]) * row[2] < 0.15]
    return Weights(*(round(weight, 3) for weight in (*least_squares(near), astral)))


def report(label: str, samples: Sequence[tuple[Sample, Features]], weights: Weights, generation: str) -> None:
    errors, total, true_total = [], 0.0, 0
    for sample, features in samples:
        known, *others = msgspec.structs.astuple(features)
        guess, true = known + dot(msgspec.structs.astuple(weights), others), counted(sample.text, generation)
        total, true_total = total + guess, true_total + true
        errors.append(100 * abs(guess / true - 1) if true else 0.0)
    errors.sort()
    middle, high = errors[len(errors) // 2], errors[int(0.95 * len(errors))]
    mean = sum(errors) / len(errors)
    print(
        f"{label} {len(errors)} pieces: in sum {100 * (total / true_total - 1):+.2f} %, "
        f"each {mean:.2f} % (median {middle:.2f} %, p95 {high:.2f} %)"
    )


# ---- arithmetic


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(one * other for one, other in zip(left, right, strict=True))


def least_squares(rows: Sequence[tuple[list[float], float, float]]) -> list[float]:
    """Weights, none below zero, for rows of (features, target, importance)."""
    width = len(rows[0][0])
    used = list(range(width))
    while True:
        solved = solve(
            [[math.fsum(row[i] * row[j] * weight for row, _, weight in rows) for j in used] for i in used],
            [math.fsum(row[i] * target * weight for row, target, weight in rows) for i in used],
        )
        worst, index = min(zip(solved, used, strict=True))
        if worst >= 0:
            break
        used.remove(index)
    result = [0.0] * width
    for i, value in zip(used, solved, strict=True):
        result[i] = value
    return result


def solve(matrix: list[list[float]], target: list[float]) -> list[float]:
    """Gauss and Jordan; a feature that never occurs gets 0."""
    size = len(target)
    rows = [[*row, value] for row, value in zip(matrix, target, strict=True)]
    for i in range(size):
        if rows[i][i] < 1e-12:
            rows[i] = [0.0] * (size + 1)
            continue
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                rows[j] = [value - rows[j][i] * other for value, other in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def write(tokens: Mapping[bytes, tuple[int, ...]], weights: Mapping[str, Weights]) -> None:
    groups: dict[str, list[str]] = {}
    for part in sorted(tokens):
        key = " ".join(map(str, tokens[part]))
        lines = groups.setdefault(key, [""])
        if len(lines[-1]) + len(part) > 110:
            lines.append("")
        lines[-1] = f"{lines[-1]} {part.decode()}".strip()
    content = {"weights": msgspec.to_builtins(weights), "counts": dict(sorted(groups.items()))}
    path = Path(__file__).parents[2] / "agent" / "tokens" / "vocabulary.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    print(f"{path.name}: {len(tokens)} words and signs, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
