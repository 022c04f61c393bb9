"""The linear program of a table as blocks: its constraints, and their normal equations.

Every published outcome z has its own variables, and its own limits:

    x(z, y)   the entries of the channel that are looked at: some outcomes y for each z
    b(z)      z published blindly, for whatever is there: M(z|y) = x(z, y) + b(z)
    r, s      what the limits leave, and what δ allows:   Σ_y M(z|y) e(y) + r − s = 0

Rows that join them are few: Σ_z M(z|y) = 1 for every y, one row for each of several losses
(with the largest, t, and what each is below it), and Σ_z s = δ − h for every pair. Blind entries
keep the limits with room to spare, so that all columns have an interior, whatever entries they
have.

For positive weights d the matrix A diag(d) Aᵀ then is block diagonal in the limits of the columns,
a small matrix for each. They are eliminated, which leaves one dense matrix over the rows that join,
and is solved by Cholesky.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, lapack

from covey.numbers import Floats, Ints
from covey.remedy.mechanism.program.linear_program import NotSolvedError

_RIDGES = (1e-14, 1e-12, 1e-10, 1e-8)  # added to a diagonal, relatively, until it is positive


class Variables(NamedTuple):
    """Views of a vector of all variables."""

    entries: Floats  # x, (columns, entries)
    blind: Floats  # b, (columns,)
    left: Floats  # r, (columns, pairs)
    allowed: Floats  # s, (columns, pairs), or none
    kept: Floats  # h, (pairs,), or none
    below: Floats  # (losses,), or none
    largest: Floats  # t, (1,), or none


class Rows(NamedTuple):
    """Values at all constraints."""

    joint: Floats  # of y, of losses, of pairs: (joint,)
    limits: Floats  # (columns, pairs)


class Eliminated(NamedTuple):
    """A factor of the normal equations, the limits of columns eliminated."""

    inverse: Floats  # of the Cholesky factor of each column's block, (columns, pairs, pairs)
    entries: Floats  # that times E diag(d), (columns, pairs, entries)
    shared: Floats  # and times what columns have in the rows of all: (columns, pairs, shared)
    cholesky: Floats  # of what is left, (joint, joint)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The numbers of a program with some entries for each column.

    Attributes:
        place: Which y an entry is of, (columns, entries), each once in a column.
        used: Whether there is such an entry: forbidden ones are only kept for their place.
        excess: p_i(y) − e^ε p_j(y) over the column's scale, 0 where not used,
            (columns, pairs, entries).
        total: The same of all y together, (columns, pairs); 0 where a column is never blind.
        costs: Of an entry under every loss, (losses, columns, entries).
        blind_costs: Of a blind entry, (losses, columns).
        hub: Whether a column may be published blindly, (columns,).
        scale: Of every column, (columns,).
        deltas: δ of the pairs; none where all are 0.
        tie: How much of the mean loss is added to the worst.
        size: How many y there are.
    """

    place: Ints
    used: NDArray[np.bool_]
    excess: Floats
    total: Floats
    costs: Floats
    blind_costs: Floats
    hub: NDArray[np.bool_]
    scale: Floats
    deltas: Floats
    tie: float
    size: int

    @property
    def several(self) -> bool:
        """Whether the largest of several losses counts."""
        return len(self.costs) > 1

    @cached_property
    def _cuts(self) -> list[int]:
        columns, pairs = self.total.shape
        losses = len(self.costs) if self.several else 0
        sizes = (
            self.place.size, columns, columns * pairs, columns * len(self.deltas),
            len(self.deltas), losses, int(self.several),
        )  # fmt: skip
        return np.cumsum(sizes).tolist()  # type: ignore[no-any-return]

    def parts(self, vector: Floats) -> Variables:
        """A vector of all variables by what they are."""
        x, b, r, s, h, g, t, _ = np.split(vector, self._cuts)
        columns, pairs = self.total.shape
        x, r, s = x.reshape(self.place.shape), r.reshape(columns, pairs), s.reshape(columns, -1)
        return Variables(x, b, r, s, h, g, t)

    @cached_property
    def price(self) -> Floats:
        """What a unit of every variable costs: (variables,)."""
        each = self.costs.mean(axis=0) * self.tie if self.several else self.costs[0]
        blind = self.blind_costs.mean(axis=0) * self.tie if self.several else self.blind_costs[0]
        found = np.zeros(self._cuts[-1])
        here = self.parts(found)
        here.entries[:] = np.where(self.used, each, 1.0)  # what is not used goes to 0
        here.blind[:] = np.where(self.hub, blind, 1.0)
        here.largest[:] = 1.0
        return found

    @cached_property
    def right(self) -> Rows:
        """The right-hand sides."""
        losses = np.zeros(len(self.costs) if self.several else 0)
        joint = np.concatenate([np.ones(self.size), losses, self.deltas])
        return Rows(joint, np.zeros(self.total.shape))

    def times(self, vector: Floats) -> Rows:
        """A v."""
        v = self.parts(vector)
        sums = self._by_y(v.entries * self.used) + float(v.blind @ self.hub)
        losses = np.zeros(0)
        if self.several:
            losses = np.tensordot(self.costs, v.entries, 2) + self.blind_costs @ v.blind
            losses += v.below - v.largest
        limits = np.matmul(self.excess, v.entries[:, :, None])[:, :, 0]
        limits += self.total * v.blind[:, None] + v.left
        if len(self.deltas):
            limits -= v.allowed
        return Rows(np.concatenate([sums, losses, self.scale @ v.allowed + v.kept]), limits)

    def transposed(self, rows: Rows) -> Floats:
        """Aᵀ y."""
        u, losses, deltas = np.split(rows.joint, [self.size, len(rows.joint) - len(self.deltas)])
        found = np.zeros(self._cuts[-1])
        here = self.parts(found)
        here.entries[:] = np.where(self.used, u[self.place], 0.0)
        here.entries[:] += np.matmul(rows.limits[:, None, :], self.excess)[:, 0, :]
        here.blind[:] = u.sum() * self.hub + (self.total * rows.limits).sum(axis=1)
        here.left[:] = rows.limits
        if len(self.deltas):
            here.allowed[:] = self.scale[:, None] * deltas - rows.limits
            here.kept[:] = deltas
        if self.several:
            here.entries[:] += np.tensordot(losses, self.costs, 1)
            here.blind[:] += losses @ self.blind_costs
            here.below[:] = losses
            here.largest[:] = -losses.sum()
        return found

    def _by_y(self, entries: Floats) -> Floats:
        found = np.bincount(self.place.ravel(), entries.ravel(), self.size)
        return np.asarray(found, dtype=np.float64)

    def eliminated(self, weights: Floats) -> Eliminated:
        """The normal equations A diag(weights) Aᵀ, factored."""
        d = self.parts(weights)
        pairs = self.total.shape[1]
        heavy, blind = self.excess * d.entries[:, None, :], self.total * d.blind[:, None]
        block = heavy @ self.excess.transpose(0, 2, 1) + blind[:, :, None] * self.total[:, None, :]
        every = np.arange(pairs)
        block[:, every, every] += d.left + (d.allowed if len(self.deltas) else 0.0)
        try:
            inverse = np.linalg.inv(np.linalg.cholesky(block))
        except np.linalg.LinAlgError:
            raise NotSolvedError("the limits of a column are too far apart in size") from None
        entries = inverse @ heavy
        shared = [np.matmul(inverse, blind[:, :, None])]
        if self.several:
            shared.append(entries @ self.costs.transpose(1, 2, 0))
            shared[-1] += shared[0] * self.blind_costs.T[:, None, :]
        if len(self.deltas):
            shared.append(-inverse * (d.allowed * self.scale[:, None])[:, None, :])
        together = np.concatenate(shared, axis=2)
        return Eliminated(inverse, entries, together, self._left(d, entries, together))

    def _left(self, d: Variables, entries: Floats, shared: Floats) -> Floats:
        """The Cholesky factor of what is left for the rows that join.

        Blind entries stand in all rows of y alike: they are kept as one row until the end.
        """
        n = self.size
        size = n + shared.shape[2] - 1
        matrix = np.zeros((size, size))
        own = matrix[:n, :n]
        for place, part in zip(self.place, entries, strict=True):
            own[place[:, None], place] -= part.T @ part
        across = -np.matmul(entries.transpose(0, 2, 1), shared)  # (columns, entries, shared)
        wide = np.stack([self._by_y(part) for part in np.moveaxis(across, 2, 0)], axis=1)
        corner = -np.tensordot(shared, shared, ((0, 1), (0, 1)))
        corner[0, 0] += float(d.blind @ self.hub)
        if self.several:
            losses = slice(1, 1 + len(self.costs))
            weighed = self.costs * d.entries
            wide[:, losses] += np.stack([self._by_y(part) for part in weighed], axis=1)
            corner[0, losses] += self.blind_costs @ d.blind
            corner[losses, 0] += self.blind_costs @ d.blind
            corner[losses, losses] += np.tensordot(weighed, self.costs, ((1, 2), (1, 2)))
            corner[losses, losses] += (self.blind_costs * d.blind) @ self.blind_costs.T
            corner[losses, losses] += np.diag(d.below) + d.largest
        if len(self.deltas):
            last = np.arange(shared.shape[2] - len(self.deltas), shared.shape[2])
            corner[last, last] += self.scale**2 @ d.allowed + d.kept
        own += corner[0, 0] + wide[:, :1] + wide[:, 0]
        matrix[:n, n:] = wide[:, 1:] + corner[:1, 1:]
        matrix[n:, :n] = matrix[:n, n:].T
        matrix[n:, n:] = corner[1:, 1:]
        diagonal = np.einsum("ii->i", matrix)
        diagonal[:n] += self._by_y(d.entries * self.used)
        return _cholesky(matrix)

    def solved(self, factor: Eliminated, right: Rows) -> Rows:
        """The y for which A diag(weights) Aᵀ y is that."""
        n = self.size
        own = np.matmul(factor.inverse, right.limits[:, :, None])[:, :, 0]
        shared = np.tensordot(own, factor.shared, ((0, 1), (0, 1)))
        rest = right.joint.copy()
        rest[:n] -= self._by_y(np.matmul(own[:, None, :], factor.entries)[:, 0, :]) + shared[0]
        rest[n:] -= shared[1:]
        joint = cho_solve((factor.cholesky, True), rest, check_finite=False)
        own -= np.matmul(factor.entries, joint[self.place][:, :, None])[:, :, 0]
        own -= factor.shared @ np.concatenate([[joint[:n].sum()], joint[n:]])
        return Rows(joint, np.matmul(own[:, None, :], factor.inverse)[:, 0, :])


def _cholesky(matrix: Floats) -> Floats:
    """The lower factor; a little is added to the diagonal where rounding left it negative."""
    diagonal = np.einsum("ii->i", matrix).copy()
    for ridge in _RIDGES:
        np.einsum("ii->i", matrix)[:] = diagonal * (1 + ridge)
        factor, failed = lapack.dpotrf(matrix, lower=1)
        if not failed and np.isfinite(factor).all():
            return np.asarray(factor)
    raise NotSolvedError("rounding leaves nothing of the normal equations")
