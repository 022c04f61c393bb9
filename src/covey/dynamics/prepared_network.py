"""What a network says by itself, and of a start in it: found once, and kept.

Its structure, its symmetries, its closed forms; then for every start how many states it reaches,
the Markov chain on them, and the proof that it settles. How many states are allowed is fixed when
it is made, so that all distributions of one question are computed alike.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Self
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.propensity import check_exits
from covey.dynamics.ctmc.transitions import Layout, build
from covey.dynamics.ergodicity.certificate import ErgodicityCertificate, settle
from covey.dynamics.limits import Limits
from covey.dynamics.memory import bytes_per_state, fitting_states
from covey.dynamics.monomolecular.closed_form import LinearForm
from covey.dynamics.product_form.capped_form import CappedForm
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.state_space.enumeration import Lattice, explore, lattice_of
from covey.dynamics.state_space.relabelling import LARGEST_GROUP
from covey.dynamics.state_space.symmetry import Symmetries, fold
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, CoveyWarning, TooLargeError, UnsupportedError
from covey.model.network import Network
from covey.model.structure.reachability import Reach, reach
from covey.model.structure.structure import Structure
from covey.numbers import Ints
from covey.words import rounded

_FOLD_FROM = 2_000  # states: below, folding saves less than it costs
_SAID_FROM = 2.0  # GiB that a chain takes: more is not taken without a word
_KEPT_STATES = 500_000  # of all lattices that are kept together, and of all chains
_LAID_OUT = 20_000  # states: of larger chains, the rates are quickly found beside what they are for
_KEPT_TRANSITIONS = 2_000_000  # of all layouts


class PreparedNetwork:
    """What was found of one network, and of any team that starts in it.

    Args:
        network: The network.
        limits: How to compute: which method, on how many states, to which tolerance.
    """

    def __init__(self, network: Network, limits: Limits | None = None) -> None:
        self.network = network
        self.limits = limits or Limits()
        self.max_states = self.limits.max_states or fitting_states(network)
        self._reached: dict[tuple[int, ...], Reach] = {}
        self._ergodicity: dict[tuple[int, ...], ErgodicityCertificate | CoveyError] = {}
        self._lattices: dict[tuple[int, ...], Lattice] = {}
        self._layouts: dict[tuple[int, ...], Layout] = {}
        self._symmetries: dict[tuple[int, ...], Symmetries] = {}  # by which rates are equal
        self._chains: dict[tuple[tuple[int, ...], bool], Chain] = {}
        self._in_use: WeakValueDictionary[tuple[tuple[int, ...], bool], Chain]
        self._in_use = WeakValueDictionary()

    def by_any_method(self) -> Self:
        """The same, free to choose how to compute."""
        if self.limits.method is None:
            return self
        free = copy(self)
        free.limits = replace(self.limits, method=None)
        return free

    def at_rates(self, network: Network) -> Self:
        """That of a network; what does not depend on the rates is kept where it is the same.

        So are the limits: the number of states allowed is that of this one.
        """
        if network is self.network:
            return self
        other = type(self)(network, replace(self.limits, max_states=self.max_states))
        other.limits = self.limits
        if network.same_wiring(self.network):
            other.structure = self.structure.at_rates(network)
            if not network.has_rate_laws:  # where one stands still may depend on its rates
                other._reached, other._lattices = self._reached, self._lattices
                other._layouts, other._symmetries = self._layouts, self._symmetries
        return other

    @cached_property
    def structure(self) -> Structure:
        """What the wiring says."""
        return Structure(self.network)

    @cached_property
    def symmetries(self) -> Symmetries:
        """Which types may be relabelled; under a timetable none is looked for."""
        if self.network.timetable:
            return Symmetries(self.network, [np.arange(len(self.network.species))], [])
        alike = _equal_rates(self.network)
        if alike not in self._symmetries:
            self._symmetries[alike] = Symmetries(self.network)
        return self._symmetries[alike].of(self.network)

    @cached_property
    def phases(self) -> tuple[Self, ...]:
        """The same for each phase of the network's timetable, and last outside all of them."""
        return tuple(self.at_rates(network) for network in self.network.phases)

    @cached_property
    def closed_form(self) -> ProductForm | CappedForm | UnsupportedError:
        """The closed form of the steady state, or why there is none."""
        try:
            return ProductForm(self.structure)
        except UnsupportedError as error:
            try:
                return CappedForm(self.network)
            except UnsupportedError:
                return error

    @cached_property
    def linear(self) -> LinearForm | UnsupportedError:
        """The distributions of robots that move independently, or why they do not."""
        try:
            return LinearForm(self.network)
        except UnsupportedError as error:
            return error

    @property
    def has_closed_form(self) -> bool:
        """Whether the steady state is had without a chain."""
        forms = self.closed_form, self.linear
        return not all(isinstance(form, UnsupportedError) for form in forms)

    def reach(self, start: Sequence[int] | Ints) -> Reach:
        """How many states can be reached from a start; not to the end where they do not fit.

        Args:
            start: How many there are of each species.
        """
        if self.network.timetable:  # all phases have the same states
            return self.phases[-1].reach(start)
        key = tuple(int(count) for count in start)
        if key not in self._reached:
            self._reached[key] = reach(self.structure, key, enough=LARGEST_GROUP * self.max_states)
        return self._reached[key]

    def ergodicity(self, start: Ints) -> ErgodicityCertificate:
        """The proof that a start comes to a steady state; the reason is raised where it fails."""
        key = tuple(start.tolist())
        if key not in self._ergodicity:
            try:
                self._ergodicity[key] = settle(self.structure, start, self.truncation_states)
            except CoveyError as error:
                self._ergodicity[key] = error
        found = self._ergodicity[key]
        if isinstance(found, CoveyError):
            raise found.saying(found.message)
        return found

    def chain(
        self, start: Ints, *, folded: bool = False, progress: Progress | None = None
    ) -> Chain:
        """The Markov chain on all states that a start can reach; refused where they do not fit.

        Folded, where symmetry allows it: one state in each orbit. Small ones are kept, with what
        was solved of them; large ones for as long as somebody holds them.
        """
        same = self._folding(start) if folded else []
        key = tuple(start.tolist()), len(same) > 1
        known = self._in_use.get(key)
        if known is not None:
            return known
        if self.reach(start).at_least > self.max_states * max(len(same), 1):
            raise self.refusal(start)
        self._say_if_large(self.reach(start).at_least / max(len(same), 1))
        with np.errstate(over="ignore"):  # refused by check_exits
            if len(same) > 1:
                most = self.max_states
                lattice = fold(self.network, start, same, max_states=most, progress=progress)
                generator = build(self.network, lattice)
            else:
                lattice = self._lattice(start, progress)
                generator = self._generator(start, lattice)
        check_exits(generator.exits)
        found = self._in_use[key] = Chain(self.network, lattice, generator)
        kept = [len(chain.lattice) for chain in list(self._chains.values())]
        if len(lattice) + sum(kept) <= _KEPT_STATES:
            self._chains[key] = found
        return found

    def _say_if_large(self, states: float) -> None:
        """Warns before much memory is taken: said alike for a team and its neighbours."""
        size = states * bytes_per_state(self.network) / 2**30
        if size > _SAID_FROM:
            fewest = float(rounded(states, ".1e", "down"))
            warnings.warn(
                f"the Markov chain has {fewest:,.0f} states or more: up to "
                f"{rounded(size, '.0f', 'up')} GiB, and minutes for each team that is compared. "
                "covey audit simulates what is given away in less, a lower bound",
                CoveyWarning,
                stacklevel=2,
            )

    def _generator(self, start: Ints, lattice: Lattice) -> Generator:
        """The generator on a lattice; small ones are laid out once, also for other rates."""
        if len(lattice) > _LAID_OUT or self.network.has_rate_laws:
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
        listed = self.reach(start).listed
        if listed and not self.network.has_rate_laws:  # which are checked in every state
            found = lattice_of(self.network, listed)
        else:
            found = explore(self.network, start, max_states=self.max_states, progress=progress)
        if len(found) + sum(map(len, self._lattices.values())) <= _KEPT_STATES:
            self._lattices[key] = found
        return found

    def refusal(
        self, start: Ints, more: str = "", advice: str = ". Take a smaller team"
    ) -> TooLargeError:
        """The error for a chain that does not fit, with its size, counted to the end.

        More states can be allowed where somebody allowed fewer than fit into memory.
        """
        reached = reach(self.structure, start.tolist())
        counted = "" if reached.states is not None else "more than "
        size = reached.at_least * bytes_per_state(self.network) / 2**30
        helps = reached.grows is None and self.limits.max_states is not None
        return TooLargeError(
            f"the Markov chain has {counted}{reached.at_least:,} states and would take {counted}"
            f"{size:,.1f} GiB; at most {self.max_states:,} states are allowed{advice}{more}",
            states=reached.at_least,
            larger=("max_states",) if helps else (),
        )

    @property
    def truncation_states(self) -> int:
        """How many states a truncation may have: its moves are listed, and take twice as much."""
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


def _equal_rates(network: Network) -> tuple[int, ...]:
    """For every reaction the first one of the same rate: symmetries ask for no more of rates."""
    first: dict[float, int] = {}
    rates = network.rate_constants.tolist()
    return tuple(first.setdefault(rate, place) for place, rate in enumerate(rates))
