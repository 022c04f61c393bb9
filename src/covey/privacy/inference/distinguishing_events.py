"""Events that may tell two teams apart, found on samples: a score of the observation, from c on.

The scores: the ratio in which the samples show an observation (where observations come again), each
count by itself, up and down, and the linear score that separates the two samples best (Fisher's
discriminant), which serves where hardly any observation comes twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from covey.numbers import Floats, Ints
from covey.words import shown

# What an event with so many hits in the one sample and so many in the other promises.
Promise = Callable[[Ints, Ints], Floats]

_CUTS = 256  # thresholds tried for one score


@dataclass(frozen=True, eq=False)
class Event:
    """The observations y with weights · y ≥ threshold, or those of a list."""

    names: tuple[str, ...]
    weights: Floats | None = None  # (names,)
    threshold: float = 0.0
    listed: frozenset[tuple[int, ...]] = frozenset()

    def hits(self, rows: Ints) -> int:
        """How many of the observations are in the event."""
        if self.weights is not None:
            return int(np.count_nonzero(rows @ self.weights >= self.threshold))
        return sum(tuple(row) in self.listed for row in rows.tolist())

    def __str__(self) -> str:
        if self.weights is None:
            if len(self.listed) == 1:
                (only,) = self.listed
                return shown(dict(zip(self.names, only, strict=True)))
            return f"one of {len(self.listed):,} observations"
        used = np.flatnonzero(self.weights)
        if len(used) == 1:
            name, weight = self.names[used[0]], float(self.weights[used[0]])
            return f"{name} {'≥' if weight > 0 else '≤'} {self.threshold / weight:g}"
        terms = (f"{self.weights[i]:.3g} {self.names[i]}" for i in used[:8])
        return f"{' + '.join(terms)} ≥ {self.threshold:.4g}".replace("+ -", "− ")


def best_event(names: tuple[str, ...], high: Ints, low: Ints, promise: Promise) -> Event:
    """The event that promises most of being likelier where `high` comes from than `low`.

    Scores are fitted to one half of the samples and compared on the other: a score that has only
    learnt its own samples by heart promises nothing there.
    """
    half = len(high) // 2
    best, value = Event(names, np.zeros(len(names))), -math.inf  # everything, which tells nothing
    fresh_high, fresh_low = high[half:], low[half:]
    if half > 1:
        for weights in _directions(high[:half], low[:half]):
            cut, found = _best_cut(fresh_high @ weights, fresh_low @ weights, promise)
            if found > value:
                best, value = Event(names, weights, cut), found
        ratios = _ratios(high[:half], low[:half])
        scores, others = _looked_up(ratios, fresh_high), _looked_up(ratios, fresh_low)
        cut, found = _best_cut(scores, others, promise)
        if found > value:
            listed = frozenset(y for y, ratio in ratios.items() if ratio >= cut)
            best = Event(names, listed=listed)
    return best


def _best_cut(high: Floats, low: Floats, promise: Promise) -> tuple[float, float]:
    """The threshold on the scores of two samples that promises most, and how much."""
    cuts = np.unique(np.concatenate([high, low]))
    cuts = cuts[np.isfinite(cuts)]
    if not len(cuts):
        return 0.0, -math.inf
    if len(cuts) > _CUTS:  # finer at both ends, where ratios are largest
        ramp = np.unique(np.geomspace(1, len(cuts), _CUTS // 2).astype(int)) - 1
        cuts = cuts[np.unique(np.concatenate([ramp, len(cuts) - 1 - ramp]))]
    promised = promise(_at_least(high, cuts), _at_least(low, cuts))
    best = int(np.argmax(promised))
    return float(cuts[best]), float(promised[best])


def _at_least(scores: Floats, cuts: Floats) -> Ints:
    return len(scores) - np.searchsorted(np.sort(scores), cuts, side="left").astype(np.int64)


def _ratios(high: Ints, low: Ints) -> dict[tuple[int, ...], float]:
    """By which ratio each observation comes more often in the one sample, in logs."""
    rows, place = np.unique(np.concatenate([high, low]), axis=0, return_inverse=True)
    place = place.ravel()
    in_high = np.bincount(place[: len(high)], minlength=len(rows))
    in_low = np.bincount(place[len(high) :], minlength=len(rows))
    ratios = np.log((in_high + 0.5) / (in_low + 0.5)).tolist()
    return dict(zip(map(tuple, rows.tolist()), ratios, strict=True))


def _looked_up(ratios: dict[tuple[int, ...], float], rows: Ints) -> Floats:
    return np.array([ratios.get(tuple(row), -math.inf) for row in rows.tolist()])


def _directions(high: Ints, low: Ints) -> Iterator[Floats]:
    """Each count up and down, and Fisher's direction (ridged, as counts may be dependent)."""
    width = high.shape[1]
    for i in range(width):
        yield np.eye(width)[i]
        yield -np.eye(width)[i]
    if width > 1:
        spread = np.cov(high.T) + np.cov(low.T)
        ridge = 1e-6 * float(np.trace(spread)) / width + 1e-12
        towards = high.mean(axis=0) - low.mean(axis=0)
        direction: Floats = np.linalg.solve(spread + ridge * np.eye(width), towards)
        if direction.any():
            yield direction / np.abs(direction).max()
