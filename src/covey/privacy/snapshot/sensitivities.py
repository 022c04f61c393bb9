"""How what is given away changes with the rates: of leakage, total variation and ε(δ), d/d ln θ.

With g_p = d ln p of every outcome (`dynamics.sensitivities`), for one neighbour and direction,

    leakage    ln p/q at the worst outcome      g_p − g_q there
    TV         Σ (p − q)₊                       Σ (p g_p − q g_q) over all p > q
    ε(δ)       Σ (p − e^ε q)₊ = δ               Σ (p g_p − e^ε q g_q) / Σ e^ε q over all p > e^ε q

What is given away is the worst of neighbours and directions, and has a kink where two are equally
bad, as teams that are alike are: these are derivatives *as the rate grows*, the largest of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.sensitivity.distribution_derivatives import Sensitivities
from covey.errors import UnsupportedError
from covey.numbers import Floats, Ints, rows_in
from covey.privacy.cases import cases_of
from covey.privacy.snapshot.divergences import HockeyStick, aligned, hockey_stick, log_ratios
from covey.privacy.snapshot.output_distributions import TeamDistributions

_ALIKE = 1e-9  # relative: so near two are equally bad
_NOTHING = 1e-12  # of a logarithm: two probabilities are equal, but for rounding


@dataclass(frozen=True)
class PairSensitivities:
    """Two distributions over the same outcomes, and how both change: d ln p, (knobs, outcomes)."""

    log_p: Floats
    log_q: Floats
    sensitivity_p: Floats
    sensitivity_q: Floats

    @property
    def swapped(self) -> PairSensitivities:
        """The other direction."""
        return PairSensitivities(self.log_q, self.log_p, self.sensitivity_q, self.sensitivity_p)

    def excess(self, epsilon: float) -> tuple[Floats, Floats, Floats]:
        """`p − e^ε q` of every outcome, `d` of it, (knobs, outcomes), and e^ε q."""
        with np.errstate(under="ignore"):
            p, q = np.exp(self.log_p), np.exp(self.log_q + epsilon)
        return p - q, p * self.sensitivity_p - q * self.sensitivity_q, q


def team_sensitivities(
    distributions: TeamDistributions, found: Sensitivities
) -> list[PairSensitivities]:
    """Of every pair; refused where they are not those of the team and its neighbours."""
    scenario = distributions.scenario
    followed = distributions.own.adversary.follow is not None  # in another network
    if distributions.others or followed or scenario.release.instead is not None:
        raise UnsupportedError("derivatives are those of what is seen of the robots of the start")
    # Teams that symmetry maps onto each other share a distribution, and not how it changes.
    cases = cases_of(scenario, (one for one, _ in distributions.neighbours))
    if any(case.at is not None or case.network != scenario.network for case in cases):
        raise UnsupportedError("derivatives are those of teams in one network, at one moment")
    starts = [np.array(case.start) for case in cases]
    seen = [distributions.team, *(distribution for _, distribution in distributions.neighbours)]
    own, *others = found.of_distributions(starts, distributions.at, scenario.query, seen)
    return [
        pair_sensitivities(distributions.team, distribution, own, other)
        for (_, distribution), other in zip(distributions.neighbours, others, strict=True)
    ]


def pair_sensitivities(
    distribution: Distribution, other: Distribution, mine: Floats, theirs: Floats
) -> PairSensitivities:
    """Two distributions side by side, from d ln p over the outcomes of each."""
    outcomes, log_p, log_q = aligned(distribution, other)
    return PairSensitivities(
        log_p, log_q, _placed(outcomes, distribution, mine), _placed(outcomes, other, theirs)
    )


def _placed(outcomes: Ints, distribution: Distribution, by_outcome: Floats) -> Floats:
    """The sensitivities of a distribution over more outcomes than it has."""
    placed = np.zeros((len(by_outcome), len(outcomes)))
    placed[:, rows_in(outcomes, distribution.outcomes)] = by_outcome
    return placed


def leakage_sensitivities(pairs: Sequence[PairSensitivities], smoothing: float = 0.0) -> Floats:
    """`d` of the leakage: (knobs,); 0 where it is infinite, which no rate changes."""
    both = [smoothed(pair, smoothing) for pair in pairs]
    ratios = [log_ratios(pair.log_p, pair.log_q) for pair in both]
    worst = max(float(np.abs(ratio).max(initial=0.0)) for ratio in ratios)
    if not np.isfinite(worst):
        return np.zeros(len(pairs[0].sensitivity_p))
    near = worst * (1 - _ALIKE) - _NOTHING
    found = []
    for pair, ratio in zip(both, ratios, strict=True):
        at = np.abs(ratio) >= near
        sensitivity = (pair.sensitivity_p - pair.sensitivity_q)[:, at]
        even = np.abs(ratio[at]) <= _NOTHING  # whichever way it goes, it grows
        found.append(np.where(even, np.abs(sensitivity), np.sign(ratio[at]) * sensitivity))
    return np.asarray(np.concatenate(found, axis=1).max(axis=1))


def total_variation_sensitivities(pairs: Sequence[PairSensitivities]) -> Floats:
    """`d` of the total variation: (knobs,)."""
    apart = [hockey_stick(pair.log_p, pair.log_q, 0.0) for pair in pairs]
    near = max(apart) * (1 - _ALIKE) - _NOTHING
    found = [_total(pair, 0.0) for pair, one in zip(pairs, apart, strict=True) if one >= near]
    return np.asarray(np.max(found, axis=0))


def epsilon_sensitivities(pairs: Sequence[PairSensitivities], delta: float) -> Floats:
    """`d ε(δ)`: (knobs,); 0 where ε is 0 or infinite."""
    if delta == 0:
        return leakage_sensitivities(pairs)
    both = [one for pair in pairs for one in (pair, pair.swapped)]
    values = [HockeyStick(pair.log_p, pair.log_q).epsilon(delta) for pair in both]
    worst = max(values)
    if not 0 < worst < np.inf:
        return np.zeros(len(pairs[0].sensitivity_p))
    found = []
    for pair, value in zip(both, values, strict=True):
        if value >= worst * (1 - _ALIKE):
            less, _, q = pair.excess(value)
            found.append(_total(pair, value) / q[less > 0].sum())
    return np.asarray(np.max(found, axis=0))


def _total(pair: PairSensitivities, epsilon: float) -> Floats:
    """`d Σ (p − e^ε q)₊` at a fixed ε: what is 0 now counts as far as it grows."""
    value, sensitivity, q = pair.excess(epsilon)
    even = np.abs(value) <= _NOTHING * q
    over = (value > 0) & ~even
    return np.asarray(sensitivity[:, over].sum(axis=1) + sensitivity[:, even].clip(0.0).sum(axis=1))


def smoothed(pair: PairSensitivities, smoothing: float) -> PairSensitivities:
    """Of p + ν instead of p."""
    if not smoothing:
        return pair
    log_p, log_q = (np.logaddexp(log, np.log(smoothing)) for log in (pair.log_p, pair.log_q))
    with np.errstate(under="ignore"):
        share_p, share_q = np.exp(pair.log_p - log_p), np.exp(pair.log_q - log_q)
    return PairSensitivities(
        log_p, log_q, share_p * pair.sensitivity_p, share_q * pair.sensitivity_q
    )
