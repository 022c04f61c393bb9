"""The adversary's best guess: how often whoever looks once names the team rightly.

With the prior π over the team and its neighbours, and their distributions P,

    success = Σ_y max_h π(h) P(y|h),      leakage = log2(success / max_h π(h))   bits

the second being min-entropy leakage [1]. What a distribution has lost is taken to give its team
away, Σ_h π(h) lost(h) is added: `success` is then an upper bound. Between two hypotheses that weigh
the same it is (1 + TV)/2 (`binary_success`), which profiles, streams and audits have as
`bayes_success`.

[1] Smith, On the foundations of quantitative information flow, FoSSaCS 2009.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covey.model.observation.adversary import Moment
from covey.privacy.prior import TEAM, name_of, prior_over
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.words import rounded, when


def binary_success(total_variation: float) -> float:
    """How often the best test of two hypotheses that weigh the same is right."""
    return (1 + total_variation) / 2


@dataclass(frozen=True)
class Guess:
    """How well the best guess does.

    Attributes:
        at: The moment: a time, or "steady".
        prior: The probability of every hypothesis before the snapshot.
        success: How often the guess is right; from above where mass was lost.
        log_error: Ln `success` is known up to this.
        unit: The unit of time, where it is known.
    """

    at: Moment
    prior: Mapping[str, float]
    success: float
    log_error: float
    unit: str | None = None

    @property
    def blind(self) -> float:
        """How well it does without looking: the prior's largest."""
        return max(self.prior.values())

    @property
    def bits(self) -> float:
        """Min-entropy leakage: by how many bits one snapshot makes the guess easier."""
        return max(math.log2(self.success / self.blind), 0.0)

    def __str__(self) -> str:
        possible = sum(weight > 0 for weight in self.prior.values())
        return (
            f"One snapshot {when(self.at, self.unit)}: someone who guesses which of {possible} "
            f"teams this is, is right at most {rounded(self.success, '.3g%', 'up')} of the time; "
            f"without looking, {rounded(self.blind, '.3g%')} ({self.bits:.3g} bits)."
        )


def best_guess(distributions: TeamDistributions, prior: Mapping[str, float] | None = None) -> Guess:
    """The best guess among the team and its neighbours; `hypotheses` says what a prior may be.

    About a robot that arrives it is that at the age at which two types are told apart best.
    """
    neighbours = [neighbour for neighbour, _ in distributions.neighbours]
    named = {TEAM: None} | {name_of(one): one for one in neighbours}
    weights = prior_over(named, prior, distributions.own.protected)
    every = {TEAM: distributions.team} | {
        name_of(neighbour): distribution for neighbour, distribution in distributions.neighbours
    }
    names = [name for name, weight in weights.items() if weight > 0]
    _, place = np.unique(
        np.concatenate([every[name].outcomes for name in names]), axis=0, return_inverse=True
    )
    best = np.full(int(place.max()) + 1, -np.inf)  # ln max_h π(h) P(y|h), per outcome
    logs = [every[name].log_probabilities + math.log(weights[name]) for name in names]
    np.maximum.at(best, place.ravel(), np.concatenate(logs))
    lost = math.fsum(weights[name] * every[name].truncated_mass for name in names)
    with np.errstate(under="ignore"):
        success = min(float(np.exp(best).sum()) + lost, 1.0)
    error = max(every[name].log_error for name in names)
    return Guess(distributions.at, weights, success, error, distributions.own.unit)
