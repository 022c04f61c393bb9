"""Which settings give the paper's correlations? Those that it does not say, searched.

The paper prints two correlations of leakage, 0.74 with the depth of a tree and 0.97 with the size
of groups, and says neither ν nor the robots of each type. Here both are varied, and for groups also
what "size" means. This is post hoc: where many settings are tried, some come near a number that is
known before, so that a match says which settings the authors may have had, and confirms nothing.

Small ν drop out. Exact leakage is infinite for every tree: the worst outcome y* is one that a
neighbour cannot show, and where p(y*) is far above ν the smoothed leakage is

    ln (p(y*) + ν) − ln ν  =  ln p(y*) − ln ν + O(ν),

so that a smaller ν adds the same to all cases, which moves no correlation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from covey.paper.readings import interval, pearson, smoothed_by
from covey.paper.workspace import Array, Table

SEARCHED = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)
LEAKAGES = tuple(map(smoothed_by, SEARCHED))
_DIGITS = 0.005  # what the paper's two digits leave open


def searched(
    by_robots: Mapping[int, Table], measures: Sequence[str]
) -> Mapping[str, Sequence[Any] | Array]:
    """The correlation of each measure with the leakage, over robots of each type and ν."""
    rows = [
        (measure, robots, nu, len(table), pearson(table[measure], table[column]),
         *interval(table[measure], table[column]))
        for measure in measures
        for robots, table in by_robots.items()
        for nu, column in zip(SEARCHED, LEAKAGES, strict=True)
    ]  # fmt: skip
    names = ("measure", "robots", "nu", "cases", "pearson", "low", "high")
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def matches(search: Table, said: float) -> Array:
    """Which rows have the paper's correlation, to its two digits."""
    return abs(search["pearson"] - said) <= _DIGITS


def told(search: Table, said: float) -> str:
    """What a search found, in a sentence; every row is in its table and figure."""
    hits = matches(search, said)
    found = (
        f"{len(search)} settings were searched, after the paper's number was known: Pearson is "
        f"{search['pearson'].min():.2f} to {search['pearson'].max():.2f}"
    )
    if not hits.any():
        return f"{found}; {said} at none of them"
    robots = ", ".join(f"{n:.0f}" for n in np.unique(search["robots"][hits]))
    measures = " and ".join(dict.fromkeys(search["measure"][hits].tolist()))
    return f"{found}; {said} to two digits at {int(hits.sum())}: by {measures}, {robots} a type"
