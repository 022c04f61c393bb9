"""The stand-in: what couplings cost beside what nothing can cost less than, and events a second.

The peer of a speed is the same publisher in plain Python and numpy, its compiled loops switched
off, on the same events in the same run.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import covey
from benchmarks.depot import depot
from benchmarks.timing import markdown
from covey.dynamics.solver import Solver
from covey.model.scenario import Scenario
from covey.paper.scenarios import task_network
from covey.remedy.stand_in.pricing import Pricing, Way

AGAINST = "the same publisher in plain Python and numpy"
WAREHOUSE = Path(__file__).parent.parent / "examples" / "warehouse.toml"
EVENTS, PLAIN_EVENTS = 40_000, 400
SNAPSHOTS = 480  # a shift


def run() -> str:
    return "\n\n".join((_targets(), _examples(), _speeds()))


def run_long() -> str:
    """Couplings that take minutes to find, and what else could be published."""
    return f"{_prices(_fleets(None))}\n\n{_usual()}"


def _fleet(carriers: int, pickers: int) -> Scenario:
    """The warehouse for 180 robots and 40 docks: what meets is as busy as before."""
    changes = {"types.carrier": carriers, "types.picker": pickers, "resources.dock": 40}
    rates = {"rates.meet": 0.2 / 20, "rates.carrier_low": 0.05 / 13, "rates.picker_low": 0.03 / 13}
    return covey.load(WAREHOUSE).with_(changes | rates)


def _targets() -> str:
    warehouse = covey.load(WAREHOUSE)
    unequal = task_network((4, 4, 4), encounter=(0.2, 0.5, 0.8), abandon=(0.8, 0.5, 0.2))
    unequal = unequal.with_({"adversary.at": "steady"})
    seven = warehouse.with_({"types.carrier": 7, "types.picker": 3})
    five = warehouse.with_({"types.carrier": 5, "types.picker": 5})
    cases = [
        ("warehouse (6,4), real (7,3)", seven, warehouse, ("greedy", None)),
        ("warehouse (6,4), real (5,5)", five, warehouse, ("greedy", None)),
        *_fleets("greedy"),
    ]
    cases += [
        (
            f"task network (4,4,4), unequal, {one}",
            unequal.with_(team=one.team),
            unequal,
            ("greedy", None),
        )
        for one in unequal.team.neighbours()
    ]
    return _prices(cases)


def _fleets(coupling: str | None) -> list[tuple[str, Scenario, Scenario, tuple[str | None, ...]]]:
    """180 robots, one of another type than the reference has."""
    public = _fleet(120, 60)
    return [
        (f"180 robots (120,60), real ({a},{b})", _fleet(a, b), public, (coupling,))
        for a, b in ((121, 59), (119, 61))
    ]


def _examples() -> str:
    """Every example, the first robot that can be of another type being so.

    There is no stand-in under a timetable.
    """
    cases = []
    for file in sorted(WAREHOUSE.parent.glob("*.toml")):
        reference = covey.load(file).unpublished()
        if reference.network.timetable:
            continue
        other = next(iter(reference.team.neighbours()))
        real = reference.with_(team=other.team, warn=False)
        cases.append((f"{file.stem}, {other}", real, reference, ("greedy", None)))
    return _prices(cases)


def _prices(cases: Sequence[tuple[str, Scenario, Scenario, tuple[str | None, ...]]]) -> str:
    """The price of every coupling; None is the best that can be had."""
    rows = []
    for name, real, reference, couplings in cases:
        for coupling in couplings:
            began = time.perf_counter()
            pricing = Pricing(Way(Solver(real.network), "l1", coupling, None), reference)
            price, used, _ = pricing.price(real)
            seconds = time.perf_counter() - began
            low, high = price.interval
            sure = "exact" if price.confidence is None else f"{low:.3f} to {high:.3f}, 95%"
            figures = [f"{price.loss:.4f}", sure, f"{pricing.least(real):.4f}"]
            rows.append([name, used, *figures, f"{price.unchanged:.1%}", f"{seconds:.1f} s"])
    header = (
        "reference and team",
        "coupling",
        "loss",
        "between",
        "no less than",
        "unchanged",
        "time",
    )
    return markdown(header, rows)


def _usual() -> str:
    """What else could be published of the warehouse's shift, an observer being right 60% at most.

    Geometric noise for the whole stream: one robot of another type is taken to change two counts by
    one at each of 480 snapshots, so that noise is scaled to 960 changes.
    """
    warehouse = covey.load(WAREHOUSE)
    epsilon = math.log(0.6 / 0.4)
    share = math.exp(-epsilon / (2 * SNAPSHOTS))
    noise = len(warehouse.query.groups(warehouse.network)) * 2 * share / (1 - share**2)
    table = covey.protect_stream(warehouse, 1.0, float(SNAPSHOTS), guess=0.6)
    right = table.stream.bayes_success[-1]
    rows = [
        ["geometric noise, composed over 480 snapshots", f"{noise:,.0f}", "60.0%"],
        [f"the best table, every {table.every:g}", f"{table.loss:.3f}", f"{right.upper:.1%}"],
    ]
    for team in ((7, 3), (5, 5)):
        real = warehouse.with_({"types.carrier": team[0], "types.picker": team[1]})
        found = Pricing(Way(Solver(real.network), "l1", None, None), warehouse).price(real).price
        rows.append([f"a stand-in, team {team}", f"{found.loss:.3f}", "50.0%"])
    return markdown(("a shift of the warehouse", "loss", "an observer is right, at most"), rows)


def _speeds() -> str:
    rows = []
    for name in ("warehouse", "depot"):
        compiled, plain = (_measured(name, off) for off in (False, True))
        ratio = f"{compiled / plain:.1f} ×"
        rows.append([name, f"{compiled:,.0f}", f"{plain:,.0f}", ratio])
    return markdown(("feed", "events a second", "the same in plain numpy", "times as fast"), rows)


def _measured(name: str, plain: bool) -> float:
    """Events a second, in a process of its own."""
    code = f"from benchmarks.bench_stand_in import speed; print(speed({name!r}, {plain}))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if plain else "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def speed(name: str, plain: bool) -> float:
    """Events a second of one feed, published every 1."""
    real = covey.load(WAREHOUSE) if name == "warehouse" else depot()
    events = PLAIN_EVENTS if plain else EVENTS
    reference = {
        type_: count + (i == 0) for i, (type_, count) in enumerate(real.team.types.items())
    }
    from covey.model.io.stand_in_file import Reference  # noqa: PLC0415
    from covey.remedy.stand_in.stand_in import referring  # noqa: PLC0415

    public = Reference(referring(real, reference), "greedy", "l1", 0.0)
    start = dict(zip(map(str, real.network.species), real.start.tolist(), strict=True))
    publisher = covey.CoupledPublisher(public, start)
    log = covey.event_log(real.network, real.start, 20_000.0 if not plain else 500.0, seed=1)
    times, reactions = log.times[:events].tolist(), log.reactions[:events].tolist()
    publisher.event(times[0], reactions[0])  # loads what was compiled
    publisher.published(times[0])
    began = time.perf_counter()
    for when, reaction in zip(times[1:], reactions[1:], strict=True):
        publisher.event(when, reaction)
    return (len(times) - 1) / (time.perf_counter() - began)
