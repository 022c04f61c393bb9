"""What to publish instead: the mechanism that costs least, at one snapshot and in a stream of them.

Beside it two-sided geometric noise for one count more and one fewer, the textbook's answer. The
streams draw anew from the table at every snapshot; how often the observer is right in the end.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

import covey
from benchmarks.depot import hall
from benchmarks.task_network import scenario
from benchmarks.timing import markdown
from covey.dynamics.solver import Solver
from covey.numbers import Ints
from covey.paper.scenarios import task_network
from covey.privacy.snapshot.output_distributions import TeamDistributions, team_distributions
from covey.privacy.snapshot.published import released
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.protect import protected
from covey.remedy.mechanism.staleness import Staleness

AGAINST = "two-sided geometric noise, the textbook's"
FASTER = "textbook noise takes no time at all, and covey's tables gain accuracy, not speed"
WAREHOUSE = Path(__file__).parent.parent / "examples" / "warehouse.toml"
SPAN = 480.0
LINES = 1_000_000
HEADER = (
    *("scenario", "outcomes, distributions", "leakage", "ε", "leaks at most", "L1 error", "gap"),
    *("unchanged", "geometric noise", "processor's time"),
)


def run() -> str:
    return f"{_one_snapshot()}\n\n{_stream()}\n\n{_kept()}\n\n{_pipe()}"


def _one_snapshot() -> str:
    warehouse = covey.load(WAREHOUSE)
    larger = warehouse.with_({"types.carrier": 12, "types.picker": 8})
    unequal = task_network((10, 10, 10), encounter=(0.2, 0.5, 0.8), abandon=(0.8, 0.5, 0.2))
    asked = [
        ("warehouse", warehouse, (2.0, 1.0, 0.5, 0.2, 0.1)),
        ("warehouse, 12 carriers, 8 pickers", larger, (0.5,)),
        ("task network (4,4,4)", scenario(4), (0.1, 0.05)),
        ("task network (7,7,7)", scenario(7), (0.1,)),
        ("task network (10,10,10), unequal rates", unequal, (0.3, 0.1)),
        ("depot of 180, runners counted apart", hall(), (0.1, 0.05)),
    ]
    rows = []
    for name, whole, epsilons in asked:
        distributions = team_distributions(whole)
        for epsilon in epsilons:
            began = time.process_time()
            found = protected(Task(tuple(distributions), epsilon))
            seconds = time.process_time() - began
            alpha = math.exp(-epsilon / 2)  # one robot of another type changes two counts by one
            textbook = len(found.counts) * 2 * alpha / (1 - alpha**2)
            rows.append(
                [
                    name,
                    f"{len(found.seen)}, {len(distributions[0].neighbours) + 1}",
                    f"{found.before[0].value:.3g}",
                    f"{epsilon:g}",
                    f"{found.leakage.interval[1]:.6f}",
                    f"{found.loss:.4f}",
                    f"{found.gap:.1e}",
                    f"{found.unchanged:.1%}",
                    f"{textbook:.1f}",
                    f"{seconds:.1f} s",
                ]
            )
    return markdown(HEADER, rows)


def _stream() -> str:
    warehouse = covey.load(WAREHOUSE)
    distributions = team_distributions(warehouse)
    tables = {f"ε = {e:g}": protected(Task(tuple(distributions), e)) for e in (0.5, 0.1, 0.03)}
    rows = []
    for every in (15.0, 30.0, 60.0, 120.0):
        cells = [f"{every:g}", f"{SPAN / every:g}", _right(warehouse, every)]
        for found in tables.values():
            channel = partial(released, table=found.release)
            cells.append(_right(warehouse, every, seen=channel))
        rows.append(cells)
    named = [f"{name} (error {found.loss:.3f})" for name, found in tables.items()]
    return "The warehouse, a shift of 480, how often the observer is right at the end:\n\n" + (
        markdown(["published each", "snapshots", "the truth", *named], rows)
    )


def _right(whole: covey.Scenario, every: float, **how: object) -> str:
    told = covey.stream(whole, every, SPAN, snapshots=[int(SPAN / every)], accuracy=0.03, **how)  # type: ignore[arg-type]
    last = told.bayes_success[-1]
    return f"{last.value:.1%} ({last.lower:.1%} – {last.upper:.1%})"


def _kept() -> str:
    """The cheapest stream that keeps to 60%, beside two others by the same measure of loss."""
    warehouse = covey.load(WAREHOUSE)
    distributions = team_distributions(warehouse)
    began = time.perf_counter()
    found = covey.protect_stream(warehouse, 1.0, SPAN, guess=0.6)
    seconds = time.perf_counter() - began
    stale = Staleness(Solver(warehouse.network), warehouse, [15.0])
    fixed = protected(Task(tuple(distributions), 0.1))
    right = found.stream.bayes_success[-1]
    best = f"{right.value:.1%} (at most {right.upper:.1%})"
    typical = _always(stale, distributions[0], fixed.seen)
    aged = stale.cost("l1", 15.0, fixed.release, 32)
    rows = [
        [f"found in {seconds:.0f} s", f"{found.every:g}", best, f"{found.loss:.3f}"],
        [
            "the table of one snapshot, ε = 0.1",
            "15",
            _right(warehouse, 15.0, seen=partial(released, table=fixed.release)),
            f"{aged:.3f}",
        ],
        ["always the same, whatever is there", "", "50.0%", f"{typical:.3f}"],
    ]
    return "The loss at every moment, ageing included (L1):\n\n" + markdown(
        ["published", "each", "right in the end", "loss"], rows
    )


def _pipe() -> str:
    """A feed of a million lines through `covey publish`, from start to end."""
    found, random = (
        covey.protect(covey.load(WAREHOUSE), 0.5, teams="this"),
        np.random.default_rng(0),
    )
    rows = found.seen[random.integers(0, len(found.seen), LINES)]
    with tempfile.TemporaryDirectory() as folder:
        table, feed = Path(folder) / "mechanism.json", Path(folder) / "counts.csv"
        found.save(table)
        np.savetxt(feed, rows, "%d", ",", header=",".join(found.counts), comments="")
        began, before = time.perf_counter(), _busy()
        with feed.open("rb") as source:
            command = [sys.executable, "-m", "covey", "publish", str(table), "--each-is-a-mission"]
            done = subprocess.run(command, stdin=source, stdout=subprocess.PIPE, check=True)
        seconds, busy = time.perf_counter() - began, _busy() - before
    assert done.stdout.count(b"\n") == LINES + 1
    return (
        f"`covey publish` answers {LINES:,} lines of CSV in {seconds:.1f} s, "
        f"{LINES / seconds:,.0f} a second, with {busy:.1f} s of a processor's time, "
        f"{LINES / busy:,.0f} in each."
    )


def _busy() -> float:
    """Seconds of processors' time that programs have taken that were started here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _always(stale: Staleness, distributions: TeamDistributions, seen: Ints) -> float:
    """What it costs to publish the same outcome all the time, the best of them."""
    costs = stale.aged("l1", 15.0, seen)
    likely = list(
        zip(
            map(tuple, distributions.team.outcomes.tolist()),
            distributions.team.probabilities,
            strict=True,
        )
    )
    every = map(tuple, seen.tolist())
    return float(min(sum(p * costs[y][z] for y, p in likely) for z in every))
