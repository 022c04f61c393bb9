"""What lies ahead of each state of a chain, up to a constant: h with Q h = g − reward.

The mean g is not needed where h is used: (α − Q) h = reward is solved for a small α, which also
holds where states fall into classes that never meet. By factors where there are few states, else
by products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.numbers import Floats

_FACTORED = 6_000  # states: beyond, products take less time than factors
_PATIENCE = 1e-6  # α, beside the mean rate out of a state
_PRODUCTS = 400


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
        patience = _PATIENCE * float(exits.mean())
        ahead = splu((patience * eye_array(len(reward)) - generator).tocsc()).solve(reward)
    else:
        ahead, pace = before, 1 / float(exits.max())
        for _ in range(_PRODUCTS):
            ahead = ahead + pace * (reward + generator @ ahead)
            ahead = ahead - ahead[0]
    return np.asarray(ahead - ahead[0])
