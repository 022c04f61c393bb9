"""Tables that keep to ε for every rate of a box.

The linear program knows rates one by one: it is solved for the scenario's own, its answer is
bounded over the box (`rate_box`), and the corners at which it fails are added to the program, with
so much less ε as the bound is above what is true there. What is handed out has a proved bound over
the whole box; where none is found, the same is always published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from covey.errors import InputError
from covey.privacy.cases import team_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.rate_box import BoxBound

_ROUNDS = 8
_MOST = 0.9  # of ε that the program may be left without
_BEYOND = 1.05  # of what is missing is taken from ε in a round


def protected_in_box(task: Task, box: BoxBound, solve: Callable[[Task], Mechanism]) -> Mechanism:
    """The mechanism whose bound over the box is at most ε.

    Args:
        task: What is asked for at the scenario's own rates.
        box: The rates, and the teams that must look alike.
        solve: Finds the mechanism of a task.
    """
    corners: set[int] = set()
    slack = least = 0.0
    for _ in range(_ROUNDS):
        if slack >= _MOST * task.epsilon:
            break
        found = solve(replace(task, guarded=_at_corners(task, box, corners), slack=slack))
        # What keeps to ε in the whole box does so at the scenario's rates: the first bound holds.
        least = max(least, found.least)
        worst = box.worst(found.release)
        upper = max(bound for bound, _, _ in worst)
        if upper <= task.epsilon:
            return _promised(replace(found, least=min(least, found.loss)), box, upper)
        new = {corner for bound, _, corner in worst if bound > task.epsilon} - corners
        if new:
            slack = max(slack, *(rest for bound, rest, _ in worst if bound > task.epsilon))
        else:
            slack += _BEYOND * (upper - task.epsilon)
        corners |= new
    if (same := task.constant(task.outcomes)) is None:
        raise InputError(
            "no table was found whose leakage is at most ε over the whole box of rates, and the "
            "loss allows no constant: take a larger ε or a smaller box",
            key="within",
        )
    return _promised(replace(same, least=min(least, same.loss)), box, 0.0)


def _promised(found: Mechanism, box: BoxBound, upper: float) -> Mechanism:
    made_for = {**found.release.made_for, "within": box.box.table()}
    upper = max(upper, found.leakage.interval[1])
    return replace(
        found, release=replace(found.release, leakage=upper, made_for=made_for), within=box.box
    )


def _at_corners(task: Task, box: BoxBound, corners: set[int]) -> tuple[TeamDistributions, ...]:
    """What is there at some corners of the box, of every team with its neighbours."""
    return tuple(
        TeamDistributions(
            one.scenario,
            one.at,
            box.distribution(one.scenario.team, corner),
            tuple(
                (n, box.distribution(team_of(one.scenario, n), corner)) for n, _ in one.neighbours
            ),
        )
        for corner in sorted(corners)
        for one in task.compared
    )
