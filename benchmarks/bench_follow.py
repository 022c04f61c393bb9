"""How long until somebody who follows one robot of the warehouse is sure of its type.

The figures of docs/how-to/follow.md, with enough paths for narrow bounds: these take minutes.
"""

from __future__ import annotations

import math
from pathlib import Path

import covey
from benchmarks.timing import markdown
from covey.privacy.stream.confidence import Bounded

AGAINST = "no other program; what is found, with its bounds"
WAREHOUSE = Path(__file__).parent.parent / "examples" / "warehouse.toml"
SHIFT = 720  # minutes
PATHS = {False: 10_000, True: 1_000}  # of every hypothesis; every change takes longer to weigh


def run() -> str:
    """For both types, by a look a minute and by every change."""
    scenario = covey.load(WAREHOUSE).with_({"adversary.follow": True})
    rows = []
    for continuous, paths in PATHS.items():
        found = covey.certainty(
            scenario, 1, SHIFT, snapshots=[480], paths=paths, continuous=continuous
        )
        how = "every change" if continuous else "a look a minute"
        rows += [
            (one.names[0], how, f"{paths:,}", shown(one.reaches), shown(one.median))
            for one in found.of
        ]
    header = ("followed", "seen", "paths of each type", "right 90% of the time after",
              "90% sure, half of them, after")  # fmt: skip
    return markdown(header, rows)


def shown(time: Bounded) -> str:
    """Minutes, with their bounds."""
    ends = (f"{t:g}" if math.isfinite(t) else "later" for t in (time.lower, time.upper))
    return f"{time.value:g} min ({' to '.join(ends)})"
