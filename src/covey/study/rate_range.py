"""What fitted rates leave open: the figures over the rates that a log cannot rule out.

A fit gives an interval for every rate. Where all of them hold at once, the rates are in a box, and
leakage, best guess and ε(δ) are somewhere in the range that they have over it. That range is looked
at from inside, at some points of the box: the fitted rates, its corners where rates are few (else
each rate at either end with the others as fitted), and draws from all of it (a Latin hypercube in
ln κ [1], so that every rate is tried on its whole interval, evenly by factors). A figure that only
rises or only falls with each rate is at its ends in corners, but none has to: so it is the range of
a sample, and no bound. With m intervals of confidence c each, the truth is in the box with
probability at least 1 − m (1 − c).

[1] McKay, Beckman, Conover, A comparison of three methods for selecting values of input variables,
    Technometrics 21 (1979).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.validation import Progress
from covey.errors import InputError, shown
from covey.model.scenario import Scenario
from covey.numbers import Floats, is_whole
from covey.privacy.headline import DELTA, Quantity, Sentence, spoken
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.showing import Showing
from covey.study.fit.fit import Fit
from covey.study.fit.fit_file import FittedRates
from covey.study.fit.fitted import with_rates
from covey.study.fit.task import Estimate, Task
from covey.words import number, percent

DRAWS = 40
_FAR = 1000.0  # times the fitted rate, where an interval has no end
_MOST = 100_000
_CORNERS = 6  # rates up to which all corners are tried

Range = tuple[float, float]


@dataclass(frozen=True)
class RateRange(Showing):
    """The least and the most that was found over the rates that a fit allows.

    Attributes:
        leakage: Of the worst case.
        bayes_success: How often an observer is right after one snapshot.
        epsilon: ε at δ.
        delta: The probability at which ε is given.
        draws: How many rates were tried, the fitted ones among them.
        confidence: Of each rate's interval.
        varied: The rates that were varied.
        kept: Those that the log says nothing about, and that stayed as they were.
        endless: Those whose interval has no end: they went up to a thousand times as far.
        seed: Of the draws.
    """

    leakage: Range
    bayes_success: Range
    epsilon: Range
    delta: float
    draws: int
    confidence: float
    varied: tuple[str, ...]
    kept: tuple[str, ...]
    endless: tuple[str, ...]
    seed: int

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """What to say of it."""
        share = f"{100 * self.confidence:g}%"
        first: Sentence = (
            f"The rates are known from a log, {len(self.varied)} of them each within its {share} "
            f"interval. Over {self.draws:,} choices of them the observer is right ",
            *_from_to(self.bayes_success, percent, "rate_range.bayes_success"),
            f" of the time, ε at δ = {self.delta:g} is ",
            *_from_to(self.epsilon, number, "rate_range.epsilon"),
            ", and the leakage ",
            *_from_to(self.leakage, number, "rate_range.leakage"),
            ": the range of a sample, not a bound.",
        )
        more: list[Sentence] = []
        if self.kept:
            more.append(
                (f"The log says nothing about {', '.join(self.kept)}: kept as the file has it.",)
            )
        if self.endless:
            more.append(
                (
                    f"The interval of {', '.join(self.endless)} has no end: it was taken to "
                    f"{_FAR:,.0f} times, or as small a part of, what was fitted.",
                )
            )
        return first, *more

    def __str__(self) -> str:
        return " ".join(map(spoken, self.sentences))


def _from_to(ends: Range, text: Callable[[float], str], name: str) -> Sentence:
    low, high = (Quantity(end, text(end), f"{name}[{place}]") for place, end in enumerate(ends))
    return (low,) if low.text == high.text else (low, " to ", high)


def fitted_scenario(scenario: Scenario, found: Fit | FittedRates) -> Scenario:
    """The scenario with the rates that were fitted.

    Args:
        scenario: Its network has these rates.
        found: What was fitted.
    """
    return with_rates(scenario, [_estimate(found, name).usable for name in _names(scenario)])


def rate_range(
    scenario: Scenario,
    found: Fit | FittedRates,
    *,
    delta: float = DELTA,
    draws: int = DRAWS,
    seed: int = 0,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> RateRange:
    """The range of leakage, best guess and ε(δ) over a sample of the rates that a fit leaves open.

    Args:
        scenario: The team, its network, and what is seen of it.
        found: What was fitted to its log: a `Fit`, or what `open_fit` reads.
        delta: The probability at which ε is given.
        draws: How many rates to draw, besides the fitted ones and the ends of the intervals.
        seed: Of the draws; the same seed gives the same numbers.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if not is_whole(draws) or not 0 <= draws <= _MOST:
        raise InputError(f"draws is {shown(draws)}: a whole number up to {_MOST:,} is expected")
    names = _names(scenario)
    rates = [_estimate(found, name) for name in names]
    box = [_ends(rate) for rate in rates]
    points = _points([rate.usable for rate in rates], box, draws, seed)
    rows = []
    for number_, point in enumerate(points):
        if progress is not None:
            progress(number_, len(points), f"rates {number_ + 1} of {len(points)}")
        (distributions,) = team_distributions(with_rates(scenario, point.tolist()), limits=limits)
        leak = leakage_of(distributions, scenario.adversary.smoothing)
        rows.append(
            (leak.value, leak.profile.bayes_success, leak.profile.epsilon_interval(delta)[1])
        )
    leakages, guesses, epsilons = zip(*rows, strict=True)
    varied = [name for name, ends in zip(names, box, strict=True) if ends is not None]
    endless = [
        name
        for name, rate in zip(names, rates, strict=True)
        if rate.identified and (rate.interval[0] == 0 or math.isinf(rate.interval[1]))
    ]
    return RateRange(
        (min(leakages), max(leakages)),
        (min(guesses), max(guesses)),
        (min(epsilons), max(epsilons)),
        delta,
        len(points),
        found.confidence,
        tuple(varied),
        tuple(name for name in names if name not in varied),
        tuple(endless),
        seed,
    )


def _names(scenario: Scenario) -> tuple[str, ...]:
    return Task(scenario.network, 0, 0.95, None).names


def _estimate(found: Fit | FittedRates, name: str) -> Estimate:
    if name not in found.rates:
        raise InputError(f"the fit has no rate {name}, which the scenario has: it is of another")
    return found.rates[name]


def _ends(rate: Estimate) -> Range | None:
    """Between which a rate is varied; None where nothing is known of it."""
    if not rate.identified:
        return None
    low, high = rate.interval
    return max(low, rate.usable / _FAR), min(high, rate.usable * _FAR)


def _points(
    best: Sequence[float], box: Sequence[Range | None], draws: int, seed: int
) -> list[Floats]:
    """The rates that are tried: as fitted, at the ends of their intervals, and in between."""
    centre = np.log(best)
    free = [p for p, ends in enumerate(box) if ends is not None]
    low, high = (np.log([ends[k] for ends in box if ends is not None]) for k in (0, 1))
    if not free:
        return [np.array(best)]
    places = [centre[free]]
    if len(free) <= _CORNERS:
        places.extend(
            np.where(corner, high, low)
            for corner in itertools.product((False, True), repeat=len(free))
        )
    else:
        for p, ends in itertools.product(range(len(free)), (low, high)):
            places.append(centre[free])
            places[-1][p] = ends[p]
    rng = np.random.default_rng(seed)
    cells = rng.permuted(np.tile(np.arange(draws), (len(free), 1)), axis=1)
    shares = (cells + rng.random(cells.shape)) / max(draws, 1)  # (rates, draws)
    places.extend(low + (high - low) * share for share in shares.T)
    points = []
    for place in places:
        point = np.array(best)
        point[free] = np.exp(place)
        points.append(point)
    points[0] = np.array(best)
    return points
