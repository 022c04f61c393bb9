"""Independent missions: what one snapshot of each of k of them gives away together.

A snapshot of another mission of the same team is another draw from the same distribution, so the
distributions of all k are products, and the privacy loss ln p/q of what was seen is a sum of k
independent losses. Its distribution is a convolution, and (ε, δ) follows from it [1]:

    δ_k(ε) = E max(0, 1 − e^(ε − L_1 − … − L_k)),     L = ln p(y)/q(y),  y drawn from p

dp-accounting convolves it (the extra `accounting`). What it is given is never too small, so that ε
and δ are bounds from above:

- losses are put on multiples of a step h. One that lies between two of them is split into both, so
  that its mass under p and under q stays the same: whoever is told which half it was knows no
  less, so nothing is understated, and the mean loss grows by h²/8 at most [2];
- with a and b the errors of ln p and ln q, masses are e^a p and losses ln p/q + a + b;
- what p has lost, what q rules out, and the largest losses, of a mass of 1e-16 / k together, count
  as infinite losses; the least losses, of such a mass, as the least that is kept;
- its Fourier transforms round. With n points, unit roundoff u and the transform's error
  η = 8 u log2 n in the 2-norm [3], a k-th power is off by at most k (η + 8 u) + η in that norm, and
  a sum over the points by √n times that (`rounding`), which is added to every δ.

Snapshots of *one* mission do not compose like this: see `covey.stream`.

[1] Koskela, Jälkö, Honkela, Computing tight differential privacy guarantees using FFT, AISTATS
    2020.
[2] Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, Connect the dots: tighter discrete approximations
    of privacy loss distributions, PoPETs 2022.
[3] Higham, Accuracy and stability of numerical algorithms, 2002, theorem 24.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.validation import Progress
from covey.errors import InputError, shown
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.numbers import SPACING, Floats, is_whole
from covey.privacy.headline import DELTA, epsilon_sentence, guess_sentence, spoken
from covey.privacy.hypotheses import Relation
from covey.privacy.snapshot.arriving import check_start
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.channel import Reporting
from covey.privacy.snapshot.divergences import log_ratios
from covey.privacy.snapshot.pair_profile import PairProfile
from covey.privacy.snapshot.profile import Profile, profile
from covey.showing import Showing
from covey.words import rounded, when

_WHAT = "snapshots of several missions"
_POINTS = 2**17  # of the distribution of the sum
_STEP = 1e-4  # no finer than this is needed
_FEW = 64  # missions
_MOST = 10_000_000  # missions: rounding adds 3e-4 to δ by then, and a grid is coarse
_TAIL = 1e-16  # what may count as an infinite loss, over all missions


@dataclass(frozen=True)
class AccountPair:
    """The missions of the team against those of one neighbour.

    Attributes:
        neighbour: The hypothesis.
        team: The team that it is compared with.
        sums: The distributions of both sums of losses, as dp-accounting has them.
    """

    neighbour: Hypothesis
    team: Team
    sums: tuple[Any, Any] = field(repr=False)

    def delta(self, epsilon: float) -> float:
        """δ(ε) as dp-accounting gives it.

        Args:
            epsilon: ε ≥ 0, as a difference of logarithms.
        """
        return max(float(distribution.get_delta_for_epsilon(epsilon)) for distribution in self.sums)

    def epsilon(self, delta: float) -> float:
        """ε(δ) as dp-accounting gives it.

        Args:
            delta: δ, from 0 to 1.
        """
        return max(float(distribution.get_epsilon_for_delta(delta)) for distribution in self.sums)


@dataclass(frozen=True, eq=False)
class Account(Showing):
    """What one snapshot of each of several independent missions gives away, from above.

    Attributes:
        at: The moment of every snapshot: a time, or "steady".
        missions: How many there are.
        pairs: Against every neighbour in turn.
        truncated_mass: The probability that was left out of one distribution, at most.
        step: The grid on which losses are summed.
        rounding: What is added to δ for the rounding of Fourier transforms.
        relation: Which scenarios are compared.
        unit: The unit of time, where it is known.
    """

    at: Moment
    missions: int
    pairs: tuple[AccountPair, ...]
    truncated_mass: float
    step: float
    rounding: float
    relation: Relation
    unit: str | None = None

    def delta(self, epsilon: float) -> float:
        """δ(ε): all snapshots together are (ε, δ)-private.

        Args:
            epsilon: ε ≥ 0, as a difference of logarithms.
        """
        if not epsilon >= 0:
            raise InputError(f"epsilon is {epsilon!r:.40}: a number from 0 on is expected")
        return min(max(pair.delta(epsilon) for pair in self.pairs) + self.rounding, 1.0)

    def epsilon(self, delta: float) -> float:
        """The least ε that is known to hold at δ; inf where there is none.

        Args:
            delta: δ, from 0 to 1.
        """
        if not 0 <= delta <= 1:
            raise InputError(f"delta is {delta!r:.40}: a number from 0 to 1 is expected")
        if delta < self.rounding:
            return math.inf
        return max(pair.epsilon(delta - self.rounding) for pair in self.pairs)

    @property
    def worst(self) -> AccountPair:
        """The neighbour that is told apart most easily."""
        return max(self.pairs, key=lambda pair: pair.delta(0.0))

    @property
    def bayes_success(self) -> float:
        """How often an observer of all missions is right, at most."""
        return binary_success(self.delta(0.0))

    @property
    def distinguishing_mass(self) -> float:
        """The probability that some snapshot shows what only one of two teams can, at most."""
        return self.delta(math.inf)

    def says(self, epsilons: Iterable[float] = (), delta: float = DELTA) -> str:
        """How often an observer is right, ε at δ, and δ at every ε that is asked for.

        Args:
            epsilons: Where δ is wanted.
            delta: Where ε is wanted.
        """
        snapshots = f"One snapshot {when(self.at, self.unit)}"
        if self.missions > 1:
            snapshots += f" of each of {self.missions:,} independent missions"
        said = [
            guess_sentence(
                snapshots,
                str(self.worst.neighbour),
                self.delta(0.0),
                self.relation.whom(self.worst.team),
            ),
            epsilon_sentence(
                self.epsilon(delta), self.distinguishing_mass, self.truncated_mass, delta
            ),
        ]
        deltas = [
            f"{rounded(self.delta(epsilon), '.3g', 'up')} at ε = {epsilon:g}"
            for epsilon in epsilons
        ]
        return " ".join([*map(spoken, said), *([f"δ is {', '.join(deltas)}."] if deltas else [])])

    def __str__(self) -> str:
        return self.says()


def account(
    scenario: Scenario,
    missions: int,
    at: Moment | None = None,
    *,
    seen: Reporting | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Account:
    """An upper bound on what one snapshot of each of several independent missions gives away.

    Args:
        scenario: The team, its network, and what is seen of it.
        missions: How many missions; the team is the same in all, and so is each neighbour.
        at: A time, or "steady"; by default when the adversary looks.
        seen: What is reported of what is there: the probability that a robot is seen, or a table,
            as `seen_through` takes them; by default all.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    _check_missions(missions)
    check_start(scenario, scenario.adversary.at if at is None else at, _WHAT)
    import_accounting()  # said before the work
    found = profile(scenario, at, seen=seen, limits=limits, progress=progress)
    return account_of(found, missions)


def account_of(found: Profile, missions: int) -> Account:
    """The same where the profile of one snapshot is known.

    Args:
        found: What one snapshot gives away.
        missions: How many missions.
    """
    _check_missions(missions)
    check_start(found.distributions.scenario, found.at, _WHAT)
    losses = [_directions(pair, missions) for pair in found.pairs]
    step = max(_step(distribution, missions) for both in losses for distribution in both)
    pairs = tuple(
        AccountPair(
            pair.neighbour, pair.team, (_sum(one, step, missions), _sum(other, step, missions))
        )
        for pair, (one, other) in zip(found.pairs, losses, strict=True)
    )
    points = 2 * max(  # a fast length is at most twice what is needed
        *(distribution.size for pair in pairs for distribution in pair.sums),
        *(math.ceil(distribution.span / step) + 2 for both in losses for distribution in both),
    )
    eta = 8 * SPACING * math.log2(points)
    rounding = math.sqrt(points) * (missions * (eta + 8 * SPACING) + eta)
    lost = found.distributions.computed.truncated_mass
    unit = found.distributions.own.unit
    return Account(found.at, int(missions), pairs, lost, step, rounding, found.relation, unit)


@dataclass(frozen=True)
class _Losses:
    """The privacy losses of one snapshot, from above."""

    values: Floats
    masses: Floats
    infinite: float  # the mass of infinite losses

    @property
    def span(self) -> float:
        return float(np.ptp(self.values)) if len(self.values) else 0.0

    @property
    def spread(self) -> float:
        """Their standard deviation."""
        if not len(self.values):
            return 0.0
        shares = self.masses / self.masses.sum()
        return float(np.sqrt(shares @ (self.values - shares @ self.values) ** 2))


def _directions(pair: PairProfile, missions: int) -> tuple[_Losses, _Losses]:
    p, q = pair.log_probabilities
    (a, b), (lost, lost_other) = pair.errors, pair.truncated_mass
    tail = _TAIL / missions
    return _losses(p, q, a, a + b, lost, tail), _losses(q, p, b, a + b, lost_other, tail)


def _losses(p: Floats, q: Floats, own: float, both: float, lost: float, tail: float) -> _Losses:
    """The losses of p against q with errors counted, and without those that hardly ever occur."""
    possible = p > -math.inf
    values = log_ratios(p, q)[possible]
    values = values + both + 4 * SPACING * np.where(np.isfinite(values), np.abs(values), 0.0)
    with np.errstate(under="ignore"):
        masses = np.exp(p[possible] + own)
    endless = np.isposinf(values)
    infinite = float(masses[endless].sum()) + lost
    order = np.argsort(values[~endless], kind="stable")
    values, masses = values[~endless][order], masses[~endless][order]
    high = len(masses) - int(np.searchsorted(np.cumsum(masses[::-1]), tail, side="right"))
    low = min(int(np.searchsorted(np.cumsum(masses), tail, side="right")), max(high - 1, 0))
    infinite += float(masses[high:].sum())
    kept = masses[low:high].copy()
    if len(kept):
        kept[0] += masses[:low].sum()
    return _Losses(values[low:high], kept, min(infinite, 1.0))


def _step(losses: _Losses, missions: int) -> float:
    """The finest step at which the distribution of the sum has not too many points.

    Beyond those points it has a mass of 1e-15 at most, by Chernoff's bound at the orders that
    dp-accounting tries, 1 to 20 over the span of one loss.
    """
    span, spread = losses.span, losses.spread
    if span == 0:
        return _STEP
    reach = 17 * spread * math.sqrt(missions) + 7 * span + 2 * missions * spread**2 / span
    return max(_STEP, min(reach, missions * span) / _POINTS)


def _sum(losses: _Losses, step: float, missions: int) -> Any:
    """The distribution of the sum, as a `PLDPmf` of dp-accounting's."""
    if not len(losses.values) or losses.infinite == 1:  # every loss is infinite, and so their sum
        return import_accounting().create_pmf({0: 0.0}, step, 1.0, True)
    below = np.floor(losses.values / step)
    upper = losses.masses * np.expm1(below * step - losses.values) / math.expm1(-step)
    upper = np.clip(upper, 0.0, losses.masses)
    both = np.concatenate([below, below + 1]).astype(np.int64)
    places, which = np.unique(both, return_inverse=True)
    masses = np.bincount(which, np.append(losses.masses - upper, upper), minlength=len(places))
    by_place = dict(zip(places.tolist(), masses.tolist(), strict=True))
    one = import_accounting().create_pmf(by_place, step, losses.infinite, True)
    # A table of losses is offered its size to the power of the missions, a number of any length.
    return (one if missions <= _FEW else one.to_dense_pmf()).self_compose(int(missions))


def import_accounting() -> Any:
    """The module, or how to install it."""
    try:
        from dp_accounting.pld import pld_pmf  # noqa: PLC0415  (optional, and a second)
    except ImportError:
        raise InputError(
            "several missions are accounted for by dp-accounting, which is not installed: "
            'pip install "covey[accounting]"'
        ) from None
    return pld_pmf


def _check_missions(missions: int) -> None:
    if not is_whole(missions) or missions < 1:
        raise InputError(f"missions is {shown(missions)}: a whole number of at least 1 is expected")
    if missions > _MOST:
        raise InputError(
            f"missions is {shown(missions)}: at most {_MOST:,} are accounted for, since rounding "
            "adds up to more than what is to be shown"
        )
