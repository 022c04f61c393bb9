"""Pairs (x, w) of states: of the real team, and of the reference that is published instead of it.

At a pair the real team does r at the rate λ_r(x), the reference s at the rate μ_s(w). A coupling is
m ≥ 0 with Σ_s m_rs ≤ λ_r and Σ_r m_rs ≤ μ_s: so fast they do r and s together; what is left of each
they do alone. Whatever m is, w alone does s at the rate

    Σ_r λ_r (m_rs / λ_r)  +  μ_s − Σ_r m_rs  =  μ_s(w):

it is the chain of the reference, whatever the real team is. Pairs are numbered x first: i · m + j.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.solver import Solver
from covey.errors import InputError, TooLargeError
from covey.model.scenario import Scenario
from covey.model.structure.reachability import reach
from covey.numbers import Floats, Ints
from covey.remedy.mechanism.losses import Loss, losses_of

MOST_PAIRS = 250_000  # some two minutes for the best coupling


@dataclass(frozen=True, eq=False)
class Side:
    """One of both chains: its states, and where each reaction leads, how fast.

    Attributes:
        chain: The chain, on all states that the team can reach.
        rates: How fast each reaction is in each state: (states, reactions).
        into: The state that it leads to; 0 where it cannot happen.
        seen: What each state shows: (states, counts).
    """

    chain: Chain
    rates: Floats
    into: Ints
    seen: Ints

    @classmethod
    def of(cls, solver: Solver, scenario: Scenario) -> Side:
        """That of a scenario's team."""
        chain = solver.chain(scenario.start)
        network, states = chain.network, chain.lattice.states
        shape = len(states), len(network.reactions)
        rates, into = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        for reaction in range(shape[1]):
            rates[:, reaction] = propensity(network, reaction, states.T)
            able = np.flatnonzero(rates[:, reaction] > 0)
            into[able, reaction] = chain.lattice.successors(able, network.changes[reaction])
        return cls(chain, rates, into, chain.seen(scenario.query))

    def __len__(self) -> int:
        return len(self.seen)


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of two chains of one wiring, and what each costs.

    Attributes:
        real: The chain of the real team.
        reference: The chain of the one that is published.
        loss: What it costs to show the one where the other is there: (real, reference).
    """

    real: Side
    reference: Side
    loss: Floats

    @classmethod
    def of(cls, solver: Solver, real: Scenario, reference: Scenario, loss: Loss) -> Pairs:
        """Those of two scenarios; refused where there are too many."""
        if not real.network.same_wiring(reference.network):
            raise InputError(
                "the reference has other reactions than the team: it may differ in its robots, "
                "rates and start alone",
                key="stand_in",
            )
        other = solver.at_rates(reference.network)
        reached = [
            reach(one.structure, s.start.tolist(), enough=MOST_PAIRS)  # not to the end
            for one, s in ((solver, real), (other, reference))
        ]
        sizes = [one.at_least for one in reached]
        if sizes[0] * sizes[1] > MOST_PAIRS or any(one.states is None for one in reached):
            raise TooLargeError(
                f"{sizes[0]:,} states of the team and {sizes[1]:,} of the reference, if not more, "
                f"make {sizes[0] * sizes[1]:,} pairs, and {MOST_PAIRS:,} are coupled at their best "
                'at most: coupling="difference" takes any number'
            )
        sides = Side.of(solver, real), Side.of(other, reference)
        names = tuple(real.query.groups(real.network))
        outcomes, places = zip(
            *(np.unique(s.seen, axis=0, return_inverse=True) for s in sides), strict=True
        )
        costs = losses_of(loss, names, *outcomes)
        return cls(*sides, costs[np.ix_(places[0].ravel(), places[1].ravel())])

    def __len__(self) -> int:
        return self.loss.size

    @property
    def apart(self) -> Floats:
        """By how many robots the states differ, place by place: (real, reference)."""
        ours, theirs = (side.chain.lattice.states.astype(np.int64) for side in self.sides)
        total = np.zeros(self.loss.shape)
        for species in range(ours.shape[1]):  # one at a time: less memory
            total += np.abs(ours[:, species, None] - theirs[None, :, species])
        return total

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both chains."""
        return self.real, self.reference

    @cached_property
    def stationary(self) -> Floats:
        """Both in their stationary distribution, apart from each other: (pairs,)."""
        ours, theirs = (side.chain.stationary().probabilities for side in self.sides)
        return np.outer(ours, theirs).ravel()

    @property
    def start(self) -> Floats:
        """Both at their start: (pairs,)."""
        return np.outer(self.real.chain.start, self.reference.chain.start).ravel()


@dataclass(frozen=True, eq=False)
class Coupling:
    """Which reactions go together at every pair.

    Attributes:
        pairs: The pairs.
        which: At each pair the numbers r · reactions + s of what goes together, then -1.
        rates: How fast each of them is: (pairs, at most).
        best: Whether no other coupling was found to cost less in the long run.
    """

    pairs: Pairs
    which: NDArray[np.int32]
    rates: Floats
    best: bool

    @cached_property
    def transitions(self) -> Transitions:
        """Those of the pair: together, and each alone."""
        from covey.dynamics.kernels.coupling import transport as kernels  # noqa: PLC0415

        real, reference = self.pairs.sides
        most = len(self.pairs) * 2 * real.rates.shape[1] + int((self.which >= 0).sum())
        sources, targets = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
        rates = np.empty(most)
        found = kernels.transitions(
            real.rates, real.into, reference.rates, reference.into, self.which, self.rates,
            sources, targets, rates,
        )  # fmt: skip
        return Transitions(sources[:found], targets[:found], rates[:found])

    @cached_property
    def generator(self) -> Generator:
        """The chain of both together."""
        moves = self.transitions
        exits = np.bincount(moves.sources, moves.rates, len(self.pairs)).astype(np.float64)
        return Generator.from_transitions([moves], exits)
