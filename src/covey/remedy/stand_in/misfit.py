"""What can be learnt of a stand-in where the model's rates are not quite right.

If the real rates are λ_r (1 + η_r), the stand-in does s at the rate μ_s + Σ_r η_r m_rs, and the
reference itself, at those rates, would at μ_s (1 + η_s). The relative entropy of the one path to
the other over a span T is, to second order in η,

    KL = T · E[½ Σ_s (Σ_r η_r m_rs − η_s μ_s)² / μ_s] = ½ T η'A η,

and their total variation is at most √(KL / 2): only what does not go together counts. η'A η is
convex, so that among all |η_r| ≤ η it is largest at a corner. As the remainder of the expansion is
left out, this is an approximation of a bound, and called one.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from covey.numbers import Floats
from covey.remedy.stand_in.pairs import Coupling

WITHIN = (0.01, 0.03, 0.05, 0.1)
_CORNERS = 12  # reactions: of more, all corners are too many, and a sum bounds them


def misfit(coupling: Coupling, chances: Floats, span: float) -> tuple[tuple[float, float], ...]:
    """For rates within 1, 3, 5 and 10 %: how often an observer of a span is right, about at most.

    Args:
        coupling: The coupling.
        chances: The stationary distribution of the pair, (pairs,).
        span: For how long it is watched.
    """
    form = _largest(_quadratic(coupling, chances))
    return tuple(
        (within, (1 + min(1.0, math.sqrt(span * form) * within / 2)) / 2) for within in WITHIN
    )


def _quadratic(coupling: Coupling, chances: Floats) -> Floats:
    """The matrix A = E Σ_s v_s v_s' / μ_s, with v_s = m_·s − μ_s e_s: (reactions, reactions)."""
    reference = coupling.pairs.reference.rates
    m, n = reference.shape
    total = np.zeros((n, n))
    likely = np.flatnonzero(chances > 1e-15 * chances.max())
    for s in range(n):
        speeds = reference[likely % m, s]  # μ_s
        able = speeds > 0
        rows = np.zeros((len(likely), n))
        rows[np.arange(len(likely)), s] = -speeds
        for place in range(coupling.which.shape[1]):
            number = coupling.which[likely, place]
            on = np.flatnonzero((number >= 0) & (number % n == s))
            rows[on, number[on] // n] += coupling.rates[likely[on], place]
        weight = chances[likely][able] / speeds[able]
        total += rows[able].T @ (weight[:, None] * rows[able])
    return total


def _largest(form: Floats) -> float:
    """The largest η'A η over |η_r| ≤ 1, or more."""
    n = len(form)
    if n > _CORNERS:
        return float(np.abs(form).sum())
    corners = np.array(list(product((-1.0, 1.0), repeat=n)))
    return float(np.einsum("cr,rs,cs->c", corners, form, corners).max())
