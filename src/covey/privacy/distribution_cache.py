"""The distributions of hypotheses, each computed once.

A distribution is that of a case: a network, a start in it, a moment. There is one solver for every
distinct network, and what does not depend on rates is shared between them (`Solver.at_rates`).
Starts that a relabelling of the types maps onto each other have the same distribution, provided
that it leaves the network and what is seen of it as they are: (10,10,10) in the task network has
six neighbours, and one distinct distribution among them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.solver import Solver
from covey.dynamics.state_space.symmetry import Symmetries
from covey.dynamics.threads import core_count, side_by_side
from covey.dynamics.validation import Progress
from covey.errors import CoveyError
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.privacy.cases import Case

Key = tuple[Solver, tuple[int, ...], tuple[Moment, ...]]

_BY_STATES = ("transient", "stationary")  # methods that compiled code does the most of
_SMALLEST = 10_000  # states: below, distributions beside each other wait for Python's lock
_LARGEST = 250_000  # states: above, the products of one distribution keep all cores busy


class DistributionCache:
    """What is seen of cases at given moments; `solver` is that of the first network."""

    def __init__(
        self,
        solver: Solver,
        query: Query,
        moments: Sequence[Moment],
        progress: Progress | None = None,
    ) -> None:
        self.query, self.moments, self.progress = query, tuple(moments), progress
        self.max_states = solver.max_states
        self._solvers: list[tuple[Solver, Symmetries]] = [(solver, self._alike(solver))]
        self._known: dict[Key, list[Distribution]] = {}

    def __call__(self, case: Case) -> list[Distribution]:
        """The distribution of a case at every moment."""
        return self.several([case])[0]

    def several(self, cases: Sequence[Case]) -> list[list[Distribution]]:
        """Those of cases, in their order; several at once where cores are idle otherwise."""
        keys = [self.key(case) for case in cases]
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        while new:
            # One tells what the others will be like.
            now, new = (new, []) if self._worth_a_core_each() else (new[:1], new[1:])
            self._known |= zip(now, self._computed(now), strict=True)
        found = [self._known[key] for key in keys]
        # A case that is looked at once, whenever the others are, has one distribution for all.
        return [one * len(self.moments) if len(one) < len(self.moments) else one for one in found]

    def key(self, case: Case) -> Key:
        """By what a distribution is known: its solver, the least start alike, its moments."""
        solver, symmetries = self._solver(case.network)
        moments = self.moments if case.at is None else (case.at,)
        return solver, symmetries.least(np.array(case.start)), moments

    def _solver(self, network: Network) -> tuple[Solver, Symmetries]:
        for solver, symmetries in self._solvers:
            if solver.network is network or solver.network == network:
                return solver, symmetries
        solver = self._solvers[0][0].at_rates(network)
        self._solvers.append((solver, self._alike(solver)))
        return self._solvers[-1]

    def _alike(self, solver: Solver) -> Symmetries:
        return solver.symmetries.keeping(self.query)

    def _worth_a_core_each(self) -> bool:
        """Whether those like the known ones are large enough for a core, and too small for two."""
        sizes = [
            distribution.states
            if distribution.method in _BY_STATES and distribution.states is not None
            else 0
            for distributions in self._known.values()
            for distribution in distributions
        ]
        most = min(_LARGEST, self.max_states // core_count())  # each has its own memory
        return bool(sizes) and _SMALLEST <= max(sizes) <= most

    def _computed(self, keys: list[Key]) -> list[list[Distribution]]:
        """The distributions of these. Only the thread that asks is told how far they are."""
        asking, stopped = threading.current_thread(), threading.Event()
        said, before = self.progress, len(self._known)

        def distribution(i: int) -> list[Distribution]:
            def progress(part: float, whole: float, text: str) -> None:
                if stopped.is_set():
                    raise CoveyError("stopped")
                if said is not None and threading.current_thread() is asking:
                    said(part, whole, f"distribution {before + i + 1:,}: {text}")

            solver, start, moments = keys[i]
            try:
                progress(0, 1, "begins")  # small ones say nothing more, and there may be many
                return solver.distributions(start, moments, self.query, progress=progress)
            except KeyboardInterrupt:
                stopped.set()
                raise

        return side_by_side(distribution, len(keys))
