"""Where the mass is: the states that are not too improbable, judged by mean and covariance.

A count with mean m and variance v that changes by single events deviates by d at a cost of about

    v h(d/v)  upwards,      max(v h(|d|/v), m²/max(v, m) · h(−|d|/m))  downwards,

with h(u) = (1 + u) ln(1 + u) − u: Bennett's bound [1], which is d²/2v near the mean and Poisson's
tail far from it, and Poisson's lower tail where that is thinner. Seen as normal deviations z, with
z²/2 the cost and the sign of d, several counts are taken to be correlated as linear noise has them,

    cost(x) = zᵀ R⁻¹ z / 2,

R the correlations of as many species as determine a state (the rarest that do). Along a segment of
time the cost is the least of those at points of the course that lie close together. States up to a
level of the cost are listed from those that are known, reaction by reaction.

1. G. Bennett, Probability inequalities for the sum of independent random variables,
   J. Am. Stat. Assoc. 57 (1962).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.projection.linear_noise import Course
from covey.dynamics.state_space.enumeration import Frontier
from covey.dynamics.state_space.state_index import independent_species, random_weights
from covey.model.network import Network
from covey.numbers import Floats, Ints

_APART = 2.0  # standard deviations, and counts, between neighbouring points of a course
_MOST_POINTS = 20_000
_ALIKE = 0.5  # standard deviations between points of which the wider one serves for both
_SURE = 1e-4  # correlations are taken to be at least so uncertain
_RAREST = 1e-30  # the smallest variance that is told from nothing
_CHUNK = 1 << 15

Point = tuple[Floats, Floats, Floats]  # mean, variance, precision


@dataclass(frozen=True)
class Shape:
    """Points of a course, by the species that determine a state."""

    species: NDArray[np.intp]  # (free,)
    times: Floats  # (points,)
    means: Floats  # (points, free)
    variances: Floats  # (points, free)
    precisions: Floats  # (points, free, free): R⁻¹

    @classmethod
    def of(cls, course: Course, changes: Ints) -> Shape:
        """The shape of a course, with points between where the mean moves far."""
        rarest = np.argsort(course.means.max(axis=0), kind="stable").tolist()
        free = np.array(independent_species(changes, rarest), dtype=np.intp)
        means = course.means[:, free]
        covariances = course.covariances[:, free][:, :, free]
        spread = np.sqrt(np.maximum(np.diagonal(covariances, axis1=1, axis2=2), 0.0))
        way = np.abs(np.diff(means, axis=0)) / (_APART * (spread[1:] + 1))  # (times - 1, free)
        parts = np.maximum(np.ceil(way.max(axis=1, initial=0.0)), 1.0)  # (times - 1,)
        if parts.sum() > _MOST_POINTS:
            parts = np.maximum(parts * (_MOST_POINTS / parts.sum()), 1.0)
        place = np.concatenate([np.arange(int(p)) / int(p) + i for i, p in enumerate(parts)])
        place = np.append(place, len(means) - 1.0)
        before = np.minimum(place.astype(np.intp), len(means) - 2)
        share = place - before

        def between(values: Floats) -> Floats:
            weight = share.reshape(-1, *[1] * (values.ndim - 1))
            return np.asarray((1 - weight) * values[before] + weight * values[before + 1])

        spreads = between(covariances)
        variances = np.maximum(np.diagonal(spreads, axis1=1, axis2=2), _RAREST)
        deviation = np.sqrt(variances)
        correlations = spreads / (deviation[:, :, None] * deviation[:, None, :])
        correlations = (1 - _SURE) * np.clip(correlations, -1, 1)
        correlations[:, range(len(free)), range(len(free))] = 1.0
        return cls(free, between(course.times), between(means), variances, _inverse(correlations))

    def cost(self, states: Ints, points: Sequence[Point]) -> Floats:
        """The cost of each state, at the best of these points: (states,)."""
        counts = states[:, self.species].astype(float)  # (states, free)
        best = np.full(len(counts), np.inf)
        for mean, variance, precision in points:
            z = _deviation(counts - mean, mean, variance)
            best = np.minimum(best, ((z @ precision) * z).sum(axis=1) / 2)
        return best

    def distinct(self, points: slice) -> list[Point]:
        """The points without those that a wider one nearby makes needless."""
        kept: list[Point] = []
        inverses: list[Floats] = []
        rows = zip(self.means[points], self.variances[points], self.precisions[points], strict=True)
        for mean, variance, precision in sorted(rows, key=lambda row: -float(row[1].sum())):
            scale = np.sqrt(np.outer(variance, variance))
            covariance = np.linalg.inv(precision) * scale
            for (there, *_), inverse in zip(kept, inverses, strict=True):
                off = mean - there
                width = float(np.linalg.eigvals(inverse @ covariance).real.max(initial=0.0))
                if off @ inverse @ off <= _ALIKE**2 and width <= 1 + _ALIKE:
                    break
            else:
                kept.append((mean, variance, precision))
                inverses.append(precision / scale)
        return kept


def _deviation(off: Floats, mean: Floats, variance: Floats) -> Floats:
    """`z` of counts that are `off` the mean, column by column: (states, free)."""
    z = np.empty_like(off)
    for column, (m, v) in enumerate(zip(mean, variance, strict=True)):
        low = int(off[:, column].min(initial=0.0) + m + 0.5)
        number = np.rint(off[:, column] + m).astype(np.intp) - low
        top = int(number.max(initial=0))
        d = np.arange(low, low + top + 1) - m if top <= len(off) else off[:, column]
        away = np.abs(d)
        cost = v * _h(away / v)
        if m > 0:
            under = m * (m / max(v, m)) * _h(-np.minimum(away / m, 1.0))
            cost = np.where(d < 0, np.maximum(cost, under), cost)
        values = np.sign(d) * np.sqrt(2 * cost)
        z[:, column] = values[number] if top <= len(off) else values
    return z


def _h(u: Floats) -> Floats:
    """(1 + u) ln(1 + u) − u, for u ≥ −1; by its series near 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = np.where(u > -1, (1 + u) * np.log1p(u) - u, 1.0)
    return np.where(np.abs(u) < 1e-4, u * u / 2 * (1 - u / 3), exact)


def _inverse(correlations: Floats) -> Floats:
    """R⁻¹ of every point; independent where R is no matrix of correlations."""
    values, vectors = np.linalg.eigh(correlations)
    values = np.maximum(values, _SURE)
    inverse: Floats = (vectors / values[:, None, :]) @ np.swapaxes(vectors, 1, 2)
    return inverse


class Filler:
    """Lists the states of a level set, from states that are known, reaction by reaction."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._weights = random_weights(len(network.species))[None]

    def fill(self, known: Ints, shape: Shape, points: slice, level: float, room: int) -> Ints:
        """The known states, and those up to a level that can be reached by way of such.

        At the most as many as there is `room` for, and one layer more.
        """
        frontier = Frontier(self.network, self._weights, [known])
        found, layer, count = [known], known, len(known)
        along = shape.distinct(points)
        while len(layer) and count <= room:
            fresh = []
            for begin in range(0, len(layer), _CHUNK):
                near = frontier.beyond(layer[begin : begin + _CHUNK])
                fresh.append(near[shape.cost(near, along) <= level])
            layer = np.concatenate(fresh)
            found.append(layer)
            count += len(layer)
        return np.concatenate(found)

    def neighbours(self, known: Ints, sources: Ints, at_least: int) -> Ints:
        """The states that the sources lead to and that are not known yet, layer after layer."""
        frontier = Frontier(self.network, self._weights, [known])
        layer = frontier.beyond(sources)
        found, count = [layer], len(layer)
        while len(layer) and count < at_least:
            layer = frontier.beyond(layer)
            found.append(layer)
            count += len(layer)
        return np.concatenate(found)
