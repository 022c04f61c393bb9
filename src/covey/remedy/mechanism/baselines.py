"""What else could be published: the usual ways to say less, beside the mechanism.

    the truth             as it is
    a coarser release     two counts as one number, or one of them not at all
    rounding              every count to a multiple of some number
    top-, bottom-coding   counts above or below a quantile as that quantile
    geometric noise       P(x) ∝ α^|x| added to every count, α = e^(−ε/2): one robot of another type
                          changes two counts by one. Truncated: what falls outside of the counts
                          that there can be is published as the last that can
    thinning              every robot seen with some probability

All but geometric noise as it is are charged what their best reader loses, who knows the method and
takes what is published for whichever possible outcome costs least. So all of them are channels
that the program could have chosen: where one leaks no more than ε, it costs no less.

Untruncated noise gives away what truncated noise does: beyond the last count the probabilities of
both distributions fall by the same factor, so that their ratio stays what it is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations

import numpy as np
from scipy import sparse

from covey.dynamics.distribution import Distribution
from covey.errors import TooLargeError
from covey.numbers import SPACING, Floats, Ints, distinct_rows
from covey.privacy.headline import DELTA
from covey.privacy.snapshot.channel import Channel, reports_of, seen_through, thin
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.profile import profile_of
from covey.remedy.mechanism.losses import Loss, losses_of
from covey.remedy.mechanism.mechanism import Compared

_MOST_COUNTS = 12  # of which every two are tried as one
_MULTIPLES = (2, 3, 5)
_QUANTILE = 0.1
_SEEN = (0.9, 0.5)
_CELLS = 20_000_000
_MOST_REPORTS = 1_000_000  # rows of what thinned outcomes are seen as

Way = tuple[str, Channel]


def compared(
    distributions: Sequence[TeamDistributions],
    epsilon: float,
    loss: Loss = "l1",
    delta: float = DELTA,
    left_out: list[str] | None = None,
) -> list[Compared]:
    """The usual ways to say less, with what each gives away and what it costs.

    What would take more than a few seconds is not computed, and stands in `left_out`.

    Args:
        distributions: Of every team and moment, as they are.
        epsilon: That of the mechanism; geometric noise is made for it.
        loss: What it costs to publish something else, as `protect` takes it.
        delta: At which ε is said.
        left_out: Gets the names of those that are too large.
    """
    scene = _Scene(distributions, loss, delta)
    too_large = [] if left_out is None else left_out
    found = [scene.judged("truth", "the truth", lambda distribution: distribution)]
    for kind, ways in (
        ("coarser", _coarser(scene.names)),
        ("rounding", _rounded()),
        ("coding", _coded(distributions)),
        ("thinning", _thinned()),
    ):
        for name, way in ways:
            try:
                if kind == "thinning":
                    scene.check_thinned()
                found.append(scene.judged(kind, name, way))
            except TooLargeError:
                too_large.append(name)
    noise = _Noise(scene, epsilon).judged()
    if not noise:
        too_large.append("geometric noise")
    return [*found, *noise]


def noise_for(
    distributions: Sequence[TeamDistributions],
    epsilon: float,
    loss: Loss = "l1",
    delta: float = DELTA,
) -> list[Compared]:
    """Geometric noise for another ε, as it is and truncated; none where that is too large."""
    return _Noise(_Scene(distributions, loss, delta), epsilon).judged()


class _Scene:
    """The outcomes of all distributions, and what it costs to take one for another."""

    def __init__(
        self, distributions: Sequence[TeamDistributions], loss: Loss, delta: float
    ) -> None:
        self.distributions, self.loss, self.delta = distributions, loss, delta
        self.names = distributions[0].team.names
        every = [
            distribution for one in distributions for _, *pair in one.pairs for distribution in pair
        ]
        self.outcomes, _ = distinct_rows(
            np.concatenate([distribution.outcomes for distribution in every])
        )
        self.losses = losses_of(loss, self.names, self.outcomes, self.outcomes)
        self.weights = self._likely(distributions)

    def check_thinned(self) -> None:
        """`TooLargeError` where robots that are missed make too much of what may be seen."""
        rows = sum(math.prod(count + 1 for count in row) for row in self.outcomes.tolist())
        if rows > _MOST_REPORTS:
            raise TooLargeError(f"what may be seen are {rows:,} rows", states=rows)

    def _likely(self, distributions: Sequence[TeamDistributions]) -> Floats:
        """How likely each outcome is, over the teams and moments: (outcomes,)."""
        place = {tuple(row): i for i, row in enumerate(self.outcomes.tolist())}
        weights = np.zeros(len(self.outcomes))
        for one in distributions:
            rows = [place[tuple(row)] for row in one.team.outcomes.tolist()]
            weights[rows] += (
                one.team.probabilities / one.team.probabilities.sum() / len(distributions)
            )
        return weights

    def judged(self, kind: str, name: str, way: Channel) -> Compared:
        return self.told(kind, name, way, self.read(reports_of(way, self.names, self.outcomes)))

    def told(self, kind: str, name: str, way: Channel, loss: float) -> Compared:
        after = [seen_through(one, way) for one in self.distributions]
        profiles = list(map(profile_of, after))
        return Compared(
            kind,
            name,
            max(leakage_of(one).value for one in after),
            max(profile.epsilon_interval(self.delta)[1] for profile in profiles),
            self.delta,
            max(profile.total_variation for profile in profiles),
            loss,
        )

    def read(self, reports: list[tuple[Ints, Floats]]) -> float:
        """What the best reader loses: Σ_z min over ŷ of Σ_y w(y) C(z|y) loss(y, ŷ)."""
        _, place = distinct_rows(np.concatenate([rows for rows, _ in reports]))
        source = np.repeat(np.arange(len(reports)), [len(rows) for rows, _ in reports])
        chances = np.concatenate([chances for _, chances in reports])
        joint = sparse.csr_array((self.weights[source] * chances, (place, source)))
        return float((joint @ self.losses).min(axis=1).sum())


def _coarser(names: tuple[str, ...]) -> Iterator[Way]:
    for i, name in enumerate(names):
        if len(names) == 1:
            yield "publish nothing", _columns([], ("nothing",))
        else:
            rest = [j for j in range(len(names)) if j != i]
            yield f"do not publish {name}", _columns([[j] for j in rest], [names[j] for j in rest])
    if 1 < len(names) <= _MOST_COUNTS:
        for i, j in combinations(range(len(names)), 2):
            rest = [k for k in range(len(names)) if k not in (i, j)]
            kept = [*([k] for k in rest), [i, j]]
            shown = [*(names[k] for k in rest), f"{names[i]} + {names[j]}"]
            yield f"publish {names[i]} and {names[j]} as one number", _columns(kept, shown)


def _columns(groups: list[list[int]], names: Sequence[str]) -> Channel:
    def shown(outcomes: Ints) -> Ints:
        sums = [outcomes[:, group].sum(axis=1) for group in groups]
        return np.stack(sums, axis=1) if sums else np.zeros((len(outcomes), 1), dtype=np.int64)

    return lambda distribution: distribution.shown_as(tuple(names), shown)


def _by_rows(change: Callable[[Ints], Ints]) -> Channel:
    return lambda distribution: distribution.shown_as(distribution.names, change)


def _rounded() -> Iterator[Way]:
    for multiple in _MULTIPLES:
        name = f"round to multiples of {multiple}"
        yield name, _by_rows(lambda rows, k=multiple: (rows + k // 2) // k * k)  # type: ignore[misc]


def _coded(distributions: Sequence[TeamDistributions]) -> Iterator[Way]:
    team = distributions[0].team
    low, high = [], []
    for name in team.names:
        counts, place = np.unique(team.outcomes[:, team.names.index(name)], return_inverse=True)
        chances = np.bincount(place.ravel(), team.probabilities)
        below = np.cumsum(chances) / chances.sum()
        low.append(int(counts[np.searchsorted(below, _QUANTILE)]))
        high.append(int(counts[np.searchsorted(below, 1 - _QUANTILE)]))
    share = f"{_QUANTILE:.0%}"
    yield f"top-code the upper {share}", _by_rows(lambda rows: np.minimum(rows, high))
    yield f"bottom-code the lower {share}", _by_rows(lambda rows: np.maximum(rows, low))
    yield f"code both {share}", _by_rows(lambda rows: np.clip(rows, low, high))


def _thinned() -> Iterator[Way]:
    for chance in _SEEN:
        yield f"show each robot with probability {chance:g}", partial(thin, r=chance)


class _Noise:
    """Geometric noise on every count by itself: a matrix along each axis of a grid."""

    def __init__(self, scene: _Scene, epsilon: float) -> None:
        self.scene, self.epsilon = scene, epsilon
        self.alpha = math.exp(-epsilon / 2)
        self.shape = tuple(int(top) + 1 for top in scene.outcomes.max(axis=0))

    @cached_property
    def axes(self) -> list[Floats]:
        """What noise makes of each count by itself: (size, size), once it is known to fit."""
        return [_truncated(self.alpha, size) for size in self.shape]

    @property
    def fits(self) -> bool:
        """Whether the counts, each with each and by themselves, are few enough."""
        return (
            math.prod(self.shape) * len(self.scene.outcomes) <= _CELLS
            and sum(size * size for size in self.shape) <= _CELLS
        )

    def __call__(self, distribution: Distribution) -> Distribution:
        grid = np.zeros(self.shape)
        grid[tuple(distribution.outcomes.T)] = distribution.probabilities
        for axis, matrix in enumerate(self.axes):
            grid = np.moveaxis(np.tensordot(matrix, grid, axes=(1, axis)), 0, axis)
        rows = np.argwhere(grid > 0)
        return Distribution.merge(
            distribution.names,
            rows,
            np.log(grid[tuple(rows.T)]),
            log_error=distribution.log_error + SPACING * (sum(self.shape) + 8),
            truncated_mass=distribution.truncated_mass,
        )

    def judged(self) -> list[Compared]:
        if not self.fits:
            return []
        scene, named = self.scene, f"geometric noise for ε = {self.epsilon:.4g}"
        dense = np.ones((1, len(scene.outcomes)))  # C(z|y), (grid, outcomes)
        for axis, matrix in enumerate(self.axes):
            dense = (dense[:, None, :] * matrix[None, :, scene.outcomes[:, axis]]).reshape(
                -1, len(scene.outcomes)
            )
        read = float(((dense * scene.weights) @ scene.losses).min(axis=1).sum())
        truncated = scene.told("noise", f"{named}, truncated", self, read)
        return [replace(truncated, name=named, loss=self._error), truncated]

    @property
    def _error(self) -> float:
        """The expected loss of the noise as it is; where that has no formula, not a number."""
        a, counts = self.alpha, len(self.shape)
        below = max(-math.expm1(-self.epsilon / 2), math.ulp(0.0))  # 1 − a, rounded to 0 by itself
        apart = 2 * a / (1 + a) / below  # how far noise is off on average
        if isinstance(self.scene.loss, str):
            if self.scene.loss == "l1":
                return counts * apart
            if self.scene.loss == "squared":
                return counts * apart * (1 + a) / below
            return 1 - (below / (1 + a)) ** counts
        if all(isinstance(key, str) for key in self.scene.loss):
            return float(sum(self.scene.loss.values())) * apart
        return math.nan


def _truncated(alpha: float, size: int) -> Floats:
    """P(z|y) of y + noise, the tails put on 0 and on the last: (z, y)."""
    z, y = np.arange(size)[:, None], np.arange(size)[None, :]
    matrix = (1 - alpha) / (1 + alpha) * alpha ** np.abs(z - y).astype(float)
    matrix[0] = alpha ** y[0].astype(float) / (1 + alpha)
    matrix[-1] = alpha ** (size - 1 - y[0]).astype(float) / (1 + alpha)
    return matrix if size > 1 else np.ones((1, 1))
