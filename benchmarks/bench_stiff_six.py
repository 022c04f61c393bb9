"""The MAPK cascade with six kinases of each stage: 1.37 million states, by covey alone.

Twelve minutes of CPU and 1 GiB, so that it is run only by name. Storm published
6,260 s for it, on a machine of 2018.
"""

from __future__ import annotations

from benchmarks.bench_stiff import table


def run() -> str:
    return table((6,), storm=False)
