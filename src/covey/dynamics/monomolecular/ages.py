"""The ages at which a robot that arrived is looked at, so close that little is missed in between.

q(s) is the distribution of one robot at the age s, for each of several types. Between two ages, h
apart,

    q(s) = (1 − θ) q(a) + θ q(a + h) + r,     |r| ≤ h²/8 max |q''|,     q'' = K² q,

and |K² q(s)|, the sum of its entries' sizes, never grows with s, as exp(K s) shortens no sum less
than it: it is taken at a. r adds up to zero, so half of |r| is the largest probability by which any
event can differ from a mixture of what it is at a and at a + h. Whatever is a convex function of
the distributions (δ(ε), total variation) is then at most the larger of both ends, and that
probability for each distribution. It is the same for what is seen of the robot among independent
others.

The last age is that by which a robot of any type is gone, but for the same probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propagator import MAX_STATES, propagator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.monomolecular.one_robot import OneRobot
from covey.errors import UnsupportedError
from covey.numbers import Floats
from covey.words import rounded

_MARGIN = 0.999  # for the rounding of steps and distributions
_MANY_JUMPS = 1_000.0
_MOST = 500
_TOO_FAR = (
    "the rates lie too far apart to follow a robot from its arrival until it leaves. Leave out "
    "reactions that hardly ever happen, or ask for a time instead"
)


def ages(robot: OneRobot, sources: Sequence[Mapping[int, float]], between: float) -> list[float]:
    """From 0 on, so close that each is at most `between` from a mixture of its neighbours.

    Args:
        robot: The chain of one robot.
        sources: For each type the species at which its robots arrive, in which proportions.
        between: A probability.
    """
    chains = [robot.chain_from(source) for source in sources]
    passing = [np.array([not robot.stays(i) for i in places]) for places, _, _ in chains]
    distributions = [start for _, _, start in chains]
    found = [0.0]
    while True:
        left = max(
            float(distribution[on].sum())
            for distribution, on in zip(distributions, passing, strict=True)
        )
        if left <= between * _MARGIN:
            return found
        bend = max(
            float(np.abs(chain.product(chain.product(distribution))).sum())
            for (_, chain, _), distribution in zip(chains, distributions, strict=True)
        )
        step = _MARGIN * math.sqrt(16 * between / bend)
        if len(found) == _MOST or found[-1] + step == found[-1]:
            raise UnsupportedError(
                f"after {len(found):,} ages, up to {rounded(found[-1], '.3g', 'up')}, a robot "
                "that arrived is still "
                f"there with probability {left:.3g}: {_TOO_FAR}"
            )
        found.append(found[-1] + step)
        distributions = [
            _moved(chain, distribution, step)
            for (_, chain, _), distribution in zip(chains, distributions, strict=True)
        ]


def _moved(chain: Generator, distribution: Floats, step: float) -> Floats:
    """On by a step: as a matrix where rates are so far apart that there are very many jumps."""
    moved: Floats
    if step * float(chain.exits.max()) <= _MANY_JUMPS or len(chain) > MAX_STATES:
        moved = transient(chain, distribution, [step]).probabilities[0]
        return moved
    found = propagator(chain, step)
    if found is None or found.error > (1 - _MARGIN) / 10:
        raise UnsupportedError(_TOO_FAR)
    moved = distribution @ found.matrix
    return moved
