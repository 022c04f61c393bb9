"""The stand-in: what couplings cost beside what nothing can cost less than, and events a second.

The peer of a speed is the same publisher in plain Python and numpy, its compiled loops switched
off, on the same events in the same run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import covey
from benchmarks.depot import depot
from benchmarks.timing import markdown
from covey.model.scenario import Scenario
from covey.paper.scenarios import task_network

WAREHOUSE = Path(__file__).parent.parent / "examples" / "warehouse.toml"
EVENTS, PLAIN_EVENTS = 40_000, 400


def run() -> str:
    return f"{_prices()}\n\n{_speeds()}"


def _fleet(carriers: int, pickers: int) -> Scenario:
    """The warehouse for 180 robots and 40 docks: what meets is as busy as before."""
    changes = {"types.carrier": carriers, "types.picker": pickers, "resources.dock": 40}
    rates = {"rates.meet": 0.2 / 20, "rates.carrier_low": 0.05 / 13, "rates.picker_low": 0.03 / 13}
    return covey.load(WAREHOUSE).with_(changes | rates)


def _prices() -> str:
    warehouse = covey.load(WAREHOUSE)
    unequal = task_network((4, 4, 4), encounter=(0.2, 0.5, 0.8), abandon=(0.8, 0.5, 0.2))
    unequal = unequal.with_({"adversary.at": "steady"})
    cases = [
        ("warehouse, real (7,3)", {"types.carrier": 7, "types.picker": 3}, warehouse),
        ("warehouse, real (5,5)", {"types.carrier": 5, "types.picker": 5}, warehouse),
        ("180 robots, real (121,59)", {}, _fleet(121, 59)),
        ("180 robots, real (119,61)", {}, _fleet(119, 61)),
        ("task network (4,4,4), unequal, one 1 turned 2", {"types.1": 3, "types.2": 5}, unequal),
    ]
    rows = []
    for name, changes, scenario in cases:
        real = scenario.with_(changes)
        names = list(real.team.types)
        if scenario is warehouse:
            reference: dict[str, object] = {"carrier": 6, "picker": 4}
        elif "carrier" in names:
            reference = {"carrier": 120, "picker": 60}
        else:
            reference = dict.fromkeys(names, 4)
        for coupling in ("greedy", "optimal") if scenario is warehouse else ("greedy",):
            began = time.perf_counter()
            found = covey.stand_in(real, reference, coupling=coupling)
            seconds = time.perf_counter() - began
            low, high = found.price.interval
            sure = "exact" if found.price.confidence is None else f"{low:.3f} to {high:.3f}, 95%"
            unchanged = f"{found.price.unchanged:.1%}"
            figures = [f"{found.price.loss:.4f}", sure, f"{found.least:.4f}", unchanged]
            rows.append([name, found.coupling, *figures, f"{seconds:.1f} s"])
    header = ("team", "coupling", "loss", "between", "no less than", "unchanged", "with neighbours")
    return markdown(header, rows)


def _speeds() -> str:
    rows = []
    for name in ("warehouse", "depot"):
        compiled, plain = (_measured(name, off) for off in (False, True))
        ratio = f"{compiled / plain:.0f}"
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
