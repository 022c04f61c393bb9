"""How what is given away changes with the rates: of leakage, total variation and ε(δ), d/d ln θ.

With g_p = d ln p of every outcome (`dynamics.slopes`), for one neighbour and direction,

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
from covey.dynamics.sensitivity.distribution_derivatives import Slopes
from covey.errors import UnsupportedError
from covey.numbers import Floats, Ints, rows_in
from covey.privacy.snapshot.divergences import HockeyStick, aligned, hockey_stick, log_ratios
from covey.privacy.snapshot.output_distributions import TeamDistributions

_ALIKE = 1e-9  # relative: so near two are equally bad
_NOTHING = 1e-12  # of a logarithm: two probabilities are equal, but for rounding


@dataclass(frozen=True)
class PairSlopes:
    """Two laws over the same outcomes, and how both change: d ln p, (knobs, outcomes)."""

    log_p: Floats
    log_q: Floats
    slope_p: Floats
    slope_q: Floats

    @property
    def swapped(self) -> PairSlopes:
        """The other direction."""
        return PairSlopes(self.log_q, self.log_p, self.slope_q, self.slope_p)

    def excess(self, epsilon: float) -> tuple[Floats, Floats, Floats]:
        """P − e^ε q of every outcome, d of it, (knobs, outcomes), and e^ε q."""
        with np.errstate(under="ignore"):
            p, q = np.exp(self.log_p), np.exp(self.log_q + epsilon)
        return p - q, p * self.slope_p - q * self.slope_q, q


def team_slopes(laws: TeamDistributions, found: Slopes) -> list[PairSlopes]:
    """Of every pair of laws; refused where they are not those of the team and its neighbours."""
    scenario = laws.scenario
    if laws.others or scenario.release.mechanism is not None:
        raise UnsupportedError("derivatives are those of what is seen of the robots of the start")
    # Teams that symmetry maps onto each other share a law, and not how it changes.
    teams = [scenario.team, *(neighbour.team for neighbour, _ in laws.neighbours)]
    starts = [scenario.start_of(team) for team in teams]
    seen = [laws.team, *(law for _, law in laws.neighbours)]
    own, *others = found.of_laws(starts, laws.at, scenario.query, seen)
    return [
        pair_slopes(laws.team, law, own, other)
        for (_, law), other in zip(laws.neighbours, others, strict=True)
    ]


def pair_slopes(law: Distribution, other: Distribution, mine: Floats, theirs: Floats) -> PairSlopes:
    """Two laws side by side, from d ln p over the outcomes of each."""
    outcomes, log_p, log_q = aligned(law, other)
    return PairSlopes(log_p, log_q, _placed(outcomes, law, mine), _placed(outcomes, other, theirs))


def _placed(outcomes: Ints, law: Distribution, by_outcome: Floats) -> Floats:
    """The slopes of a law over more outcomes than it has."""
    placed = np.zeros((len(by_outcome), len(outcomes)))
    placed[:, rows_in(outcomes, law.outcomes)] = by_outcome
    return placed


def leakage_slopes(pairs: Sequence[PairSlopes], smoothing: float = 0.0) -> Floats:
    """D of the leakage: (knobs,); 0 where it is infinite, which no rate changes."""
    both = [smoothed(pair, smoothing) for pair in pairs]
    ratios = [log_ratios(pair.log_p, pair.log_q) for pair in both]
    worst = max(float(np.abs(ratio).max(initial=0.0)) for ratio in ratios)
    if not np.isfinite(worst):
        return np.zeros(len(pairs[0].slope_p))
    near = worst * (1 - _ALIKE) - _NOTHING
    found = []
    for pair, ratio in zip(both, ratios, strict=True):
        at = np.abs(ratio) >= near
        slope = (pair.slope_p - pair.slope_q)[:, at]
        even = np.abs(ratio[at]) <= _NOTHING  # whichever way it goes, it grows
        found.append(np.where(even, np.abs(slope), np.sign(ratio[at]) * slope))
    return np.asarray(np.concatenate(found, axis=1).max(axis=1))


def total_variation_slopes(pairs: Sequence[PairSlopes]) -> Floats:
    """D of the total variation: (knobs,)."""
    apart = [hockey_stick(pair.log_p, pair.log_q, 0.0) for pair in pairs]
    near = max(apart) * (1 - _ALIKE) - _NOTHING
    found = [_total(pair, 0.0) for pair, one in zip(pairs, apart, strict=True) if one >= near]
    return np.asarray(np.max(found, axis=0))


def epsilon_slopes(pairs: Sequence[PairSlopes], delta: float) -> Floats:
    """D of ε(δ): (knobs,); 0 where ε is 0 or infinite."""
    if delta == 0:
        return leakage_slopes(pairs)
    both = [one for pair in pairs for one in (pair, pair.swapped)]
    values = [HockeyStick(pair.log_p, pair.log_q).epsilon(delta) for pair in both]
    worst = max(values)
    if not 0 < worst < np.inf:
        return np.zeros(len(pairs[0].slope_p))
    found = []
    for pair, value in zip(both, values, strict=True):
        if value >= worst * (1 - _ALIKE):
            less, _, q = pair.excess(value)
            found.append(_total(pair, value) / q[less > 0].sum())
    return np.asarray(np.max(found, axis=0))


def _total(pair: PairSlopes, epsilon: float) -> Floats:
    """D Σ (p − e^ε q)₊ at a fixed ε: what is 0 now counts as far as it grows."""
    value, slope, q = pair.excess(epsilon)
    even = np.abs(value) <= _NOTHING * q
    over = (value > 0) & ~even
    return np.asarray(slope[:, over].sum(axis=1) + slope[:, even].clip(0.0).sum(axis=1))


def smoothed(pair: PairSlopes, smoothing: float) -> PairSlopes:
    """Of p + ν instead of p."""
    if not smoothing:
        return pair
    log_p, log_q = (np.logaddexp(log, np.log(smoothing)) for log in (pair.log_p, pair.log_q))
    with np.errstate(under="ignore"):
        share_p, share_q = np.exp(pair.log_p - log_p), np.exp(pair.log_q - log_q)
    return PairSlopes(log_p, log_q, share_p * pair.slope_p, share_q * pair.slope_q)
