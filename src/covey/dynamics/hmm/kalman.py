"""Snapshots of a large team, taken to be normal: the Kalman filter on the linear noise model.

Between two snapshots the counts x move around the mean field μ by a linear equation with normal
noise, and what is seen is y = H x: whole numbers, taken for reals with the variance 1/12 of what
rounding leaves out,

    x' − μ' = A (x − μ) + noise(Q),      y = H x + noise(1/12),

with A and Q from `linear_noise` half way between the means. The filter's gains depend on no
observation, so that many paths are followed as one block. What a snapshot leaves of the covariance
P is computed as (1 − KH) P (1 − KH)ᵀ + K Kᵀ/12, with K the gain (Joseph's form): P − KHP is the
same on paper, but rounding makes it asymmetric, and where all robots are counted that grows from
snapshot to snapshot until it is all there is.

This is an approximation. It says nothing certain of any probability; but the odds that it gives
are a test like any other, whose rate of success can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.mean_field.rate_equations import equilibrium, mean_field
from covey.dynamics.projection.linear_noise import linear_noise, transition
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.numbers import Floats, Ints

_ROUNDING = 1 / 12  # the variance of a uniform number between −1/2 and 1/2
_FIRST_STEPS = 200  # on the way to the first snapshot
_DOUBLINGS = 60


@dataclass(frozen=True)
class NormalSnapshots:
    """The linear noise model of one team, at every snapshot.

    Attributes:
        seen: H: (sums, species).
        means: (snapshots, species).
        covariance: Of the counts at the first snapshot: (species, species).
        moves: A, from each snapshot to the next: (snapshots − 1, species, species).
        noises: Q, the same.
    """

    seen: Floats
    means: Floats
    covariance: Floats
    moves: Floats
    noises: Floats

    def log_density(self, observed: Floats, marks: Ints) -> Floats:
        """`ln p` of what was seen, (paths, snapshots, sums), after each of `marks` snapshots.

        (paths, marks)
        """
        paths, snapshots, sums = observed.shape
        ahead = np.tile(self.means[0], (paths, 1))  # the mean, given what was seen before
        spread = self.covariance
        total, out = np.zeros(paths), np.empty((paths, len(marks)))
        for snapshot in range(snapshots):
            cross = spread @ self.seen.T
            scatter = self.seen @ cross + _ROUNDING * np.eye(sums)
            off = observed[:, snapshot] - ahead @ self.seen.T  # (paths, sums)
            gain = np.linalg.solve(scatter, cross.T).T  # (species, sums)
            solved = np.linalg.solve(scatter, off.T).T
            _, log_det = np.linalg.slogdet(2 * np.pi * scatter)
            total = total - 0.5 * ((off * solved).sum(axis=1) + log_det)
            out[:, marks == snapshot + 1] = total[:, None]
            if snapshot + 1 < snapshots:
                known = ahead + solved @ cross.T
                kept = np.eye(len(spread)) - gain @ self.seen
                left = kept @ spread @ kept.T + _ROUNDING * gain @ gain.T
                move = self.moves[snapshot]
                ahead = self.means[snapshot + 1] + (known - self.means[snapshot]) @ move.T
                spread = move @ left @ move.T + self.noises[snapshot]
                spread = (spread + spread.T) / 2
        return out

    def draw(self, paths: int, random: np.random.Generator) -> Floats:
        """What paths of the model show: (paths, snapshots, sums)."""
        snapshots, species = self.means.shape
        out = np.empty((paths, snapshots, len(self.seen)))
        off = random.standard_normal((paths, species)) @ _root(self.covariance)
        for snapshot in range(snapshots):
            out[:, snapshot] = (self.means[snapshot] + off) @ self.seen.T
            if snapshot + 1 < snapshots:
                noise = random.standard_normal((paths, species)) @ _root(self.noises[snapshot])
                off = off @ self.moves[snapshot].T + noise
        out += random.standard_normal(out.shape) * _ROUNDING**0.5
        return out


def normal_snapshots(
    network: Network, start: Ints, query: Query, snapshots: Schedule
) -> NormalSnapshots:
    """The linear noise model of a start, as snapshots see it.

    Args:
        network: The reactions, and how fast they are.
        start: How many of each species there are at time 0.
        query: What is seen.
        snapshots: When it is looked at.
    """
    query.check_linear("a stream of a fleet this large")
    count, step = snapshots.count, snapshots.every
    if snapshots.at == "steady":
        rest = equilibrium(network, start)
        ((move, noise),) = _steps(network, [rest], step)
        means = np.tile(rest, (count, 1))
        moves, noises = (np.broadcast_to(each, (count - 1, *each.shape)) for each in (move, noise))
        covariance = _stationary(move, noise)
    else:
        way = np.linspace(0.0, snapshots.at, _FIRST_STEPS) if snapshots.at > 0 else np.zeros(1)
        covariance = linear_noise(network, start, way).covariances[-1]
        times = np.concatenate([[0.0], snapshots.at + step * np.arange(count)])
        means = mean_field(network, start, times)[1:]
        halfway = (means[1:] + means[:-1]) / 2
        pairs = _steps(network, halfway, step)
        shape = (count - 1, means.shape[1], means.shape[1])
        moves = np.array([move for move, _ in pairs]).reshape(shape)
        noises = np.array([noise for _, noise in pairs]).reshape(shape)
    return NormalSnapshots(query.matrix(network).astype(float), means, covariance, moves, noises)


def _steps(network: Network, means: Iterable[Floats], step: float) -> list[tuple[Floats, Floats]]:
    """The moves near each mean, and their noise, among states that the conservation laws allow.

    Across them nothing moves, on paper; but rounding does, and what is neither fed nor forgotten
    there grows with every doubling.
    """
    changes = network.changes.astype(float)
    onto = np.linalg.pinv(changes) @ changes
    both = (transition(network, mean, step) for mean in means)
    return [(onto @ move @ onto, onto @ noise @ onto) for move, noise in both]


def _stationary(move: Floats, noise: Floats) -> Floats:
    """The covariance that the step keeps: Σ A^k Q (A^k)ᵀ, by doubling."""
    total, power = noise, move
    for _ in range(_DOUBLINGS):
        more = power @ total @ power.T
        total = total + more
        power = power @ power
        if np.abs(more).max() <= 1e-12 * np.abs(total).max():
            break
    return total


def _root(covariance: Floats) -> Floats:
    """A square root R with RᵀR the covariance, which may be singular."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))).T, dtype=float)
