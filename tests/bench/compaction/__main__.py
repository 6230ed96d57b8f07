"""Compares ways to make room: what they keep, what they get wrong, what they cost.

python -m tests.bench.compaction [--threshold N] [--chains N] [--sessions N] [--only NAME] [--sweep] [--write] [--model ID]

Sessions come from $CCAGENT_BENCH_DATA, else from a generator. `--write` puts table and picture into docs/, `--sweep` tries other
tails, `--model` (with a key in the environment) lets a real model write our summaries.
"""

import argparse
import asyncio
import os
import time
from pathlib import Path

from agent.compact.tail_policy import TailPolicy
from agent.models.aliases import resolve_alias
from agent.protocol.model import Model
from tests.bench.compaction.policies import BASELINES
from tests.bench.compaction.prices import MODEL
from tests.bench.compaction.report import plot, table
from tests.bench.compaction.rows import Maker, Row, baseline, ours, row
from tests.bench.compaction.sessions import SESSIONS, Session, sessions
from tests.bench.compaction.summariser import DIALS

DOCS = Path(__file__).parents[3] / "docs"
PAGE, PICTURE = DOCS / "compaction_benchmark.md", DOCS / "compaction_benchmark.svg"
BEGIN, END = "<!-- figures: written by the bench -->", "<!-- end of figures -->"
TAILS = {
    "no tail, no names": TailPolicy(most=0),
    "no names": TailPolicy(most_names=0),
    **{f"tail {most:,}": TailPolicy(most=most) for most in (2_000, 3_000)},
    "tail 1/4 of the threshold": TailPolicy(of_ceiling=4),
}


def main() -> None:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--threshold", type=int, default=33_000)
    parser.add_argument("--chains", type=int, default=SESSIONS, help="into how many sessions the tasks are chained")
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="how many of them are played")
    parser.add_argument("--only", default="", help="the policies whose name begins so")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--model", default="")
    told = parser.parse_args()
    data = os.environ.get("CCAGENT_BENCH_DATA")
    chosen = sessions(Path(data) if data else None, told.chains)[: told.sessions]
    kind = "real" if data else "synthetic"
    started = time.monotonic()
    rows = asyncio.run(
        _rows(chosen, told.threshold, sweep=told.sweep, only=told.only, model=_model(told.model), name=told.model)
    )
    head = f"{len(chosen)} {kind} sessions, auto-compact at {told.threshold:,} tokens, {time.monotonic() - started:.0f} s of bench time."
    print(head, table(rows), sep="\n\n")
    if told.write:
        _write(f"{head}\n\n{table(rows)}", plot([one for one in rows if not one.name.startswith("ours,")]))


async def _rows(
    chosen: list[Session], threshold: int, *, sweep: bool, only: str, model: Model | None, name: str
) -> list[Row]:
    if model is not None:
        try:
            make = ours(model=model, name=resolve_alias(name), threshold=threshold)
            return [await row("ours", (name, 0.0), make, chosen, threshold)]
        finally:
            await model.close()
    makers: list[tuple[str, tuple[str, float], Maker, bool]] = []
    for policy, (_make, summarises) in BASELINES.items():
        dials = list(DIALS.items()) if summarises else [("", 0.0)]
        makers += [(policy, dial, baseline(policy), True) for dial in dials]
    makers += [("ours", dial, ours(threshold=threshold), True) for dial in DIALS.items()]
    for part, tail in TAILS.items() if sweep else ():
        makers.append((f"ours, {part}", ("empty", 0.0), ours(tail, threshold=threshold), False))
    rows = [await row("never (price only)", ("", 0.0), baseline("head truncation"), chosen, 10**9, with_facts=False)]
    for label, dial, make, facts in makers:
        if label.startswith(only):
            rows.append(await row(label, dial, make, chosen, threshold, with_facts=facts))
    return rows


def _model(name: str) -> Model | None:
    """A real model behind the API; raises SystemExit without credentials."""
    if not name:
        return None
    from agent.anthropic_api.client import AnthropicModel
    from agent.anthropic_api.retry import retry_policy
    from agent.protocol.clock import SystemClock
    from agent.settings.credentials import find_credentials
    from agent.settings.paths import Places
    from agent.telemetry.log import Log

    env = dict(os.environ)
    credentials = find_credentials(env, Places.resolve(Path.cwd(), env))
    if credentials is None:
        raise SystemExit("--model needs credentials, as ccagent does.")
    print(f"Summaries by {name}; every compaction is a request that is paid for, here at the prices of {MODEL}.")
    return AnthropicModel(
        credentials, clock=SystemClock(), retry=retry_policy(env, None), log=Log(Path("/nonexistent"))
    )


def _write(figures: str, picture: str) -> None:
    page = PAGE.read_text("utf-8") if PAGE.exists() else f"{BEGIN}\n{END}\n"
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{figures}\n\n{END}{rest.partition(END)[2]}", "utf-8")
    PICTURE.write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
