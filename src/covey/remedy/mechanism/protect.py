"""What to publish instead: the mechanism that costs least and gives away at most ε.

Distributions of the team and its neighbours, or of every team of a set, at every moment, are one
task (`task`): a linear program, whose answer is evaluated before it is handed out. Where that
fails, more of the rare outcomes are published as common ones, and it is solved again; in the end
the same is always published, which tells nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, shown
from covey.model.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.team import Team, check_count
from covey.numbers import Ints, distinct_rows, is_number
from covey.privacy.snapshot.output_distributions import TeamDistributions, distributions_by
from covey.remedy.mechanism.linear_program import NotSolvedError
from covey.remedy.mechanism.losses import Loss
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.problem import MIXED, MIXED_MORE, Task

Teams = Mapping[str, Iterable[int]]

_RARE = (1e-8, 1e-6, 1e-4, 1e-3)  # a probability below which an outcome is rare
_MOST_TEAMS = 200


def protect(
    scenario: Scenario,
    epsilon: float,
    delta: float = 0.0,
    *,
    loss: Loss = "l1",
    teams: Teams | None = None,
    at: Moment | Sequence[Moment] | None = None,
    publish: Iterable[Sequence[int]] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Mechanism:
    """What to publish instead of what is there, so that one snapshot gives away at most ε.

    Of all tables that keep to it and publish only what can be there, the one that costs least;
    `Mechanism` says what is promised, and `Mechanism.least` how near it is to the best of them. It
    is for one snapshot: publishing again and again gives away more, and `stream` says how much.

    Args:
        scenario: The team, its network, and what is seen of it.
        epsilon: ε > 0: the leakage of what is published may be so much.
        delta: And so much more for each event: at most e^ε times as likely, plus δ.
        loss: What it costs to publish something else: "l1", "squared", "change" (the chance that
            anything is changed), a weight for each count, or a table {seen: {published: loss}}.
        teams: Counts for some of the types, as {"A": range(5, 8)}: then every such team is
            protected from each of its neighbours; by default the scenario's team is.
        at: A moment or several, at each of which it is to hold; by default when the adversary
            looks.
        publish: The outcomes that may be published; by default every one that is possible for one
            of the teams or neighbours.
        limits: How to compute the distributions: which method, on how many states, to which
            tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    check_epsilon(epsilon)
    if not is_number(delta) or not 0 <= delta < 1:
        raise InputError(
            f"delta is {shown(delta)}: a probability below 1 is expected, as 1e-6", key="delta"
        )
    distributions, made_for = distributions_for(scenario, teams, at, limits, progress)
    task = Task(tuple(distributions), float(epsilon), float(delta), loss, made_for)
    return protected(task, publish, progress)


def check_epsilon(epsilon: float) -> None:
    """Refuses what is no ε."""
    if not is_number(epsilon) or not 0 < epsilon < math.inf:
        raise InputError(
            f"epsilon is {shown(epsilon)}: a number above 0 is expected, as 0.5", key="epsilon"
        )


def distributions_for(
    scenario: Scenario,
    teams: Teams | None,
    at: Moment | Sequence[Moment] | None,
    limits: Limits | None,
    progress: Progress | None,
) -> tuple[list[TeamDistributions], dict[str, Any]]:
    """The distributions of what is there, of every team at every moment, and their fingerprint."""
    moments = _moments(scenario, at)
    members = _teams(scenario, teams)
    plain = scenario.unpublished()
    solver = Solver(plain.network, limits)
    distributions = [
        found
        for team in members
        for found in distributions_by(solver, plain.with_(team=team, warn=False), moments, progress)
    ]
    return distributions, scenario.fingerprint(members, moments)


def protected(
    task: Task,
    publish: Iterable[Sequence[int]] | None = None,
    progress: Progress | None = None,
) -> Mechanism:
    """The mechanism for teams whose distributions are known."""
    if publish is None and task.truth_is_best:
        same = task.judged(task.table(task.outcomes, np.eye(len(task.outcomes))))
        if same is not None:
            return same
    task.check_reachable()
    columns = task.outcomes if publish is None else _rows(publish, task.names)
    attempts = [(shares, rare) for shares in (MIXED, MIXED_MORE) for rare in _RARE]
    for attempt, (shares, rare) in enumerate(attempts):
        if progress is not None:
            progress(attempt, len(attempts), "solving the linear program")
        try:
            found = task.solved(rare, columns, publish is not None, shares)
        except NotSolvedError:
            continue
        if found is not None:
            return replace(found, listed=publish is not None)
    if (same := task.constant(columns)) is not None:
        return replace(same, listed=publish is not None)
    raise InputError(
        "the loss allows nothing that can always be published, and no table within it was found "
        f"whose leakage is certainly at most {task.epsilon:g}: allow more of the loss, or a larger "
        "ε",
        key="loss",
    )


def _moments(scenario: Scenario, at: Moment | Sequence[Moment] | None) -> list[Moment]:
    if at is None:
        return [scenario.adversary.at]
    moments: list[Moment] = [at] if isinstance(at, str | int | float) else list(at)
    if not moments:
        raise InputError("no moment is given: a time or steady is expected", key="at")
    return list(dict.fromkeys(moments))


def _teams(scenario: Scenario, teams: Teams | None) -> list[Team]:
    """Every team of the set."""
    if teams is None:
        return [scenario.team]
    for name in teams:
        if name not in scenario.team.types:
            raise InputError(
                f"{shown(name)} is not a type: {', '.join(scenario.team.types)} are", key="teams"
            )
    choices = {
        name: [check_count(n, f"teams.{name}") for n in teams.get(name, [count])]
        for name, count in scenario.team.types.items()
    }
    size = math.prod(map(len, choices.values()))
    if not 0 < size <= _MOST_TEAMS:
        raise InputError(f"{size:,} teams are meant: 1 to {_MOST_TEAMS} are expected", key="teams")
    return [
        Team(dict(zip(choices, counts, strict=True)), scenario.team.resources)
        for counts in product(*choices.values())
        if sum(counts) > 0
    ]


def _rows(publish: Iterable[Sequence[int]], names: tuple[str, ...]) -> Ints:
    listed = [tuple(row) for row in publish]
    if not listed or any(len(row) != len(names) for row in listed):
        raise InputError(
            f"outcomes that may be published have {len(names)} counts each: {', '.join(names[:8])}",
            key="publish",
        )
    checked = [[check_count(n, "publish") for n in row] for row in listed]
    return distinct_rows(np.array(checked, dtype=np.int64))[0]
