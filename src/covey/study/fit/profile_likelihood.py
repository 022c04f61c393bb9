"""Maximum likelihood over ln κ where there is no closed form, and profile intervals (see `fit`)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

from covey.errors import UnsupportedError
from covey.numbers import Floats
from covey.study.fit.task import Task

# ln L and its gradient at given ln κ
Likelihood = Callable[[Floats], tuple[float, Floats]]

_HILLS = 50  # searches for a higher one
_NEAR = 1e-4  # how well the end of an interval is found, in ln κ
_FAR = 1e3  # radii: farther than any end
_FLAT = 0.01  # standard errors: no more than the search itself leaves open


class _HigherError(Exception):
    """A likelihood above the one that was taken for the maximum, and where."""

    def __init__(self, logs: Floats) -> None:
        self.logs = logs


class Profile:
    """Maximum likelihood over ln κ within bounds, and intervals by the profile likelihood."""

    def __init__(
        self, likelihood: Likelihood, low: Floats, high: Floats, task: Task, *, infinite: float
    ) -> None:
        from scipy.special import ndtri  # noqa: PLC0415

        self.likelihood, self.low, self.high = likelihood, low, high
        self.infinite = infinite  # the share of its upper bound from which a rate is called so
        self.radius = float(ndtri((1 + task.confidence) / 2))  # the root of the χ² quantile
        self.scale = task.observations
        self.progress = task.progress

    def estimates(self, start: Floats) -> list[tuple[float, tuple[float, float]]]:
        """The best value of each parameter, and its interval."""
        for _ in range(_HILLS):
            self.best, self.peak = self._maximum(start, self.low, self.high)
            try:
                return self._intervals()
            except _HigherError as found:  # the search had ended on a lower hill
                start = found.logs
        raise UnsupportedError(
            "the rates that explain the log best were not found: the likelihood has too many "
            "hills. Fix a rate that is known, or give a log of more rows"
        )

    def _intervals(self) -> list[tuple[float, tuple[float, float]]]:
        found = []
        for p in range(len(self.best)):
            if self.progress is not None:
                self.progress(p, len(self.best), f"interval {p + 1} of {len(self.best)}")
            (low, no_less), (high, no_more) = self._end(p, self.low[p]), self._end(p, self.high[p])
            most = self.infinite * math.exp(self.high[p])
            value, high = (math.inf if v > most else v for v in (math.exp(self.best[p]), high))
            if no_less or no_more:
                value = math.nan if no_less and no_more else 0.0 if no_less else math.inf
            found.append((value, (low, high)))
        return found

    def _maximum(self, start: Floats, low: Floats, high: Floats) -> tuple[Floats, float]:
        from scipy.optimize import minimize  # noqa: PLC0415

        # SLSQP, as L-BFGS-B spends its time waiting for threads; a sum of terms of order one.
        def cost(logs: Floats) -> tuple[float, Floats]:
            value, gradient = self.likelihood(logs)
            return -value / self.scale, -gradient / self.scale

        with warnings.catch_warnings():  # of steps that scipy itself takes back to the bounds
            warnings.simplefilter("ignore", RuntimeWarning)
            found = minimize(
                cost, np.clip(start, low, high), jac=True, method="SLSQP",
                bounds=np.column_stack([low, high]), options={"ftol": 1e-12, "maxiter": 1000},
            )  # fmt: skip
        return np.asarray(found.x, dtype=np.float64), -self.scale * float(found.fun)

    def _end(self, p: int, bound: float) -> tuple[float, bool]:
        """Where ln L, with the others at their best, has fallen by χ²/2: at 0 or ∞ if not before.

        And whether it has not fallen at all up to the bound: then 0 or ∞ explain the log as well.
        """
        from scipy.optimize import brentq  # noqa: PLC0415

        reach, way = abs(bound - self.best[p]), 1.0 if bound == self.high[p] else -1.0
        logs = self.best

        def excess(step: float) -> float:
            """How much farther than the interval's end: nearly linear in the step."""
            nonlocal logs
            low, high = self.low.copy(), self.high.copy()
            low[p] = high[p] = self.best[p] + way * step
            found, top = self._maximum(logs, low, high)
            if not math.isfinite(top):  # so far off that no number is left of the likelihood
                return _FAR
            logs = found
            if top > self.peak + _FLAT:
                raise _HigherError(logs)
            return math.sqrt(max(2 * (self.peak - top), 0.0)) - self.radius

        inside, step = 0.0, min(0.05, reach)
        while (at := excess(step)) < 0:
            if step >= reach:
                return (0.0 if way < 0 else math.inf), at + self.radius < _FLAT
            per_step = max(at + self.radius, 0.02 * self.radius) / step
            inside, step = step, min(max(1.1 * self.radius / per_step, 1.2 * step), reach)
        try:
            end = brentq(excess, inside, step, xtol=_NEAR, rtol=1e-10)
        except (ValueError, RuntimeError):  # each search begins where the last ended: signs differ
            end = _halved(excess, inside, step)
        return math.exp(self.best[p] + way * end), False


def _halved(excess: Callable[[float], float], inside: float, outside: float) -> float:
    """Between a step that was inside an interval and one that was outside: the outer one, near."""
    while outside - inside > _NEAR:
        middle = (inside + outside) / 2
        if excess(middle) < 0:
            inside = middle
        else:
            outside = middle
    return outside
