"""How often the audit of a feed finds that it is another team's: its power, at level 5%.

Feeds of teams some robots away from the reference, a look a minute, begun when they had settled. A
stand-in that hides nothing publishes such a feed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import covey
from benchmarks.timing import markdown
from covey.dynamics.ssa.simulation import trajectories

AGAINST = "no other program; how often an audit finds what it should"
WAREHOUSE = Path(__file__).parent.parent / "examples" / "warehouse.toml"
SETTLED, LOOKS = 100, 480
FEEDS, SAMPLES = 20, 39
TEAMS = ({"carrier": 6, "picker": 4}, {"carrier": 5, "picker": 5}, {"carrier": 4, "picker": 6})


def run() -> str:
    """For one shift and for four, teams none, one and two robots away."""
    reference = covey.load(WAREHOUSE)
    rows = []
    for shifts in (1, 4):
        for away, team in enumerate(TEAMS):
            other = reference.with_({f"types.{name}": n for name, n in team.items()}, warn=False)
            found = [
                covey.audit_feed(
                    reference, feed(other, shifts, seed), samples=SAMPLES, seed=seed
                ).p_value
                for seed in range(FEEDS)
            ]
            share = np.mean(np.array(found) <= 0.05)
            rows.append((f"{shifts} × {LOOKS} looks", away, f"{share:.0%} of {FEEDS} feeds"))
    return markdown(("feed", "robots of another type", "rejected at 5%"), rows)


def feed(scenario: covey.Scenario, shifts: int, seed: int) -> covey.CountLog:
    """Shifts of a team that has settled."""
    times = np.arange(LOOKS, dtype=np.float64)
    states = trajectories(
        scenario.network, scenario.start, times=SETTLED + times, samples=shifts, seed=seed
    )
    index = scenario.network.index
    names = tuple(scenario.query.groups(scenario.network))
    shown = [scenario.query.shown(one, index) for one in states]
    runs = tuple(covey.CountRun("run", times, one.astype(float)) for one in shown)
    return covey.CountLog("feed", names, runs)
