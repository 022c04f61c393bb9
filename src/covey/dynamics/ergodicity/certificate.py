"""Settling: the proof that a team comes to a steady state, where its states cannot all be listed.

What is looked for is a drift condition (`lyapunov`), by potentials of growing degree, whose core is
small enough to be listed; then a bound on the time that it takes to come back
(`truncated_stationary`). Where none is found, the reason is looked for, and said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.ergodicity.lyapunov import DEGREES, Drift, DriftProblem
from covey.dynamics.ergodicity.truncated_stationary import (
    EASY,
    Return,
    core_states,
    prove_return,
    truncated_stationary,
)
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.state_space.conserved_points import ClassPoints
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, NoStationaryDistributionError, TooLargeError, UnsupportedError
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.structure.structure import Structure
from covey.numbers import Floats, Ints
from covey.words import rounded

MOST_STATES = 3_000_000  # of a truncation: some gigabytes, and minutes
_MOST_FREE = 40
_GROWS = 1e-9  # per unit of time, below which rounding might be all there is
ANOTHER_QUESTION = "A distribution at a time exists, but answers another question"


@dataclass(frozen=True, eq=False)
class ErgodicityCertificate:
    """A team that was shown to settle, ready for the distribution on a truncation."""

    network: Network  # of the reactions that can happen
    whole: Network
    start: Ints  # of the whole network
    usual: Floats  # of the reactions that can happen, as is what follows
    points: ClassPoints
    back: Return

    @property
    def why(self) -> str:
        """What the proof is, in words."""
        return (
            f"a window of states around the mean, and a drift condition of degree "
            f"{self.back.drift.degree} that bounds the rest"
        )

    def distribution(
        self, query: Query, why: str, tolerance: float, max_states: int, progress: Progress | None
    ) -> Distribution:
        """What is seen, for all but the tolerance."""
        found = truncated_stationary(
            self.network, self.points, self.back, self.usual,
            tolerance=tolerance, max_states=min(max_states, MOST_STATES), progress=progress,
        )  # fmt: skip
        states = np.tile(self.start, (len(found.states), 1))
        states[:, [self.whole.index[s] for s in self.network.species]] = found.states
        distribution = Distribution.merge(
            [str(species) for species in self.whole.species],
            states,
            found.log_probabilities,
            log_error=found.log_error,
            truncated_mass=found.truncated_mass,
            method="window",
            why=why,
            states=len(found.states),
        )
        return distribution.observe(query)


def settle(structure: Structure, start: Ints, max_states: int) -> ErgodicityCertificate:
    """The proof for one start; an error with the reason where there is none."""
    live = structure.live(start.tolist())
    if live is None:
        raise UnsupportedError("nothing can happen here: there is no need for a window")
    network, whole = live.network, structure.network
    _check_mass_action(network)
    _check_few_ways(live)
    first = start[[whole.index[species] for species in network.species]]
    anywhere = np.maximum(first, 1.0)
    if growing := _growing(DriftProblem(network, live.conservation_matrix, first, anywhere, ())):
        raise growing
    try:
        usual = equilibrium(network, first)
    except UnsupportedError as error:
        raise UnsupportedError(
            f"there is no telling where to look for a steady state: {error.message}"
        ) from None
    points = ClassPoints(network.changes, live.conservation_matrix, first, usual)
    problem = DriftProblem(network, live.conservation_matrix, first, usual, points.free)
    back = _way_back(problem, points, usual, min(max_states, MOST_STATES))
    return ErgodicityCertificate(network, whole, start, usual, points, back)


def _way_back(problem: DriftProblem, points: ClassPoints, usual: Floats, most: int) -> Return:
    """The bound by the first degree that has an easy core, or else by the last that was found."""
    found: list[Drift] = []
    for degree in DEGREES:
        drift = problem.find(degree)
        if drift is None:
            continue
        found.append(drift)
        try:
            core_states(points, drift, min(most, EASY))
            break
        except TooLargeError:
            continue
    if not found:
        tried = f"potentials of degree {DEGREES[0]} to {DEGREES[-1]} in the counts were tried"
        raise UnsupportedError(
            "no proof was found that the team keeps coming back to where it was, so that there "
            f"may be no steady state ({tried}). It helps if every species that can grow is also "
            "left one by one, as by {A} -> 0, and faster than it is entered; or if its number is "
            "limited by a resource"
        )
    drift = min(found, key=lambda one: one.level)
    try:
        return prove_return(problem.network, points, drift, usual, most)
    except TooLargeError as error:
        raise TooLargeError(
            f"the part of the states in which the team was not shown to head back has "
            f"{error.message}. Leave out species that nobody sees",
            states=error.states,
            larger=("max_states",),
        ) from None


def _growing(problem: DriftProblem) -> CoveyError | None:
    """That there is no steady state, where that can be shown."""
    found = problem.growth()
    if found is None or not found[1] > _GROWS:
        return None
    weights, rate = found
    scale = float(np.abs(weights).max())
    terms = [
        f"{'-' if w < 0 else '+'} {'' if abs(w) > 0.999 * scale else f'{abs(w) / scale:.3g} '}{s}"
        for w, s in zip(weights.tolist(), problem.network.species, strict=True)
        if abs(w) > 1e-6 * scale
    ]
    text = " ".join(terms).removeprefix("+ ")
    leaves = bool((problem.network.changes @ weights < -1e-6 * scale).any())
    mend = "Let them leave faster, or come more slowly" if leaves else "Add a way for them to leave"
    return NoStationaryDistributionError(
        "more arrive than can leave, so that there is no steady state with a finite mean: whatever "
        f"the state, {text} grows on average by at least {rounded(rate / scale, '.3g', 'down')} "
        f"per unit of time. {mend}. {ANOTHER_QUESTION}"
    )


def _check_few_ways(live: Structure) -> None:
    """A window in so many directions holds too many states to begin with."""
    free = len(live.network.species) - len(live.conservation_matrix)
    if free > _MOST_FREE:
        raise TooLargeError(
            f"the counts of {free:,} species are free to change, and a window of states in so many "
            f"directions is too large: at most {_MOST_FREE} are tried. Leave out species that "
            "nobody sees, or take fewer types"
        )


def _check_mass_action(network: Network) -> None:
    network.check_mass_action("the proof that a team with too many states settles")
    if network.kinetics == "power" and (network.reactants > 1).any():
        worst = int(np.argmax((network.reactants > 1).any(axis=1)))
        raise UnsupportedError(
            'kinetics = "power" has no polynomial rates where a reaction takes several of one '
            f'species, as {network.reactions[worst].arrow} does: a window needs "falling"'
        )
