"""Maximal leakage [1]: by how much any guess about any function of the secret can get better.

    log Σ_y max_h P(y|h)

over the team and all that it is compared with at once; over a set of teams, over all of them. It is
0 where all show the same, and at most the log of their number. Mass m_h that was left out of P(·|h)
adds between 0 and Σ_h m_h to the sum.

[1] Issa, Wagner, Kamath, An operational approach to information leakage, IEEE T-IT 66 (2020).
"""

from __future__ import annotations

import math

import numpy as np

from covey.numbers import SPACING, distinct_rows
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.pair_profile import Interval


def maximal_leakage(distributions: TeamDistributions) -> tuple[float, Interval]:
    """Of all teams of a set at once, or the largest over all ages; and its bounds."""
    every = distributions.every
    questions = [every] if distributions.relation.teams else [(one,) for one in every]
    found = [_of_one(parts, distributions.between) for parts in questions]
    value, low, high = (max(one[i] for one in found) for i in range(3))
    return value, (low, high)


def _of_one(parts: tuple[TeamDistributions, ...], between: float) -> tuple[float, float, float]:
    compared = {id(d): d for part in parts for d in (part.team, *(d for _, d in part.neighbours))}
    every = list(compared.values())
    _, place = distinct_rows(np.concatenate([one.outcomes for one in every]))
    most = np.zeros(int(place.max(initial=-1)) + 1)
    np.maximum.at(most, place, np.concatenate([one.probabilities for one in every]))
    total, lost = math.fsum(most.tolist()), sum(one.truncated_mass for one in every)
    off = max(one.log_error for one in every) + SPACING * 8
    low = max(math.log(total) - off, 0.0)
    high = min(math.log(total + lost + between * len(every)) + off, math.log(len(every)))
    return min(max(math.log(total + lost), 0.0), math.log(len(every))), low, max(low, high)
