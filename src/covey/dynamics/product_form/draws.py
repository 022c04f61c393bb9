"""States drawn from the product form, exactly.

Every positive point that balances the network serves as c; take the one x̄ that has the team's own
totals. Choose for each root r the species r itself, whose count follows from the others z by what
they need of it: b_r − (z·needs)_r. Then, up to a factor,

    π(z) = ∏ Poisson(z_v; x̄_v) · ∏_r Poisson(b_r − (z·needs)_r; x̄_r),

so draw the z independently, and keep them with the probability of the second product over what it
can be at most [1]. Counts spread like the roots of their means, so that of n robots in few states a
share is kept that does not depend on n.

[1] J. von Neumann, Various techniques used in connection with random digits, 1951.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics.mean_field.equilibrium import conservation_multipliers
from covey.dynamics.product_form.elimination.poisson_weights import log_factorial
from covey.dynamics.product_form.product_form import ProductForm
from covey.errors import TooLargeError
from covey.numbers import Floats, Ints

_BATCH = 4096
_MOST_TRIED = 20_000_000


def draw_states(form: ProductForm, start: Ints, count: int, random: np.random.Generator) -> Ints:
    """So many states of a team at steady state: (count, species).

    Args:
        form: The closed form of its network.
        start: How many of each species there are at first.
        count: How many are drawn.
        random: Where randomness comes from.
    """
    out: Ints = np.tile(start, (count, 1)).astype(np.int64)
    roots = form.roots_of(start)
    if not roots.species:
        return out
    place = np.array([form.network.index[species] for species in roots.species])
    totals = start[place] @ roots.needs
    laws = roots.needs.T.astype(float)
    multipliers = conservation_multipliers(form.log_c[place], laws, totals.astype(float))
    means = np.exp(form.log_c[place] + multipliers @ laws)
    own = _own_species(roots.needs, means)
    free = np.setdiff1d(np.arange(len(place)), own)
    found = tried = 0
    while found < count:
        if tried >= _MOST_TRIED:
            raise TooLargeError(
                f"{found:,} of {count:,} states were drawn from the steady state in {tried:,} "
                "tries: ask for fewer paths"
            )
        drawn = random.poisson(means[free], (_BATCH, len(free)))
        left = totals - drawn @ roots.needs[free]
        kept = np.log(random.random(_BATCH)) < _log_share(left, means[own])
        kept[np.cumsum(kept) > count - found] = False
        rows = np.arange(found, found + int(kept.sum()))
        out[np.ix_(rows, place[free])] = drawn[kept]
        out[np.ix_(rows, place[own])] = left[kept]
        found, tried = found + len(rows), tried + _BATCH
    return out


def _own_species(needs: Ints, means: Floats) -> Ints:
    """For each root a species that falls apart into it alone: the one of the largest mean."""
    alone = [np.flatnonzero((needs == row).all(axis=1)) for row in np.eye(needs.shape[1])]
    return np.array([rows[np.argmax(means[rows])] for rows in alone], dtype=np.int64)


def _log_share(left: Ints, means: Floats) -> Floats:
    """`ln` of ∏ Poisson(left; means), over what that is at most; −∞ where one is negative."""
    modes = np.floor(means)
    counts = np.maximum(left, 0)
    logs = (counts - modes) * np.log(means) - log_factorial(counts) + log_factorial(modes)
    return np.where((left < 0).any(axis=1), -np.inf, np.asarray(logs, dtype=float).sum(axis=1))
