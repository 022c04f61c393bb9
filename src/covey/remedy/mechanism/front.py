"""Privacy against accuracy: what the mechanism costs at every ε, beside the usual ways to say less.

On one pair of axes: how much one snapshot gives away, and what its reader loses. Of all that is
published by some channel, nothing lies below the program's points at its ε (`program`), but for
their gap to the optimum; what else there is (`baselines`) lies on or above the line through them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError
from covey.model.following import refuse_following
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.privacy.headline import DELTA
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.remedy.mechanism.baselines import compared, noise_for
from covey.remedy.mechanism.losses import Loss
from covey.remedy.mechanism.mechanism import Compared, Mechanism
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.protect import (
    check_epsilon,
    distributions_for,
    of_what_can_be_there,
    with_what_cannot,
)
from covey.remedy.mechanism.public_set import Teams, public_set
from covey.remedy.stand_in.one_away import OneAway, one_away
from covey.showing import Drawing
from covey.tabular import Tabular, columns_of

POINTS = 7
_PAYS = 0.01  # of the loss, for which what cannot be there is looked at for a smaller ε, too
_MOST = 4.0  # the first ε, where the truth leaks more


@dataclass(frozen=True, eq=False)
class Front(Drawing, Tabular):
    """What can be had: so much privacy at such a cost.

    Attributes:
        mechanisms: What costs least at each ε, the laxest first.
        program: The same as points of the front.
        others: The usual ways to say less.
        delta: The probability with which ε may be exceeded.
        stand_in: A stand-in whose reference is one robot off; None where that is not known.
    """

    mechanisms: tuple[Mechanism, ...]
    program: tuple[Compared, ...]
    others: tuple[Compared, ...]
    delta: float
    stand_in: Compared | None = None

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each way to publish."""
        return columns_of(vars(point) for point in self.points)

    @property
    def points(self) -> tuple[Compared, ...]:
        """All of them."""
        last = () if self.stand_in is None else (self.stand_in,)
        return self.program + self.others + last

    def spent(self, point: Compared) -> float:
        """How much a snapshot gives away at a point: its leakage, or ε at δ where a δ is granted.

        Args:
            point: One of the front.
        """
        return point.epsilon if self.delta else point.leakage

    def __str__(self) -> str:
        first, last = self.mechanisms[0], self.mechanisms[-1]
        middle = self.mechanisms[len(self.mechanisms) // 2]
        as_good = [
            p for p in self.others if self.spent(p) <= middle.epsilon and math.isfinite(p.loss)
        ]
        best = min(as_good, key=lambda p: p.loss, default=None)
        beside = (
            "none of the usual ways to say less does it at all"
            if best is None
            else f"the cheapest of the usual ways to say less, {best.name}, {best.loss:.3g}"
        )
        return (
            f"From ε = {first.epsilon:.3g} to {last.epsilon:.3g} the mechanism that costs least "
            f"loses from {first.loss:.3g} to {last.loss:.3g} a snapshot. To give away at most "
            f"{middle.epsilon:.3g} it loses {middle.loss:.3g}; {beside}."
        )


def front(
    scenario: Scenario,
    epsilons: Sequence[float] | None = None,
    delta: float = 0.0,
    *,
    loss: Loss = "l1",
    teams: Teams | None = None,
    at: Moment | Sequence[Moment] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Front:
    """What one snapshot gives away against what its reader loses: the mechanism beside other ways.

    Args:
        scenario: The team, its network, and what is seen of it.
        epsilons: At which the mechanism is found; by default seven, from 4 or half of the leakage
            as it is on, each half of the one before.
        delta: The probability with which ε may be exceeded.
        loss: What it costs to publish something else, as `protect` takes it.
        teams: A public set of teams, as `protect` takes it, for each of which the same is
            published (`Tables.blind`); by default the scenario's, else its team alone.
        at: A moment or several, as `protect` takes them.
        limits: How to compute the distributions: which method, on how many states, to which
            tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    refuse_following(scenario, "a table")
    alone = teams is None and scenario.secret.teams is None
    among = None if alone else public_set(scenario, teams)
    distributions, _ = distributions_for(scenario, among, at, limits, progress)
    told_apart = [one for one in distributions if one.neighbours]
    found = front_of(told_apart, epsilons, delta, loss, progress)
    if len(distributions) > 1:
        return found
    try:
        solver = Solver(scenario.network, limits)
        return replace(found, stand_in=as_point(one_away(solver, scenario, loss, progress), delta))
    except CoveyError:
        return found


def as_point(found: OneAway, delta: float) -> Compared:
    """A stand-in as a point of a front: it gives away nothing, by one snapshot or by many."""
    return Compared(
        "stand-in", "a stand-in, one robot off", 0.0, 0.0, delta or DELTA, 0.0, found.loss
    )


def front_of(
    distributions: Sequence[TeamDistributions],
    epsilons: Sequence[float] | None = None,
    delta: float = 0.0,
    loss: Loss = "l1",
    progress: Progress | None = None,
    points: int = POINTS,
) -> Front:
    """The front of teams whose distributions are known; without `epsilons` so many points of it."""
    listed = _usual(distributions)[:points] if epsilons is None else sorted(epsilons, reverse=True)
    if not listed:
        raise InputError("no ε is given: some numbers above 0 are expected", key="epsilons")
    for epsilon in listed:
        check_epsilon(epsilon)
    mechanisms: list[Mechanism] = []
    further = True
    for done, epsilon in enumerate(listed):
        if progress is not None:
            progress(done, len(listed), f"the mechanism for ε = {epsilon:.3g}")
        task = Task(tuple(distributions), epsilon, delta, loss)
        found = best = of_what_can_be_there(task)
        if further:  # the smaller ε, the harder it is to look at all that could be published
            best = with_what_cannot(task, found)
            further = best is found or best.loss < found.loss * (1 - _PAYS)
        mechanisms.append(best)
    at = delta or DELTA
    others = compared(distributions, listed[0], loss, at)
    for epsilon in listed[1:]:
        others += noise_for(distributions, epsilon, loss, at)
    program = tuple(found.as_point(at) for found in mechanisms)
    return Front(tuple(mechanisms), program, tuple(others), delta)


def _usual(distributions: Sequence[TeamDistributions]) -> list[float]:
    leaks = max(leakage_of(one).interval[1] for one in distributions)
    first = min(leaks / 2, _MOST) or _MOST
    return [first / 2**k for k in range(POINTS)]
