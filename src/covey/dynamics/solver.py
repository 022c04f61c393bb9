"""The solver: one prepared problem for each network, which everything that needs a law asks.

What a network says by itself is found once: its structure, its symmetries, its closed form. How
many states are allowed is fixed when the solver is made, so that all laws of one question are
computed alike. Then, for any team:

    plan    which method will answer, on how many states, and why, without computing it
    laws    the same, and the answer: it does what the plan says

- At a time: `transient`, uniformisation on every reachable state, where they fit in memory;
  `projection`, on the states that carry the mass, where they do not.
- At a time or steady: `linear`, the sum of robots that move independently, where there are more
  than a few states, or infinitely many.
- Steady: `product-form`, the closed form of a complex-balanced network, without any chain;
  `stationary`, the limit law of the chain on every reachable state; `window`, on the states that
  carry the mass, where they do not fit, with a proof about all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.chain import Chain, chain_law, projected_laws, where_it_ends
from covey.dynamics.ctmc.generator import Generator, build
from covey.dynamics.ctmc.transition_pattern import Layout
from covey.dynamics.distribution import Distribution
from covey.dynamics.ergodicity.certificate import ErgodicityCertificate, settle
from covey.dynamics.limits import Limits
from covey.dynamics.memory import fitting_states, refuse
from covey.dynamics.monomolecular.closed_form import LinearForm, PreparedSum
from covey.dynamics.planner import (
    ADVICE,
    Plan,
    plan_stationary,
    plan_steady,
    plan_time,
    plan_window,
)
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.projection.finite_state_projection import MAX_STATES, project_many
from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.dynamics.state_space.relabelling import LARGEST_GROUP
from covey.dynamics.state_space.symmetry import Symmetries, fold
from covey.dynamics.validation import Progress, check_start, check_time
from covey.errors import CoveyError, TooLargeError, UnsupportedError
from covey.model.adversary import Moment
from covey.model.network import Network
from covey.model.query import Query
from covey.model.structure.reachability import Reach, reach
from covey.model.structure.structure import Structure
from covey.numbers import Ints

_FOLD_FROM = 2_000  # states: below, folding saves less than it costs
_KEPT_STATES = 500_000  # of all lattices that are kept together, and of all chains
_LAID_OUT = 20_000  # states: of larger chains, the rates are quickly found beside what they are for
_KEPT_TRANSITIONS = 2_000_000  # of all layouts


class Solver:
    """The laws of any team of one network.

    Args:
        network: The network.
        limits: How to compute: which method, on how many states, to which tolerance.
    """

    def __init__(self, network: Network, limits: Limits | None = None) -> None:
        self.network = network
        self.limits = limits or Limits()
        self.max_states = self.limits.max_states or fitting_states(network)
        self._reached: dict[tuple[int, ...], Reach] = {}
        self._settled: dict[tuple[int, ...], ErgodicityCertificate | CoveyError] = {}
        self._lattices: dict[tuple[int, ...], Lattice] = {}
        self._layouts: dict[tuple[int, ...], Layout] = {}
        self._symmetries: dict[tuple[int, ...], Symmetries] = {}  # by which rates are equal
        self._chains: dict[tuple[tuple[int, ...], bool], Chain] = {}

    def by_any_method(self) -> Solver:
        """The same solver, free to choose how to compute."""
        if self.limits.method is None:
            return self
        free = copy(self)
        free.limits = replace(self.limits, method=None)
        return free

    def at_rates(self, network: Network) -> Solver:
        """The solver of a network; what does not depend on the rates is kept where it is the same.

        So are the limits: the number of states allowed is that of this solver.
        """
        if network is self.network:
            return self
        other = Solver(network, replace(self.limits, max_states=self.max_states))
        if network.same_wiring(self.network):
            other.structure = self.structure.at_rates(network)
            if not network.has_laws:  # where a law stands still may depend on its rates
                other._reached, other._lattices = self._reached, self._lattices
                other._layouts, other._symmetries = self._layouts, self._symmetries
        return other

    @cached_property
    def structure(self) -> Structure:
        """What the wiring says."""
        return Structure(self.network)

    @cached_property
    def symmetries(self) -> Symmetries:
        """Which types may be relabelled."""
        alike = _equal_rates(self.network)
        if alike not in self._symmetries:
            self._symmetries[alike] = Symmetries(self.network)
        return self._symmetries[alike].of(self.network)

    @cached_property
    def closed_form(self) -> ProductForm | UnsupportedError:
        """The closed form of the steady state, or why there is none."""
        try:
            return ProductForm(self.structure)
        except UnsupportedError as error:
            return error

    @cached_property
    def linear(self) -> LinearForm | UnsupportedError:
        """The laws of robots that move independently, or why they do not."""
        try:
            return LinearForm(self.network)
        except UnsupportedError as error:
            return error

    def reach(self, start: Sequence[int] | Ints) -> Reach:
        """How many states can be reached from a start; not to the end where they do not fit.

        Args:
            start: How many there are of each species.
        """
        key = tuple(int(count) for count in start)
        if key not in self._reached:
            self._reached[key] = reach(self.structure, key, enough=LARGEST_GROUP * self.max_states)
        return self._reached[key]

    def settled(self, start: Ints) -> ErgodicityCertificate:
        """The proof that a start comes to a steady state; the reason is raised where it fails."""
        key = tuple(start.tolist())
        if key not in self._settled:
            try:
                self._settled[key] = settle(self.structure, start, self._window_states)
            except CoveyError as error:
                self._settled[key] = error
        found = self._settled[key]
        if isinstance(found, CoveyError):
            raise found.saying(found.message)
        return found

    def plan(self, start: Sequence[int] | Ints, at: Moment, query: Query | None = None) -> Plan:
        """How the law of a start at a moment will be computed.

        Args:
            start: How many there are of each species.
            at: A time, or "steady".
            query: What is seen; by default everything.
        """
        state = check_start(self.network, start)
        if at == "steady":
            return plan_steady(self, state, query or Query())[0]
        return plan_time(self, state, check_time(at), query or Query())[0]

    def laws(
        self,
        start: Sequence[int] | Ints,
        at: Sequence[Moment],
        query: Query | None = None,
        *,
        progress: Progress | None = None,
    ) -> list[Distribution]:
        """The laws of what is seen at several moments, each in its place; times in one pass.

        Args:
            start: How many there are of each species.
            at: Times, or "steady".
            query: What is seen; by default everything.
            progress: Called as progress(done, total, text) while the work goes on.
        """
        state, seen = check_start(self.network, start), query or Query()
        seen.check(self.network)
        moments = [moment if moment == "steady" else check_time(moment) for moment in at]
        times = sorted({moment for moment in moments if moment != "steady"})
        found: dict[Moment, Distribution] = {}
        if times:
            found |= self._at_times(state, times, seen, progress)
        if "steady" in moments:
            found["steady"] = self._steady(state, seen, progress)
        return [found[moment] for moment in moments]

    def chain(
        self, start: Ints, *, folded: bool = False, progress: Progress | None = None
    ) -> Chain:
        """The Markov chain on all states that a start can reach; refused where they do not fit.

        Folded, where symmetry allows it: one state in each orbit. Small ones are kept, with what
        was solved of them.
        """
        same = self._folding(start) if folded else []
        key = tuple(start.tolist()), len(same) > 1
        if key in self._chains:
            return self._chains[key]
        if self.reach(start).at_least > self.max_states * max(len(same), 1):
            raise self.refusal(start)
        if len(same) > 1:
            lattice = fold(self.network, start, same, max_states=self.max_states, progress=progress)
            generator = build(self.network, lattice)
        else:
            lattice = self._lattice(start, progress)
            generator = self._generator(start, lattice)
        found = Chain(self.network, lattice, generator)
        kept = [len(chain.lattice) for chain in list(self._chains.values())]
        if len(lattice) + sum(kept) <= _KEPT_STATES:
            self._chains[key] = found
        return found

    def _generator(self, start: Ints, lattice: Lattice) -> Generator:
        """The generator on a lattice; small ones are laid out once, also for other rates."""
        if len(lattice) > _LAID_OUT or self.network.has_laws:
            return build(self.network, lattice)
        key = tuple(start.tolist())
        if key in self._layouts:
            return self._layouts[key].at(self.network)
        found = Layout(self.network, lattice)
        if len(found) + sum(map(len, self._layouts.values())) <= _KEPT_TRANSITIONS:
            self._layouts[key] = found
        return found.at(self.network)

    def _lattice(self, start: Ints, progress: Progress | None) -> Lattice:
        """The states that a start can reach; small ones are kept, also for other rates."""
        key = tuple(start.tolist())
        if key in self._lattices:
            return self._lattices[key]
        found = explore(self.network, start, max_states=self.max_states, progress=progress)
        if len(found) + sum(map(len, self._lattices.values())) <= _KEPT_STATES:
            self._lattices[key] = found
        return found

    def refusal(self, start: Ints, more: str = "", advice: str = ADVICE) -> TooLargeError:
        """The error for a chain that does not fit, with its size, counted to the end.

        More states can be allowed where somebody allowed fewer than fit into memory.
        """
        size = reach(self.structure, start.tolist())
        helps = size.grows is None and self.limits.max_states is not None
        larger = ("max_states",) if helps else ()
        return refuse(self.network, size, self.max_states, f"{advice}{more}", larger)

    @property
    def _window_states(self) -> int:
        """How many states a window may have: where its moves are listed they take twice as much."""
        return self.limits.max_states or max(self.max_states // 2, 1)

    def _folding(self, start: Ints) -> list[NDArray[np.intp]]:
        """The symmetries by which the chain of a start is folded; none where that does not pay."""
        return self.symmetries.fixing(start) if self.reach(start).at_least >= _FOLD_FROM else []

    def too_many(self, start: Ints) -> bool:
        """Whether the chain certainly has more states than are allowed."""
        reached = self.reach(start)
        if reached.at_least <= self.max_states:
            return False
        return reached.at_least > self.max_states * max(len(self._folding(start)), 1)

    def _at_times(
        self, start: Ints, times: list[float], query: Query, progress: Progress | None
    ) -> dict[Moment, Distribution]:
        found: dict[Moment, Distribution] = {}
        left = []
        for time in times:
            plan, prepared = plan_time(self, start, time, query)
            if plan.refusal is not None:
                raise plan.refusal
            if prepared is not None:
                found[time] = prepared.law()
            else:
                left.append((time, plan))
        if left:
            others = [time for time, _ in left]
            laws = self._by_states(start, others, query, left[0][1], progress)
            found |= zip(others, laws, strict=True)
        return found

    def _by_states(
        self, start: Ints, times: list[float], query: Query, plan: Plan, progress: Progress | None
    ) -> list[Distribution]:
        if plan.method == "projection":
            return self._project(start, times, query, plan, progress)
        try:
            chain = self.chain(start, folded=True, progress=progress)
        except TooLargeError:
            if self.limits.method is not None:
                raise
            plan = replace(plan, method="projection", why="the states do not fit in memory")
            return self._project(start, times, query, plan, progress)
        result = chain.at(times, progress)
        return [
            chain_law(
                chain,
                query,
                result.log_probabilities[i],
                chain.possible(time),
                float(result.log_error[i]),
                (str(plan.method), plan.why),
            )
            for i, time in enumerate(times)
        ]

    def _project(
        self,
        start: Ints,
        times: list[float],
        query: Query,
        plan: Plan,
        progress: Progress | None,
    ) -> list[Distribution]:
        found = project_many(
            self.network,
            start,
            times,
            tolerance=self.limits.tolerance_of("projection"),
            max_states=min(self.max_states, MAX_STATES),
            progress=progress,
        )
        return projected_laws(self.network, found, query, plan.why)

    def _steady(self, start: Ints, query: Query, progress: Progress | None) -> Distribution:
        plan, prepared = plan_steady(self, start, query)
        if isinstance(prepared, PreparedSum):
            return prepared.law()
        if prepared is not None:
            try:
                law = prepared.law()
                states = law.states
                if states is None and not law.lost_mass:  # else nobody has been to all of them
                    states = plan.states
                return replace(law, method="product-form", why=plan.why, states=states)
            except (UnsupportedError, TooLargeError) as error:
                if self.limits.method is not None:
                    raise
                plan = plan_stationary(self, start, f"no closed form: {error.message}")
        if plan.refusal is not None:
            raise plan.refusal
        if plan.method == "window":
            return self._window(start, query, plan, progress)
        try:
            chain = self.chain(start, folded=True, progress=progress)
        except TooLargeError:
            plan = plan_window(self, start, plan.why)
            if self.limits.method is not None or plan.refusal is not None:
                raise
            return self._window(start, query, plan, progress)
        result = chain.settled(progress)
        why = where_it_ends(chain, result) if len(result.classes) > 1 else plan.why
        logs = result.log_probabilities
        how = ("stationary", why)
        return chain_law(chain, query, logs, np.isfinite(logs), result.log_error, how)

    def _window(
        self, start: Ints, query: Query, plan: Plan, progress: Progress | None
    ) -> Distribution:
        settled = self.settled(start)
        return settled.law(query, plan.why, plan.tolerance, self._window_states, progress)


def _equal_rates(network: Network) -> tuple[int, ...]:
    """For every reaction the first one of the same rate: symmetries ask for no more of rates."""
    first: dict[float, int] = {}
    rates = network.rate_constants.tolist()
    return tuple(first.setdefault(rate, place) for place, rate in enumerate(rates))
