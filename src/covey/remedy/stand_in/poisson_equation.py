"""What lies ahead of each state of a chain, up to a constant: h with Q h = g − reward.

The mean g is not needed where h is used. By factors where there are few states: (α − Q) h = reward
is solved for a small α, which also holds where states fall into classes that never meet. Else h and
g are found together, with h of the first state 0, by GMRES [1] with each row scaled by its rate:
that takes some thirty to a hundred products, where plain iteration takes thousands.

[1] Y. Saad, M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric
    linear systems, SIAM J. Sci. Stat. Comput. 7 (1986).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.errors import UnsupportedError
from covey.numbers import Floats

_FACTORED = 6_000  # states: beyond, products take less time than factors
_PATIENCE = 1e-6  # α, beside the mean rate out of a state
_LEFT = 1e-5  # of the reward: what may be left of it
_BASIS = 20  # vectors between two restarts
_RESTARTS = 15
_TOO_SMALL = (
    "the rates are too near to 0 to price a stand-in in doubles: give them in a longer unit of time"
)


def lies_ahead(generator: Any, reward: Floats, before: Floats) -> Floats:
    """The solution; 0 for the first state.

    Args:
        generator: Q, a sparse array with the rates out of each state in its row.
        reward: What each state counts while it lasts.
        before: A guess.
    """
    from scipy.sparse import eye_array  # noqa: PLC0415
    from scipy.sparse.linalg import splu  # noqa: PLC0415

    exits = -generator.diagonal()
    if len(reward) <= _FACTORED:
        patience = _PATIENCE * (float(exits.mean()) or 1.0)  # where nothing moves, any will do
        try:
            ahead = splu((patience * eye_array(len(reward)) - generator).tocsc()).solve(reward)
        except RuntimeError:  # a factor is exactly singular: α is 0 in doubles
            raise UnsupportedError(_TOO_SMALL) from None
    else:
        ahead = _by_products(generator, reward, before, np.where(exits > 0, exits, 1.0))
    if not np.isfinite(ahead).all():
        raise UnsupportedError(_TOO_SMALL)
    return np.asarray(ahead - ahead[0])


def _by_products(generator: Any, reward: Floats, before: Floats, exits: Floats) -> Floats:
    """(g − Q h) / exits = reward / exits and h_0 = 0, for h and g."""
    from scipy.sparse.linalg import LinearOperator, gmres  # noqa: PLC0415

    n = len(reward)

    def product(both: Floats) -> Floats:
        return np.append((both[n] - generator @ both[:n]) / exits, both[0])

    guess = np.append(before - before[0], float((reward + generator @ before).mean()))
    scaled = LinearOperator((n + 1, n + 1), matvec=product, dtype=np.float64)
    found, _ = gmres(
        scaled, np.append(reward / exits, 0.0), guess, rtol=_LEFT, restart=_BASIS, maxiter=_RESTARTS
    )
    return np.asarray(found[:n])
