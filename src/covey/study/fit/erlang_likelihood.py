"""In how many stages a time passes: the likelihood of times that were seen from end to end.

Times t_1, …, t_n that ended, and c_1, …, c_m that had not ended when somebody stopped looking, have
with shape a and mean 1/κ the likelihood

    ln L(a, κ) = Σ [a ln(aκ) − ln Γ(a) + (a − 1) ln t_i − aκ t_i] + Σ ln Q(a, aκ c_j),

Q the regularised upper incomplete gamma function. A whole a is an Erlang time of a stages.

The number of stages is the whole k from 1 to 20 of the largest likelihood. How sure that is:

- **weights**: the posterior of every k, all being equally probable at first, with κ integrated out
  under the prior dκ/κ (Laplace's approximation: max L over the root of n k);
- **interval**: every k that a likelihood ratio test does not reject, 2 (max_j ln L(j) − ln L(k)) ≤
  χ²₁ over whole j. Against any shape a > 0 the ratio would be larger, and of many times hold the
  true k with the confidence (Wilks), so that this interval holds it at least as often;
- **fits**: whether the best k is not rejected against any shape. It is, where times are
  longer-tailed than exponential ones, or more regular than 20 stages.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from covey.numbers import Floats

MOST_STAGES = 20
FEWEST = 8  # times that ended, of which something can be said
_SHAPES = math.log(0.02), math.log(5_000.0)


@dataclass(frozen=True, eq=False)
class Dwells:
    """How long robots were in a species.

    Attributes:
        ended: Times from entering to leaving: above 0.
        cut: Times from entering to when they were last seen, still there.
    """

    ended: Floats
    cut: Floats


@dataclass(frozen=True)
class StageFit:
    """In how many stages a reaction happens, by how long robots wait for it.

    Attributes:
        reaction: Which.
        species: Where they wait.
        stages: The number of the largest likelihood; or the scenario's own, where it was not asked.
        weights: The posterior of 1, 2, … stages, all being equally probable at first.
        interval: The fewest and the most stages that the times do not rule out, with the fit's
            confidence or more.
        fits: Whether the times do not rule out every number from 1 to 20.
        shape: The best of all shapes, whole or not: 1 is exponential.
        times: How many times were seen from end to end.
        rate: The inverse of the mean time.
        rate_interval: Between which it lies, with the fit's confidence.
    """

    reaction: str
    species: str
    stages: int
    weights: tuple[float, ...]
    interval: tuple[int, int]
    fits: bool
    shape: float
    times: int
    rate: float
    rate_interval: tuple[float, float] = field(repr=False)

    @property
    def weight(self) -> float:
        """The posterior of this number of stages."""
        return self.weights[self.stages - 1] if self.stages <= len(self.weights) else 0.0

    def __str__(self) -> str:
        plural = "s" * (self.stages != 1)
        text = f"{self.reaction}: {self.stages} stage{plural}, with probability {self.weight:.2g}"
        low, high = self.interval
        text = f"{text}; between {low} and {high} by {self.times:,} times"
        if not self.fits:
            odd = "longer-tailed than exponential ones" if self.shape < 1 else (
                f"more regular than {MOST_STAGES} stages"
                if self.shape > MOST_STAGES
                else "between two numbers of stages"
            )  # fmt: skip
            return f"{text}; but no number fits: times are {odd}"
        return text


def fit_stages(
    dwells: Dwells, confidence: float, names: tuple[str, str], stages: int | None = None
) -> StageFit:
    """The number of stages of the largest likelihood, or the rate at a number that is given.

    Args:
        dwells: At least `FEWEST` that ended.
        confidence: Of the intervals.
        names: Of the reaction and of the species.
        stages: The number, where it is known.
    """
    from scipy.optimize import minimize_scalar  # noqa: PLC0415
    from scipy.special import chdtri  # noqa: PLC0415

    likelihood = _Likelihood(dwells)
    logs = np.array([likelihood.most(float(k)) for k in range(1, MOST_STAGES + 1)])
    found = minimize_scalar(
        lambda log: -likelihood.most(math.exp(log)), bounds=_SHAPES, method="bounded"
    )
    best = max(-float(found.fun), float(logs.max()))
    limit = float(chdtri(1, 1 - confidence))
    left = np.flatnonzero(2 * (logs.max() - logs) <= limit) + 1
    weights = np.exp(logs - logs.max()) / np.sqrt(np.arange(1, MOST_STAGES + 1))
    chosen = int(logs.argmax()) + 1 if stages is None else stages
    return StageFit(
        *names,
        chosen,
        tuple((weights / weights.sum()).tolist()),
        (int(left[0]), int(left[-1])),
        2 * (best - float(logs.max())) <= limit,
        math.exp(float(found.x)),
        len(dwells.ended),
        math.exp(likelihood.best(float(chosen))),
        likelihood.interval(float(chosen), limit),
    )


class _Likelihood:
    """ln L of dwell times."""

    def __init__(self, dwells: Dwells) -> None:
        self.n, self.cut = len(dwells.ended), dwells.cut
        self.total, self.logs = float(dwells.ended.sum()), float(np.log(dwells.ended).sum())

    def __call__(self, shape: float, log_rate: float) -> float:
        from scipy.special import gammaincc, gammaln  # noqa: PLC0415

        rate = shape * math.exp(log_rate)
        ended = self.n * (shape * math.log(rate) - float(gammaln(shape)))
        ended += (shape - 1) * self.logs - rate * self.total
        with np.errstate(divide="ignore", under="ignore"):
            return ended + float(np.log(gammaincc(shape, rate * self.cut)).sum())

    def best(self, shape: float) -> float:
        """Ln κ of the largest likelihood at a shape."""
        from scipy.optimize import minimize_scalar  # noqa: PLC0415

        most = math.log(self.n / self.total)
        if not len(self.cut):
            return most
        least = math.log(self.n / (self.total + float(self.cut.sum()))) - 2
        found = minimize_scalar(
            lambda log: -self(shape, log), bounds=(least, most), method="bounded",
            options={"xatol": 1e-10},
        )  # fmt: skip
        return float(found.x)

    def most(self, shape: float) -> float:
        """The largest likelihood at a shape."""
        return self(shape, self.best(shape))

    def interval(self, shape: float, limit: float) -> tuple[float, float]:
        """The rates that a likelihood ratio test does not reject, at a shape."""
        best = self.best(shape)
        top = self(shape, best)

        def above(log: float) -> float:
            return limit - 2 * (top - self(shape, log))

        return math.exp(_root(above, best, -1.0)), math.exp(_root(above, best, 1.0))


def _root(above: Callable[[float], float], begin: float, step: float) -> float:
    """Where a function falls to 0, on one side of where it is above."""
    from scipy.optimize import brentq  # noqa: PLC0415

    end = begin + step
    while above(end) > 0:
        end += step
    if math.isinf(above(end)):  # brentq wants numbers
        return float(brentq(lambda log: max(above(log), -1e9), begin, end))
    return float(brentq(above, begin, end))
