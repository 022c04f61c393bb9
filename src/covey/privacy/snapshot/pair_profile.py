"""What one snapshot can tell of a team and one neighbour: `profile` says what the bounds mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.errors import InputError
from covey.model.hypothesis import Hypothesis
from covey.model.team import Team
from covey.numbers import SPACING, Bools, Floats
from covey.privacy.snapshot import divergences
from covey.privacy.snapshot.divergences import HockeyStick, aligned, impossible

Interval = tuple[float, float]
Pair = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class DivergenceProfile:
    """What one snapshot can tell of two distributions; the worse of both directions.

    Attributes:
        log_probabilities: Ln p of every observation, under the one and under the other; lost mass
            apart.
        truncated_mass: What was left out of each of the two distributions.
        log_error: How far the logarithms of each of them may be off.
        impossible: Which observations are certainly impossible under each of them.
    """

    log_probabilities: Pair
    truncated_mass: tuple[float, float]
    log_error: tuple[float, float]
    impossible: tuple[Bools, Bools]

    def against(self, neighbour: Hypothesis, team: Team) -> PairProfile:
        """The same, as what is told of the team and a neighbour that have these distributions.

        Args:
            neighbour: The hypothesis.
            team: The team that it is compared with.
        """
        return PairProfile(
            self.log_probabilities,
            self.truncated_mass,
            self.log_error,
            self.impossible,
            neighbour,
            team,
        )

    def delta(self, epsilon: float) -> float:
        """δ(ε) for ε ≥ 0, from above where mass was lost.

        Args:
            epsilon: ε ≥ 0, as a difference of logarithms.
        """
        _check_not_negative(epsilon, "epsilon")
        return max(min(stick.delta(epsilon), 1.0) for stick in self._sticks)

    def delta_interval(self, epsilon: float) -> Interval:
        """Bounds on δ(ε) that count rounding and lost mass.

        Args:
            epsilon: ε ≥ 0, as a difference of logarithms.
        """
        _check_not_negative(epsilon, "epsilon")
        shift, low, high = sum(self.errors), 0.0, 0.0
        for i, stick in enumerate(self._computed_sticks):
            own, lost, lost_other = (
                self.errors[i],
                self.truncated_mass[i],
                self.truncated_mass[1 - i],
            )
            most = math.exp(own) * stick.delta(epsilon - shift) + lost
            least = math.exp(-own) * stick.delta(epsilon + shift)
            if lost_other > 0:
                least -= lost_other * math.exp(epsilon) if epsilon < 700 else math.inf
            least = max(least, self._settled(i)[0])
            low, high = max(low, least), max(high, min(most, 1.0))
        return low, max(low, high)

    def epsilon(self, delta: float) -> float:
        """ε(δ): the least ε ≥ 0 with delta(ε) ≤ δ; inf where there is none.

        Args:
            delta: δ, from 0 to 1.
        """
        _check_probability(delta, "delta")
        return max(stick.epsilon(delta) for stick in self._sticks)

    def epsilon_interval(self, delta: float) -> Interval:
        """Bounds on ε(δ) that count rounding and lost mass: the inverses of those on δ(ε).

        Args:
            delta: δ, from 0 to 1.
        """
        _check_probability(delta, "delta")
        shift, low, high = sum(self.errors), 0.0, 0.0
        for i, (own, stick) in enumerate(zip(self.errors, self._computed_sticks, strict=True)):
            high = max(high, self._sticks[i].epsilon(delta * math.exp(-own)) + shift)
            mass, sure = self._settled(i)
            if self.truncated_mass[1 - i] == 0:  # otherwise q may be larger wherever it is possible
                low = max(low, stick.epsilon(delta * math.exp(own)) - shift)
            elif mass > delta or (sure and delta == 0):
                low = math.inf
        return low, max(low, high)

    @property
    def total_variation(self) -> float:
        """How much more probable an event can be for one team than for the other."""
        return self.delta(0.0)

    @property
    def kl(self) -> float:
        """Kullback-Leibler divergence in nats, the larger of both directions."""
        return self.renyi(1.0)

    def renyi(self, alpha: float) -> float:
        """Rényi divergence of order α > 0 in nats, the larger of both directions.

        Args:
            alpha: The order; 1 is Kullback and Leibler's.
        """
        _check_order(alpha)
        return max(divergences.renyi(p, q, alpha) for p, q in self.directions)

    def renyi_interval(self, alpha: float) -> Interval:
        """Bounds on it that count rounding; the lower one is 0 or inf where mass was lost.

        Args:
            alpha: The order.
        """
        value, error = self.renyi(alpha), max(self.errors)
        if alpha == math.inf:
            error *= 2
        elif alpha == 1:  # Σ p |ln p/q| is at most KL + 2 TV
            error = 4 * error + math.expm1(error) * (value + 2 * self.total_variation)
        else:  # α ln p + (1 − α) ln q, and what Σ p and Σ q differ from 1
            error *= 3 * (alpha + abs(1 - alpha)) / abs(1 - alpha)
        if not any(self.truncated_mass):
            return max(value - error, 0.0), value + error
        sure = alpha >= 1 and any(self._settled(i)[1] for i in (0, 1))
        return math.inf if sure else 0.0, value + error

    def trade_off(self) -> Pair:
        """Type I errors (taking the team for the neighbour), and the least type II error at each.

        The corners of a convex curve that is straight in between; from below where mass was lost.
        """
        return divergences.trade_off(*self.directions[0])

    def type_two(self, type_one: float) -> float:
        """The least type II error at a type I error, for whichever team is taken as the null.

        Args:
            type_one: The type I error that is allowed, from 0 to 1.
        """
        _check_probability(type_one, "the type I error")
        return min(
            float(np.interp(type_one, *divergences.trade_off(p, q))) for p, q in self.directions
        )

    def success(self, prior: float = 0.5) -> float:
        """How often the best guess between the two is right.

        Args:
            prior: The probability of the team, before anything is seen.
        """
        _check_probability(prior, "the prior")
        with np.errstate(divide="ignore", under="ignore"):
            ours, theirs = np.log(prior), np.log1p(-prior)
            p, q = self.directions[0]
            return min(float(np.exp(np.maximum(p + ours, q + theirs)).sum()), 1.0)

    def _settled(self, i: int) -> tuple[float, bool]:
        """The probability under one of what the other certainly never shows, from below.

        And whether there is anything of the kind: it may be too improbable for a number.
        """
        never = self.impossible[1 - i]
        with np.errstate(under="ignore"):
            mass = float(np.exp(self.log_probabilities[i][never]).sum())
        return math.exp(-self.errors[i]) * mass, bool(never.any())

    @property
    def _computed(self) -> tuple[Pair, Pair]:
        p, q = self.log_probabilities
        return (p, q), (q, p)

    @property
    def directions(self) -> tuple[Pair, Pair]:
        """Both directions, with what was lost as two outcomes of its own."""
        if not any(self.truncated_mass):
            return self._computed
        with np.errstate(divide="ignore"):
            lost, lost_other = np.log(self.truncated_mass)
        p = np.append(self.log_probabilities[0], [lost, -np.inf])
        q = np.append(self.log_probabilities[1], [-np.inf, lost_other])
        return (p, q), (q, p)

    @cached_property
    def _computed_sticks(self) -> tuple[HockeyStick, HockeyStick]:
        one, other = self._computed
        return HockeyStick(*one), HockeyStick(*other)

    @cached_property
    def _sticks(self) -> tuple[HockeyStick, HockeyStick]:
        if not any(self.truncated_mass):
            return self._computed_sticks
        one, other = self.directions
        return HockeyStick(*one), HockeyStick(*other)

    @cached_property
    def errors(self) -> tuple[float, float]:
        """The distributions' own errors, and those of summing over their outcomes."""
        logs = np.concatenate(self.log_probabilities)
        largest = float(np.abs(logs[np.isfinite(logs)]).max(initial=0.0))
        rounding = SPACING * (len(logs) + largest + 8)
        return self.log_error[0] + rounding, self.log_error[1] + rounding


@dataclass(frozen=True, eq=False)
class PairProfile(DivergenceProfile):
    """What one snapshot can tell of the team and one neighbour.

    Attributes:
        neighbour: The hypothesis.
        team: The team that it is compared with.
    """

    neighbour: Hypothesis
    team: Team


def divergence_profile(distribution: Distribution, other: Distribution) -> DivergenceProfile:
    """The profile of two distributions of the same observations."""
    _, ours, theirs = aligned(distribution, other)
    return DivergenceProfile(
        (ours, theirs),
        (distribution.truncated_mass, other.truncated_mass),
        (distribution.log_error, other.log_error),
        impossible(distribution, other),
    )


def _check_not_negative(value: float, name: str) -> None:
    if not value >= 0:
        raise InputError(f"{name} is {value!r:.40}: a number that is not negative is expected")


def _check_probability(value: float, name: str) -> None:
    if not 0 <= value <= 1:
        raise InputError(f"{name} is {value!r:.40}: a number from 0 to 1 is expected")


def _check_order(value: float) -> None:
    if not value > 0:
        raise InputError(f"the order is {value!r:.40}: a positive number, or inf, is expected")
