"""The distributions of many teams of one network at once: the states are listed once, and shared.

With the pivots of `lumped_lattice` solved for, a state is the vector z of the other counts, and a
team enters only by its roots' totals b:

    ln w_b(z) = Σ_v ln(c_v^z_v / z_v!)  +  Σ_r ln(c_r^(b_r − s_r) / (b_r − s_r)!),    s = z·needs,

the first sum being the same for all teams, the second a look-up in one table for each root. A state
that a team cannot be in (b_r < s_r) has weight 0. States are kept in the order of what is seen of
them, y = Q z up to a constant of the team, so that distributions of two teams stand side by side,
outcome by outcome. This pays where many teams are compared: maps over populations, studies of
trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from covey.dynamics.product_form.elimination.lumped_lattice import lump
from covey.dynamics.product_form.elimination.poisson_weights import log_factorial
from covey.dynamics.product_form.elimination.rows import add_runs
from covey.dynamics.product_form.product_form import ProductForm
from covey.errors import TooLargeError, UnsupportedError
from covey.model.observation.query import Query
from covey.numbers import Floats, Ints

MAX_STATES = 20_000_000

_MOST_LISTED = 1_000_000  # factorials that are kept


@dataclass(frozen=True, eq=False)
class TeamFamily:
    """All teams with totals up to `largest`.

    `needs` (variables, roots) and `seen` (variables, observations) are the forms s and Q above;
    `log_c` are ln c of the variables, and `log_roots` of the pivots.
    """

    needs: Ints
    seen: Ints
    log_c: Floats
    log_roots: Floats
    largest: Ints

    @cached_property
    def _states(self) -> tuple[Ints, Ints, Ints]:
        """States (states, variables) by what is seen, where each outcome begins, and outcomes."""
        states = _list_states(self.needs, self.largest)
        outcomes = states @ self.seen
        order = np.lexsort(outcomes.T[::-1]) if outcomes.shape[1] else np.arange(len(states))
        outcomes = outcomes[order]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (outcomes[1:] != outcomes[:-1]).any(axis=1)
        first = np.flatnonzero(new)
        return states[order], first, outcomes[first]

    @property
    def states(self) -> Ints:
        """Every state that some team can be in: (states, variables)."""
        return self._states[0]

    @property
    def outcomes(self) -> Ints:
        """Q z of every outcome that some team can show: (outcomes, observations)."""
        return self._states[2]

    @property
    def first(self) -> Ints:
        """The first state of every outcome: (outcomes,)."""
        return self._states[1]

    @property
    def lengths(self) -> Ints:
        """How many states show every outcome: (outcomes,)."""
        return np.diff(np.append(self.first, len(self.states)))

    @cached_property
    def _forms(self) -> tuple[Ints, Ints, Ints]:
        """Distinct columns of `needs`: how far each goes, its root's number, its values z·needs."""
        forms, inverse = np.unique(self.needs, axis=1, return_inverse=True)
        used = np.ascontiguousarray((self.states @ forms).T)  # (forms, states)
        return used.max(axis=1, initial=0), inverse.ravel(), used

    @cached_property
    def _shared(self) -> Floats:
        factorials = self._log_factorial(self.states).sum(axis=1)
        return np.asarray(self.states @ self.log_c - factorials)

    @cached_property
    def _factorials(self) -> Floats:
        """`ln 0!, ln 1!, …` as far as any count of any team goes; nothing where that is far."""
        most = int(self.largest.max(initial=0))
        return log_factorial(np.arange(most + 1 if most <= _MOST_LISTED else 0))

    def _log_factorial(self, counts: Ints) -> Floats:
        """`ln n!`, looked up where that is listed."""
        listed = self._factorials
        return listed[counts] if len(listed) else log_factorial(counts)

    def log_weights(self, totals: ArrayLike) -> Floats:
        """`ln w` of every state for a team with these totals; −inf if it cannot be: (states,)."""
        most, form_of, used = self._forms
        tables = [np.zeros(int(n) + 1) for n in most]
        for root, total in enumerate(np.asarray(totals, dtype=np.int64).tolist()):
            table = tables[form_of[root]]
            alone = total - np.arange(min(total, len(table) - 1) + 1)
            table[: len(alone)] += alone * self.log_roots[root] - self._log_factorial(alone)
            table[len(alone) :] = -np.inf
        weights = self._shared
        for table, values in zip(tables, used, strict=True):
            weights = weights + table[values]
        return weights

    def log_distribution(self, totals: ArrayLike) -> Floats:
        """`ln p` of every outcome for a team with these totals: (outcomes,)."""
        weights = self.log_weights(totals)
        top = float(weights.max())
        # −inf minus −inf would be no number: what cannot be is made very small instead.
        logs, _ = add_runs(np.maximum(weights - top, -1e300), self.first)
        with np.errstate(under="ignore"):
            logs = logs - math.log(float(np.exp(logs).sum()))
        return np.where(logs < -1e299, -np.inf, logs)

    def distribution(self, totals: ArrayLike) -> Floats:
        """`p` of every outcome, faster; those below 1e-300 may come out as 0: (outcomes,)."""
        weights = self.log_weights(totals)
        with np.errstate(under="ignore"):
            weights = np.exp(weights - weights.max())
        return np.asarray(self.gather(weights) / weights.sum())

    def gather(self, weights: Floats) -> Floats:
        """Sums over the states of each outcome, along the last axis: (..., outcomes)."""
        if len(self.first) == weights.shape[-1]:
            return weights
        return np.asarray(np.add.reduceat(weights, self.first, axis=-1))


def family_of(form: ProductForm, largest: Ints, query: Query) -> tuple[TeamFamily, Ints, Ints]:
    """The family of all teams whose start is nowhere above `largest`: (species,).

    With it come two matrices, (species, roots) and (species, observations): a start times the
    first gives the team's totals, times the second the constant that its observations exceed Q z
    by. Distributions of teams with the same constant stand side by side.
    """
    if form.structure.live(largest.tolist()) is not form.structure:
        raise UnsupportedError(
            "some reactions cannot happen for any of these teams: leave them out of the network"
        )
    lattice = lump(form.network, form.log_c, form.roots, largest, query)
    if not lattice.needs.any(axis=1).all():
        raise UnsupportedError("robots come from nothing here: there are infinitely many states")
    rates = lattice.log_rates.astype(np.float64)
    needs = form.roots.needs
    family = TeamFamily(
        lattice.needs[lattice.free],
        lattice.seen_of_free,
        rates[lattice.free],
        rates[lattice.pivots],
        largest @ needs,
    )
    return family, needs, needs @ lattice.seen_of_pivots


def _list_states(needs: Ints, largest: Ints) -> Ints:
    """All z ≥ 0 with z·needs ≤ largest: one variable after the other."""
    states = np.zeros((1, 0), dtype=np.int64)
    left = largest[None, :].copy()  # (states, roots)
    for row in needs:
        used = np.flatnonzero(row)
        most = (left[:, used] // row[used]).min(axis=1)
        counts = most + 1
        if counts.sum() > MAX_STATES:
            raise TooLargeError(
                f"more than {MAX_STATES:,} states would have to be listed: take smaller teams, or "
                "compare them one by one by the product form",
                states=int(counts.sum()),
            )
        source = np.repeat(np.arange(len(states)), counts)
        taken = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        states = np.hstack([states[source], taken[:, None]])
        left = left[source] - taken[:, None] * row
    return states
