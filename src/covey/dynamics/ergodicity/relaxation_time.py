"""How long a team takes to settle: the slowest mode of its mean field at rest.

Near its rest x̄ the mean field is linear, d(x − x̄)/dt = J (x − x̄), and what is left of any start
dies out as e^(t Re λ) over the eigenvalues λ ≠ 0 of J. The slowest of them says how long that
takes, 1 / min |Re λ|; those that are zero but for rounding belong to conservation laws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from covey.dynamics.mean_field.rate_equations import jacobian
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.numbers import Floats

_STILL = 1e-9  # of the fastest mode: slower ones do not move


def relaxation_time(network: Network, start: ArrayLike, rest: Floats) -> float:
    """In which time what is left of the start falls to 1/e, near the rest it leads to."""
    first, last = (
        np.abs(np.linalg.eigvals(jacobian(network, x)).real)
        for x in (np.asarray(start, dtype=float), rest)
    )
    fastest = float(max(first.max(), last.max()))
    moving = last[last > _STILL * fastest]
    if not moving.size:  # it creeps to its rest, or nothing moves
        raise UnsupportedError("how long the team takes to settle is not known: give a time")
    return 1 / float(moving.min())


def settling_time(network: Network, start: ArrayLike, rest: Floats, folds: float) -> float:
    """A time after which e^-folds of the start is left, says the mean field; two digits."""
    return float(f"{folds * relaxation_time(network, start, rest):.1e}")
