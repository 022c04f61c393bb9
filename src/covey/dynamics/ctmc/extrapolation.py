"""Extrapolation of a power sequence: all later vectors v_{k+j} = P^j v_k from a few earlier ones.

Let the columns of Q span some vectors near v = v_k, scaled so that Q = diag(v) U with U
orthonormal, and let H = U'(diag(v)^-1 P Q), R = diag(v)^-1 P Q - U H. With y_0 = U'1 and
y_j = H^j y_0 the curve u_j = U y_j (relative to v) obeys

    diag(v) u_{j+1} = P diag(v) u_j - diag(v) R y_j.

If |R y_j| <= eta_j u_{j+1} for every state, then (1 - eta_j) diag(v) u_{j+1} <= P diag(v) u_j
<= (1 + eta_j) diag(v) u_{j+1}, and as P >= 0 keeps inequalities, by induction

    |ln v_{k+j} - ln (v u_j)| <= -sum_{i<j} ln(1 - eta_i)         for every state.

eta is bounded for a whole block of steps at once from the largest |y_j| and the spread of y_j
in the block, so the bound holds for every step and not only for sampled ones.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_BLOCKS = 16  # of steps, within which y_j is known up to a spread
_SAMPLE = 1_000  # states that the fit looks at
_LONGEST = 60_000  # steps followed one by one; the sequence is at rest or hopeless after that


@dataclass(frozen=True)
class Extrapolation:
    """v_{k+j} = v_k * (path[j] @ basis); constant from the end of `path` on."""

    basis: Floats  # (m, states): U transposed
    path: Floats  # (steps, m): y_j
    errors: Floats  # (steps,): bound on the relative error of step j -> j + 1
    resting: float  # the same for each step after the path's end
    noise: float  # relative rounding error of one step

    def error(self, steps: float) -> float:
        """Bound on |ln v_{k+j} - ln fitted| for all j <= steps."""
        followed = int(min(steps, len(self.errors)))
        return float(self.errors[:followed].sum()) + self.resting * (steps - followed)

    @property
    def at_rest(self) -> bool:
        """Whether the sequence ends still but for rounding, so that no better bound can come."""
        return self.resting <= 10 * self.noise

    def combine(self, first: int, weights: Floats) -> Floats:
        """sum_j weights[j] v_{k+first+j}, relative to v_k."""
        rest = len(self.path) - 1
        ahead = np.minimum(min(first, rest) + np.arange(len(weights)), rest)
        combined: Floats = (weights @ self.path[ahead]) @ self.basis
        return combined


def extrapolate(
    recent: list[Floats],
    step: Callable[[Floats], Floats],
    steps: float,
    roundings: int,
) -> Extrapolation | None:
    """Fit the sequence on `recent` (the current vector last) for `steps` steps ahead.

    `step` applies P, with at most `roundings` relative roundings in each entry.
    None where the fit does not stay positive, so that nothing can be said.
    """
    vector = recent[-1]
    n, every = len(vector), max(1, len(vector) // _SAMPLE)
    fitted, triangle = _leading(_differences(recent, slice(None, None, every)).T)
    m, inverse = len(triangle), np.linalg.inv(triangle)
    basis, moved = np.empty((m, n)), np.empty((m, n))
    for rows in row_chunks(n):
        basis[:, rows] = inverse.T @ _differences(recent, rows)[:m]
    for j in range(m):
        np.divide(step(basis[j] * vector), vector, out=moved[j])
    matrix = fitted.T @ moved[:, ::every].T  # H
    path = _follow(matrix, np.eye(m)[0] * triangle[0, 0], steps)
    if path is None:
        return None
    noise = (roundings + 3 * m) * UNIT
    errors, resting = _bound(basis, moved, path, matrix, noise)
    errors[:1] += np.abs(basis[0] * path[0, 0] - 1).max()  # v_k itself is met only to rounding
    if not np.isfinite(errors).all():
        return None
    return Extrapolation(basis, path, errors, resting, noise)


def row_chunks(n: int) -> Iterator[slice]:
    """Rows by the thousand: they stay in cache, and BLAS starts no threads for such products."""
    return (slice(begin, min(begin + 1024, n)) for begin in range(0, n, 1024))


def _differences(recent: list[Floats], rows: slice) -> Floats:
    """The newest vector, then differences back in time, relative to the newest: (m, rows).

    A basis of what is moving, not of near-equal vectors.
    """
    relative = np.stack([s[rows] for s in reversed(recent)]) / recent[-1][rows]
    relative[1:] -= relative[:-1].copy()
    return relative


def _leading(columns: Floats) -> tuple[Floats, Floats]:
    """QR of the leading columns, up to the first that rounding blurs."""
    fitted, triangle = np.linalg.qr(columns)
    length = np.linalg.norm(columns, axis=0)[: len(triangle)]
    blurred = np.flatnonzero(np.abs(np.diagonal(triangle)) <= 1e-11 * length)
    kept = int(blurred[0]) if len(blurred) else len(length)
    return fitted[:, :kept], triangle[:kept, :kept]


def _follow(matrix: Floats, start: Floats, steps: float) -> Floats | None:
    """y_0, y_1, ... until `steps` are done or nothing moves any more, by doubling."""
    path, power = start[None], matrix  # (followed, m), matrix ^ followed
    while len(path) <= min(steps, _LONGEST):
        path = np.concatenate([path, path @ power.T])
        power = power @ power
        if not np.abs(path[-1]).max() <= 1e3 * np.abs(start).max():
            return None
        if np.abs(path[-1] - path[-2]).max() <= 1e-17 * np.abs(path[-1]).max():
            break
    return path[: int(min(steps, _LONGEST)) + 2]


def _bound(
    basis: Floats, moved: Floats, path: Floats, matrix: Floats, noise: float
) -> tuple[Floats, float]:
    """Per-step relative errors, block by block, and the one of resting at the end."""
    edges = np.unique(np.geomspace(1, len(path), _BLOCKS).astype(int)) - 1
    pieces = [path[a : b + 1] for a, b in itertools.pairwise(edges)] + [path[-1:]]
    middle = np.array([(p.max(axis=0) + p.min(axis=0)) / 2 for p in pieces])
    spread = np.array([(p.max(axis=0) - p.min(axis=0)) / 2 for p in pieces])
    # How far the listed path is from obeying y_{j+1} = H y_j; the last piece stays where it is.
    defects = [np.abs(p[1:] - p[:-1] @ matrix.T).max(axis=0) for p in pieces[:-1]]
    defects.append(np.abs(matrix @ path[-1] - path[-1]))
    slack = np.array(defects) + noise * (np.abs(middle) + spread)
    eta = np.zeros(len(pieces))
    for rows in row_chunks(basis.shape[1]):
        part = basis[:, rows]
        residual = moved[:, rows] - matrix.T @ part  # R
        size = np.abs(part)
        floor = middle @ part - spread @ size  # (blocks, rows): U y_j is at least this
        if floor.min() <= 0:
            return np.array([np.inf]), np.inf
        wrong = np.abs(middle @ residual) + spread @ np.abs(residual) + slack @ size
        eta = np.maximum(eta, (wrong / floor).max(axis=1))
    if not eta.max() < 0.5:
        return np.array([np.inf]), np.inf
    logs = -np.log1p(-eta)
    return np.repeat(logs[:-1], [len(p) - 1 for p in pieces[:-1]]), float(logs[-1])
