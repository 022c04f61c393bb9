"""From a network and a start to the law of what is seen: checks, chooses, says which and why.

- At a time: `transient`, uniformisation on every reachable state, where they fit in memory;
  `projection`, on the states that carry the mass, where they do not.
- Steady: `product-form`, the closed form of a complex-balanced network, without any chain;
  `stationary`, the limit law of the chain on every reachable state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, TypedDict, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.dynamics.closed_form.product_form import ProductForm
from covey.dynamics.distribution import Distribution, sums_of
from covey.dynamics.generator import build
from covey.dynamics.lattice import Lattice, explore
from covey.dynamics.memory import default_max_states, refuse
from covey.dynamics.projection import MAX_STATES, project_many
from covey.dynamics.question import Progress, check_start, check_time
from covey.dynamics.stationary import StationaryResult, stationary
from covey.dynamics.symmetry import fold
from covey.dynamics.transient import transient
from covey.errors import InputError, NoStationaryLawError, TooLargeError, UnsupportedError
from covey.model.adversary import Steady
from covey.model.network import Network
from covey.model.query import Query
from covey.model.reach import Reach, reach
from covey.model.relabelling import relabellings, species_permutation
from covey.model.scenario import Scenario
from covey.model.structure import Structure
from covey.numbers import Floats

Method = Literal["product-form", "stationary", "transient", "projection"]

# Folding pays from here on: below, finding and checking the symmetries costs more.
_FOLD_FROM = 2_000
_STEADY = ("product-form", "stationary")  # the methods that answer for the steady state
_LOST = 1e-289  # more than the probability of any state that a solver reports as lost
_MOST_CLASSES = 3  # named in words


@dataclass(frozen=True)
class Choice:
    """Which method answers, and why it and not another."""

    method: Method
    why: str


def distribution(
    scenario: Scenario,
    at: float | Steady | None = None,
    *,
    method: Method | None = None,
    states: bool = False,
    max_states: int | None = None,
    tolerance: float = 1e-9,
    progress: Progress | None = None,
) -> Distribution:
    """P(y) for a scenario's team: of every observation, or of every state with `states=True`."""
    (law,) = solve(
        scenario.network,
        scenario.start,
        [scenario.adversary.at if at is None else at],
        query=Query() if states else scenario.query,
        method=method,
        max_states=max_states,
        tolerance=tolerance,
        progress=progress,
    )
    return law


def solve(
    network: Network,
    start: ArrayLike,
    at: Sequence[float | Steady],
    *,
    query: Query | None = None,
    method: Method | None = None,
    max_states: int | None = None,
    tolerance: float = 1e-9,
    progress: Progress | None = None,
) -> list[Distribution]:
    """The laws at several moments (times, or "steady"), each in its place; times in one pass."""
    question = _Question(
        network,
        check_start(network, start),
        query or Query(),
        default_max_states(network) if max_states is None else _positive(max_states),
        tolerance,
        progress,
    )
    moments = [moment if moment == "steady" else check_time(moment) for moment in at]
    times = sorted({moment for moment in moments if moment != "steady"})
    found: dict[float | Steady, Distribution] = {}
    if times:
        found |= dict(zip(times, question.at_times(times, method), strict=True))
    if "steady" in moments:
        found["steady"] = question.steady(method)
    return [found[moment] for moment in moments]


class _Limits(TypedDict):
    max_states: int
    progress: Progress | None


@dataclass(frozen=True)
class _Question:
    """What is asked, checked; one method each answers it."""

    network: Network
    start: NDArray[np.int64]
    query: Query
    max_states: int
    tolerance: float
    progress: Progress | None

    def at_times(self, times: list[float], method: Method | None) -> list[Distribution]:
        choice = self._choose(method)
        if choice.method in _STEADY:
            raise UnsupportedError(
                f'the method "{choice.method}" answers only for the steady state, not at '
                f'{times[0]:g}: leave the method out, or ask for at = "steady"'
            )
        if choice.method == "projection":
            return self._project(times, choice)
        try:
            lattice = self._lattice()
        except TooLargeError:
            if method is not None:
                raise
            return self._project(times, Choice("projection", "the states do not fit in memory"))
        result = transient(
            build(self.network, lattice), lattice.point_mass(), times, progress=self.progress
        )
        errors = zip(result.log_error, result.lost, strict=True)
        return [
            self._law(lattice, logs, (float(error), True, int(lost)), choice)
            for logs, (error, lost) in zip(result.log_probabilities, errors, strict=True)
        ]

    def steady(self, method: Method | None) -> Distribution:
        if method not in (None, *_STEADY):
            raise UnsupportedError(
                f'the method "{method}" answers only at a time, not for the steady state: '
                "leave the method out, or ask for a time"
            )
        if method == "product-form":
            return self._closed_form("asked for")
        why_not = "asked for"
        if method is None:
            try:
                return self._closed_form("complex-balanced: the steady state has a closed form")
            except (UnsupportedError, TooLargeError) as error:
                why_not = f"no closed form: {error.message}"
        self._check_settles()
        choice = Choice("stationary", why_not)
        lattice = self._lattice()
        result = stationary(
            build(self.network, lattice), lattice.point_mass(), progress=self.progress
        )
        with np.errstate(divide="ignore"):
            logs = np.log(result.probabilities)
        if len(result.classes) > 1:
            names = [str(species) for species in self.network.species]
            choice = Choice("stationary", _ends(lattice, names, result))
        return self._law(lattice, logs, (result.log_error, result.proved, result.lost), choice)

    def _closed_form(self, why: str) -> Distribution:
        law = _product_form(self.network).observe(self.start, self.query)
        return replace(law, method="product-form", why=why)

    def _choose(self, method: Method | None) -> Choice:
        if method is not None:
            if method not in get_args(Method):
                known = ", ".join(get_args(Method))
                raise InputError(f"the method is {method!r:.40}: expected one of {known}")
            return Choice(method, "asked for")
        reached = self._reach
        if reached.grows is not None:
            return Choice("projection", f"infinitely many states: {reached.why}")
        if reached.at_least > self.max_states:
            return Choice("projection", f"{reached.at_least:,} states or more do not fit in memory")
        return Choice("transient", "every reachable state fits in memory")

    @cached_property
    def _reach(self) -> Reach:
        return reach(Structure(self.network), self.start.tolist())

    def _check_settles(self) -> None:
        grows = self._reach.grows
        if grows is None:
            return
        if all(reaction.change().get(grows, 0) >= 0 for reaction in self.network.reactions):
            raise NoStationaryLawError(
                f"there is no steady state: {self._reach.why}, and no reaction takes any away. "
                "Ask for a time instead"
            )
        raise UnsupportedError(
            f"infinitely many states ({self._reach.why}): the Markov chain does not give their "
            "steady state. Ask for a time instead"
        )

    def _lattice(self) -> Lattice:
        """The reachable states, one in each orbit where symmetry allows it."""
        states = self._reach.states
        if self._reach.at_least > self.max_states:
            raise refuse(self.network, self._reach, self.max_states)
        limits = _Limits(max_states=self.max_states, progress=self.progress)
        if states is not None and states >= _FOLD_FROM:
            images = [species_permutation(self.network, s) for s in relabellings(self.network)]
            same = [g for g in images if (self.start[g] == self.start).all()]
            if len(same) > 1:
                return fold(self.network, self.start, same, **limits)
        return explore(self.network, self.start, **limits)

    def _law(
        self,
        lattice: Lattice,
        log_probabilities: Floats,
        error: tuple[float, bool, int],
        choice: Choice,
    ) -> Distribution:
        """The law of what is seen. An orbit's probability is shared by its images, equally."""
        log_error, proved, lost = error
        groups = self.query.groups(self.network)
        index = self.network.index
        columns = [[index[species] for species in group] for group in groups.values()]
        images = [sums_of(lattice.states[:, g], columns) for g in lattice.group]
        return Distribution.merge(
            tuple(groups),
            np.concatenate(images),
            np.tile(log_probabilities - math.log(len(images)), len(images)),
            log_error=log_error,
            lost_mass=lost * _LOST,
            proved=proved,
            method=choice.method,
            why=choice.why,
            states=len(lattice),
        )

    def _project(self, times: list[float], choice: Choice) -> list[Distribution]:
        found = project_many(
            self.network,
            self.start,
            times,
            tolerance=self.tolerance,
            max_states=min(self.max_states, MAX_STATES),
            progress=self.progress,
        )
        names = [str(species) for species in self.network.species]
        laws = []
        for projection in found:
            with np.errstate(divide="ignore"):
                logs = np.log(projection.probabilities)
            law = Distribution.merge(
                names,
                projection.states,
                logs,
                log_error=0.0,
                lost_mass=projection.lost_mass,
                method=choice.method,
                why=choice.why,
                states=len(projection),
            )
            laws.append(law.observe(self.query))
        return laws


@lru_cache(maxsize=16)
def _product_form(network: Network) -> ProductForm:
    """One closed form serves every team of a network, and neighbours are asked for in a row."""
    return ProductForm(network)


def _ends(lattice: Lattice, names: list[str], result: StationaryResult) -> str:
    """Where a chain with several closed classes ends, each named by a state of it."""
    order = np.argsort(-result.weights)
    parts = []
    for c in order[:_MOST_CLASSES]:
        members = result.classes[c]
        state = lattice.states[members[0]]
        shown = ", ".join(f"{n} {name}" for n, name in zip(state, names, strict=True) if n)
        size = "" if len(members) == 1 else f" and {len(members) - 1:,} other states"
        parts.append(f"at {shown or 'nothing'}{size} with probability {result.weights[c]:.4g}")
    more = len(order) - _MOST_CLASSES
    return (
        f"the team ends in one of {len(order)} closed classes: "
        + "; ".join(parts)
        + (f"; and {more} more" if more > 0 else "")
    )


def _positive(max_states: int) -> int:
    if isinstance(max_states, bool) or max_states < 1:
        raise InputError(f"max_states is {max_states!r:.40}: a positive whole number is expected")
    return int(max_states)
