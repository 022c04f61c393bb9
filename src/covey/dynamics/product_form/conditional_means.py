"""What is there on average where something is seen, E[z | y], of several teams at once.

The states of all of them are listed once (`many_teams`), which takes as long as one distribution by
elimination; then every team takes a look-up, and a sum for each variable:

    d ln P(y)  =  Σ_v g_v (E[z_v | y] − E z_v),

over the lumps z of species that nobody tells apart. Their ln c moves by the mean of theirs, and is
taken relative to that of the pivots, whose counts follow from the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.distribution import Distribution
from covey.dynamics.product_form.many_teams import family_of
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.product_form.sensitivities import balance_sensitivities
from covey.model.observation.query import Query
from covey.numbers import Floats, Ints, rows_in

_NEVER = -1e300  # ln of what cannot be: −inf minus −inf would be no number


class ListedMeans:
    """The derivatives of some teams' distributions; refuses where states cannot be listed.

    Args:
        form: The closed form.
        starts: Of the teams that will be asked for, (species,) each.
        query: What is seen of them.
        moved: How ln κ of every reaction moves with each knob, (knobs, reactions).
    """

    def __init__(
        self, form: ProductForm, starts: Sequence[Ints], query: Query, moved: Floats
    ) -> None:
        largest: Ints = np.max(starts, axis=0)
        self.family, self.needs, self.offsets = family_of(form, largest, query)
        sensitivities = balance_sensitivities(form.structure, moved)
        shown = query.matrix(form.network).T - self.offsets  # (species, sums), as the family has it

        def mean(needs: Ints, seen: Ints) -> Floats:
            """`d ln c` of the species that are alike: (knobs,)."""
            same: NDArray[np.bool_] = (self.needs == needs).all(axis=1)
            same &= (shown == seen).all(axis=1)
            weights = np.exp(form.log_c[same] - form.log_c[same].max())
            return np.asarray(sensitivities[:, same] @ weights / weights.sum())

        nothing = np.zeros(shown.shape[1], dtype=np.int64)
        roots = np.eye(self.needs.shape[1], dtype=np.int64)
        pivots = np.array([mean(root, nothing) for root in roots])  # (roots, knobs)
        own = [mean(*one) for one in zip(self.family.needs, self.family.seen, strict=True)]
        self.sensitivities = (np.array(own).reshape(-1, len(moved)) - self.family.needs @ pivots).T

    def of_distribution(self, start: Ints, distribution: Distribution) -> Floats:
        """`d ln P` of every outcome of a team's distribution: (knobs, outcomes)."""
        family = self.family
        logs = np.maximum(family.log_weights(start @ self.needs), _NEVER)
        tops = np.maximum.reduceat(logs, family.first)
        with np.errstate(under="ignore"):  # relative to the largest of the same outcome
            weights = np.exp(logs - np.repeat(tops, family.lengths))
            shares = np.exp(tops - tops.max())
        totals = family.gather(weights)
        means = np.array([family.gather(weights * z) / totals for z in family.states.T])
        shares *= totals / (shares @ totals)
        found = self.sensitivities @ (means - (means @ shares)[:, None])
        outcomes = family.outcomes + start @ self.offsets
        return np.asarray(found[:, rows_in(outcomes, distribution.outcomes)])
