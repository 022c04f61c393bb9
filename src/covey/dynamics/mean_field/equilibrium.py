"""The mean-field equilibrium of a complex-balanced network, by a convex problem.

If c > 0 balances every complex, the equilibria of the mean field ẋ = M A ψ(x) are the points
x̄_i = c_i exp((Wᵀλ)_i), W being the conservation laws, one λ for each. Exactly one of them is in
the compatibility class of a start: W x̄ = b = W x(0). That λ minimises the strictly convex

    F(λ) = Σ_i c_i exp((Wᵀλ)_i) − λ·b,      ∇F = W x̄ − b,   ∇²F = W diag(x̄) Wᵀ,

whose level sets are bounded as soon as the class has a positive point, so that Newton's method
with a line search converges from any λ [1, 2]. Species that no reaction can bring about stay 0,
and those that take part in nothing that can happen stay as they are: the class of the rest has a
positive point.

[1] F. Horn, R. Jackson, General mass action kinetics, Arch. Rational Mech. Anal. 47, 1972.
[2] S. Boyd, L. Vandenberghe, Convex Optimization, Cambridge 2004, §9.5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from covey.dynamics.validation import check_start
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.structure.structure import Structure
from covey.numbers import Floats

_MOST_STEPS = 2_000
_MOST_HALVINGS = 80
_RIDGE = 1e-14
_LARGEST = 700.0  # exponents above it overflow


def equilibrium_point(network: Network | Structure, start: ArrayLike) -> Floats:
    """The equilibrium in the compatibility class of a start: (species,).

    Raises `UnsupportedError` where the network is not complex-balanced.
    """
    structure = network if isinstance(network, Structure) else Structure(network)
    network = structure.network
    state = check_start(network, start)
    log_c = structure.balanced_point.log_c
    live = structure.live(state.tolist())
    point = state.astype(float)
    if live is None:
        return point
    place = np.array([network.index[species] for species in live.network.species])
    matrix = live.conservation_matrix.astype(float)  # (laws, live species)
    multipliers = conservation_multipliers(log_c[place], matrix, matrix @ point[place])
    point[place] = np.exp(log_c[place] + multipliers @ matrix)
    return point


def conservation_multipliers(log_c: Floats, conserved: Floats, totals: Floats) -> Floats:
    """The λ of the module's head for W = `conserved` and b = `totals`: (laws,)."""
    if not len(conserved):
        return np.zeros(0)
    multipliers = _first_guess(log_c, conserved, totals)
    value = _objective(multipliers, log_c, conserved, totals)
    for _ in range(_MOST_STEPS):
        point = np.exp(log_c + multipliers @ conserved)
        gradient = conserved @ point - totals
        step = _newton_step(conserved, point, gradient)
        change = float(np.abs(step @ conserved).max())
        balanced = (np.abs(gradient) <= 1e-4 * (np.abs(conserved) @ point)).all()
        if change < 1e-5 and balanced:  # quadratic from here: F itself no longer tells
            multipliers = multipliers + step
            if change < 1e-13:
                return multipliers
            continue
        slope = float(gradient @ step)
        length = 1.0
        for _ in range(_MOST_HALVINGS):
            trial = multipliers + length * step
            found = _objective(trial, log_c, conserved, totals)
            if found <= value + 1e-4 * length * slope:
                break
            length /= 2
        else:
            break
        multipliers, value = trial, found
    point = np.exp(log_c + multipliers @ conserved)
    if (np.abs(conserved @ point - totals) <= 1e-9 * (np.abs(conserved) @ point)).all():
        return multipliers
    raise UnsupportedError(
        "the mean-field equilibrium was not found: the amounts at equilibrium range over "
        f"{np.ptp(log_c) / np.log(10):.0f} orders of magnitude. Use rates nearer to each other"
    )


def _first_guess(log_c: Floats, conserved: Floats, totals: Floats) -> Floats:
    """The λ that brings every amount nearest to the mean total, in logarithms; never too large."""
    usual = np.log(max(float(np.abs(totals).mean()), 1e-3))
    guess = np.linalg.lstsq(conserved.T, usual - log_c, rcond=None)[0]
    exponents = log_c + guess @ conserved
    if exponents.max() > _LARGEST:
        # A conservation law that bounds every species lowers all exponents at once, if there is
        # one.
        down = np.linalg.lstsq(conserved.T, -np.ones(len(log_c)), rcond=None)[0]
        slope = down @ conserved
        if (slope < 0).all():
            guess = guess + down * float((exponents / -slope).max())
    return np.asarray(guess, dtype=np.float64)


def _objective(multipliers: Floats, log_c: Floats, conserved: Floats, totals: Floats) -> float:
    exponents = log_c + multipliers @ conserved
    if exponents.max() > _LARGEST:
        return float("inf")
    return float(np.exp(exponents).sum() - multipliers @ totals)


def _newton_step(conserved: Floats, point: Floats, gradient: Floats) -> Floats:
    """−(W diag(x̄) Wᵀ)⁻¹ ∇F, scaled to a unit diagonal: amounts may differ by many orders.

    A ridge far below rounding's own reach keeps it a descent where the matrix is singular to all
    digits; near the solution it is not felt.
    """
    hessian = (conserved * point) @ conserved.T
    scale = 1 / np.sqrt(np.maximum(np.diag(hessian), 1e-300))
    scaled = hessian * scale[:, None] * scale + _RIDGE * np.eye(len(conserved))
    return np.asarray(-scale * np.linalg.solve(scaled, scale * gradient), dtype=np.float64)
