"""The closed form of a network that capacities confine: that without them, as far as they allow.

On the states with w·x ≤ K the weights are those of the network without gates (`capacities`), so

    p(y)  =  Σ_{g ≤ K} P(y, g) / Σ_{g ≤ K} P(g),       g = w·x,

where P is the product form without gates, of which g is seen besides. Where K binds, what is within
it is a far tail of P. So P is taken at c_i exp(−s w_i) instead of c_i, with the s ≥ 0 that brings
the mean of g to K, and every outcome is weighed by exp(s (g − K)) ≤ 1 afterwards: the same weights.
No count goes further than K allows it by itself.

If a share of at most t of P was left out, S = 1 of the rest was found, and U of it is left after
weighing, then at most R = t / (1 − t) of what was left out is still there: a share of R / (U + R).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from covey.dynamics.distribution import Distribution
from covey.dynamics.mean_field.equilibrium import conservation_multipliers
from covey.dynamics.product_form.elimination.convolve import MAX_ROWS
from covey.dynamics.product_form.elimination.poisson_weights import Wide
from covey.dynamics.product_form.product_form import Prepared, ProductForm, check_tolerance
from covey.dynamics.validation import check_start
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.observation.observed_sum import ObservedSum
from covey.model.observation.query import Query
from covey.model.structure.capacities import all_reached, capped
from covey.numbers import SPACING, Floats, Ints

_GRID = 2.0**20  # s are whole multiples of its inverse: what is taken away comes back exactly
_SWEEPS = 3  # over capacities that push each other
_SPARE = 1e-3  # of a tolerance, for what is left out before weighing


class CappedForm:
    """The closed form of one network with gates; refuses what is none with `UnsupportedError`.

    Args:
        network: A network whose rate laws are mass action and gates.
    """

    why = "reversible within capacities: the steady state has a closed form"

    def __init__(self, network: Network) -> None:
        found = capped(network)
        if found is None:
            raise UnsupportedError("no reversible network that gates confine to capacities")
        self.capacities, self.error = found.capacities, found.error
        self.form = ProductForm(found.structure)
        self.rows: Ints = np.array([one.row(self.form.network) for one in found.capacities])
        self.most: Ints = np.array([one.most for one in found.capacities], dtype=np.int64)

    def prepare(
        self,
        start: ArrayLike,
        query: Query | None = None,
        *,
        tolerance: float | None = None,
        max_rows: int = MAX_ROWS,
        max_written: float | None = None,
    ) -> Prepared:
        """As `ProductForm.prepare`: whatever would be refused is refused here."""
        network, whole = self.form.network, query or Query()
        whole.check(network)
        check_tolerance(tolerance)
        state = check_start(network, start)
        live = self._checked(state)
        tilt = self._tilt(state) if live else np.zeros(len(self.most))
        beside = self._beside(whole)
        most = dict(zip(list(beside.sums)[-len(tilt) :], self.most.tolist(), strict=True))
        log_c = self.form.log_c.astype(Wide) - tilt.astype(Wide) @ self.rows
        prepared = self.form.at_point(log_c, most).prepare(
            state, beside, max_rows=max_rows, max_written=max_written,
            tolerance=None if tolerance is None else _SPARE * tolerance,
        )  # fmt: skip
        steps = 2 * int((state[:, None] * self._needs(state)).sum())

        def distribution() -> Distribution:
            found = self._within(prepared.distribution(), whole, tilt, 4 * steps * self.error)
            if tolerance is not None and found.truncated_mass > tolerance:
                raise UnsupportedError(
                    f"capacities leave {found.truncated_mass:.1g} uncertain, more than the "
                    f"tolerance of {tolerance:.1g}: take a larger one"
                )
            return found

        return Prepared(distribution, prepared.certain)

    def _checked(self, start: Ints) -> bool:
        """Whether anything can happen; refuses where it is not certain what can be reached."""
        for one, now in zip(self.capacities, self.rows @ start, strict=True):
            if now > one.most:
                raise UnsupportedError(f"the start is outside the capacity {one}")
        live = self.form.structure.live(start.tolist())
        if live is not None and not all_reached(live, self.capacities):
            raise UnsupportedError(
                "it is not certain that every state within the capacities can be reached"
            )
        return live is not None

    def _needs(self, start: Ints) -> Ints:
        """How much of each root every species needs: (species, roots); nothing if it is still."""
        roots, network = self.form.roots_of(start), self.form.network
        needs = np.zeros((len(network.species), roots.needs.shape[1]), dtype=np.int64)
        needs[[network.index[s] for s in roots.species]] = roots.needs
        return needs

    def _tilt(self, start: Ints) -> Floats:
        """The s of every capacity: any would do, these lose least. (capacities,)."""
        needs = self._needs(start)
        live = needs.any(axis=1)
        laws, rows = needs[live].T.astype(float), self.rows[:, live].astype(float)
        totals = (start @ needs).astype(float)
        room = self.most - self.rows[:, ~live] @ start[~live] + 0.5  # inside of what can be
        tilt = np.zeros(len(self.most))
        for k in list(range(len(tilt))) * (_SWEEPS if len(tilt) > 1 else 1):
            tilt[k] = 0.0
            log_c = self.form.log_c[live] - tilt @ rows
            mean = np.exp(log_c + conservation_multipliers(log_c, laws, totals) @ laws)
            if rows[k] @ mean > room[k]:
                both = np.vstack([laws, rows[k]]), np.append(totals, room[k])
                needed = -float(conservation_multipliers(log_c, *both)[-1])
                tilt[k] = max(0.0, round(needed * _GRID) / _GRID)
        return tilt

    def _beside(self, query: Query) -> Query:
        """The sums of a query without thresholds, and then those of the capacities."""
        sums = {name: str(one) for name, one in query.linear.groups(self.form.network).items()}
        for number, one in enumerate(self.capacities):
            name = f"capacity{number}"
            while name in sums:
                name += "_"
            sums[name] = str(ObservedSum(one.weights))
        return Query(sums)

    def _within(self, found: Distribution, query: Query, tilt: Floats, off: float) -> Distribution:
        """What is seen within the capacities, of all that is seen without."""
        over = found.outcomes[:, -len(tilt) :] - self.most  # (outcomes, capacities)
        inside = (over <= 0).all(axis=1)
        weighed = over[inside] @ tilt
        if not inside.any():
            raise UnsupportedError(
                "nothing within the capacities was found: take a smaller tolerance"
            )
        lost = found.truncated_mass
        logs = found.log_probabilities[inside] - math.log1p(-lost) + weighed
        top = float(logs.max())
        with np.errstate(under="ignore"):
            log_kept = top + math.log(math.fsum(np.exp(logs - top)))
        rest = lost / (1 - lost)
        lost = rest / (math.exp(log_kept - found.log_error) + rest)
        largest = float(np.abs(weighed).max()) + float(np.abs(logs).max()) + abs(log_kept)
        return Distribution.merge(
            tuple(query.groups(self.form.network)),
            query.compared(found.outcomes[inside, : -len(tilt)]),
            logs - log_kept + math.log1p(-lost),
            log_error=2 * found.log_error + off + SPACING * (8 + (len(tilt) + 4) * largest),
            truncated_mass=lost,
            method=found.method,
            why="; ".join(["reversible within capacities", *map(str, self.capacities)]),
            complete=not lost,
        )
