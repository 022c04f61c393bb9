"""The largest count that each species can reach from a start.

A reachable state is x = x₀ + Γ v with v ≥ 0 firings and x ≥ 0. The largest x_i under these
conditions alone, a linear program, is never below the largest that is reached; for a team whose
robots are conserved it is what the conservation laws say.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from covey.model.network import Network
from covey.model.species import Species
from covey.model.structure.structure import live_reactions


def largest_counts(network: Network, start: ArrayLike) -> dict[Species, int | None]:
    """For every species a count that it never exceeds; None where nothing bounds it."""
    from scipy.optimize import linprog  # noqa: PLC0415  (takes most of a second)

    x = np.asarray(start, dtype=float)
    counts = dict(zip(network.species, map(int, x), strict=True))
    rows = live_reactions(network, list(counts.values()))
    changes = network.changes[rows].astype(float).T  # (species, live reactions)
    bounds: dict[Species, int | None] = {}
    for i, species in enumerate(network.species):
        if not changes[i].any():
            bounds[species] = counts[species]
            continue
        found = linprog(-changes[i], A_ub=-changes, b_ub=x, bounds=(0, None))
        # Nothing happening is always allowed: without a largest value there is no bound.
        bounds[species] = _above(x[i] - found.fun) if found.status == 0 else None
    return bounds


def _above(value: float) -> int:
    """The whole number at or below a value, or one above it where rounding may have lowered it."""
    return math.floor(value + 1e-6 + 1e-9 * abs(value))
