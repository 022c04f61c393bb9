"""Thirty robots of each type at unequal rates, every one of the 24.6 million states.

No symmetry folds them, and nothing is left out: 25 minutes, and 11 GiB. `windows` and `steady`
answer the same to all but 1e-9 in a minute.
"""

from __future__ import annotations

from benchmarks.bench_large import table

AGAINST = "no other program; what fits into memory"
JOBS = [(30, "unequal", "τ = 10", ""), (30, "unequal", "steady", "")]


def run() -> str:
    return table(JOBS)
