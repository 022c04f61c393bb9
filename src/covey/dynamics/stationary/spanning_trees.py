"""The weight of all spanning trees of chains, rooted at each of their states.

By the Markov chain tree theorem p(x) = N(x) / Σ N, where N(x) sums the products of n − 1 rates over
all trees that lead to x: a polynomial in the rates whose coefficients are positive. Elimination
(GTH) finds it without a subtraction: N(0) is the product of the rates out of the censored states.
"""

from __future__ import annotations

import numpy as np

from covey.errors import UnsupportedError
from covey.numbers import Floats


def log_spanning_trees(rates: Floats) -> Floats:
    """`ln N(x)` of every state of irreducible chains: (chains, states).

    Args:
        rates: From a state to another, (chains, states, states); it is not kept.
    """
    states = rates.shape[1]
    logs = np.zeros(len(rates))
    with np.errstate(all="ignore"):  # what goes out of range is seen below
        for k in range(states - 1, 0, -1):
            out = rates[:, k, :k].sum(axis=1)
            logs += np.log(out)
            rates[:, :k, k] /= out[:, None]
            rates[:, :k, :k] += rates[:, :k, k, None] * rates[:, k, None, :k]
        found = np.ones((len(rates), states))
        for k in range(1, states):
            found[:, k] = (found[:, :k] * rates[:, :k, k]).sum(axis=1)
        trees = np.log(found) + logs[:, None]
    if not np.isfinite(trees).all():
        raise UnsupportedError("the rates of the chain are too far apart for sums over its trees")
    return trees
