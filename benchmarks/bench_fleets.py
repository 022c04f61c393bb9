"""Fleets: what one snapshot gives away of hundreds and of thousands of robots, end to end.

The depot's robots meet and share docks, and have a closed form at steady state: all but 1e-12 of
the mass, chosen by itself. Vehicles of the ride-sharing fleet move independently: distributions at
a time need no states. Every run is the command line's, with the start of its process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.depot import depot
from benchmarks.timing import best_of, markdown
from covey import Scenario, load
from covey.model.io.scenario_file import dump

AGAINST = "no other program; whole commands, with the start of their process"
RIDES = Path(__file__).parent.parent / "examples" / "ride-sharing.toml"
DEPOTS = (1, 2, 4, 8)
REPORTED = 2  # of those depots in one
VEHICLES = (40, 200, 2_000, 20_000)
HOUR = 1.0  # after the start


def run() -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fleet.toml"
        depots = [row(f"depot of {120 * n}", depot(n), file) for n in DEPOTS]
        rides = [row(f"ride-sharing, {n:,} vehicles", ride(n), file) for n in VEHICLES]
        asked = file_of(depot(REPORTED), file), "-o", str(file.with_suffix(".html")), "-q"
        report = best_of(1, partial(covey, "report", *asked))
    header = ["fleet", "distributions", "`covey leakage`", "lost mass at most", "best guess right"]
    return (
        markdown(header, depots + rides)
        + f"\n\n`covey report` of the depot of {120 * REPORTED}: **{report:.0f} s**."
    )


def ride(vehicles: int) -> Scenario:
    """So many vehicles on shift, three of five of them sedans, seen an hour later."""
    sedans = vehicles * 3 // 5
    team = {"types.sedan": sedans, "types.van": vehicles - sedans}
    return load(RIDES).with_({**team, "adversary.at": HOUR})


def row(name: str, scenario: Scenario, file: Path) -> list[str]:
    asked = file_of(scenario, file)
    answer = json.loads(covey("leakage", asked, "--json"))
    seconds = best_of(1, partial(covey, "leakage", asked, "--json"))
    return [
        name, answer["method"], f"**{seconds:.1f} s**", f"{answer['lost_mass']:.0e}",
        f"{answer['guess']:.4%}",
    ]  # fmt: skip


def file_of(scenario: Scenario, file: Path) -> str:
    dump(scenario, file)
    return str(file)


def covey(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "covey", *args], capture_output=True, text=True, check=True
    )
    return done.stdout
