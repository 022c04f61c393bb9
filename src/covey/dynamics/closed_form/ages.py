"""The ages at which a robot that arrived is looked at, so close that little is missed in between.

q(s) is the law of one robot at the age s, for each of several types. Between two ages, h apart,

    q(s) = (1 − θ) q(a) + θ q(a + h) + r,     |r| ≤ h²/8 max |q''|,     q'' = K² q,

and |K² q(s)|, the sum of its entries' sizes, never grows with s, as exp(K s) shortens no sum less
than it: it is taken at a. r adds up to zero, so half of |r| is the largest probability by which
any event can differ from a mixture of what it is at a and at a + h. Whatever is a convex function
of the laws (δ(ε), total variation) is then at most the larger of both ends, and that probability
for each law. It is the same for what is seen of the robot among independent others.

The last age is that by which a robot of any type is gone, but for the same probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from covey.dynamics.closed_form.one_robot import OneRobot
from covey.dynamics.transient import transient
from covey.errors import UnsupportedError

_MARGIN = 0.999  # for the rounding of steps and laws
_MOST = 5_000


def ages(robot: OneRobot, sources: Sequence[Mapping[int, float]], between: float) -> list[float]:
    """From 0 on, so close that no law is further than `between` from a mixture of its neighbours.

    Args:
        robot: The chain of one robot.
        sources: For each type the species at which its robots arrive, in which proportions.
        between: A probability.
    """
    chains = [robot.chain_from(source) for source in sources]
    passing = [np.array([not robot.stays(i) for i in places]) for places, _, _ in chains]
    laws = [start for _, _, start in chains]
    found = [0.0]
    while True:
        left = max(float(law[on].sum()) for law, on in zip(laws, passing, strict=True))
        if left <= between * _MARGIN:
            return found
        bend = max(
            float(np.abs(chain.product(chain.product(law))).sum())
            for (_, chain, _), law in zip(chains, laws, strict=True)
        )
        step = _MARGIN * math.sqrt(16 * between / bend)
        if len(found) == _MOST or found[-1] + step == found[-1]:
            raise UnsupportedError(
                f"at the age {found[-1]:.3g} a robot that arrived is still there with probability "
                f"{left:.3g}, and more ages than {_MOST:,} would have to be looked at"
            )
        found.append(found[-1] + step)
        laws = [
            transient(chain, law, [step]).probabilities[0]
            for (_, chain, _), law in zip(chains, laws, strict=True)
        ]
