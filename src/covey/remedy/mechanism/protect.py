"""What to publish instead: the mechanism that costs least and gives away at most ε.

**A table must not be a function of the secret.** Whoever sees a table sees what it was made for:
one that was made for the own team names that team. So a table is made for a public set of teams,
fixed without looking at the own one, and protects every two of them that differ in one robot's
type. Whoever publishes knows its team, so that there is one table a team, all chosen together
(`blind`: one for all). The set and the tables are public; which team is real is in none of them.

Distributions of every team of the set, at every moment, are one task (`problem`): a linear program,
whose answer is evaluated before it is handed out. Where that fails, more of the rare outcomes are
published as common ones, and it is solved again; in the end the same is always published, which
tells nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, TooLargeError, UnsupportedError, shown
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.secret import TeamSet
from covey.model.team import check_count
from covey.numbers import Ints, distinct_rows, finite_number, is_number
from covey.privacy.cases import team_of
from covey.privacy.hypotheses import check_types_only
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.remedy.mechanism.losses import Loss
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.problem import MIXED, MIXED_MORE, Task
from covey.remedy.mechanism.program.linear_program import NotSolvedError
from covey.remedy.mechanism.protect_box import protected_in_box
from covey.remedy.mechanism.public_set import Teams, public_set, set_distributions
from covey.remedy.mechanism.rate_box import BoxBound, RateBox, Span

_RARE = (1e-8, 1e-6, 1e-4, 1e-3)  # a probability below which an outcome is rare
_RARE_OF_MANY = (1e-8, 1e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 1e-3)
_MANY = 2_000  # outcomes, of which a program takes as many as it can
_MOST_MOMENTS = 1_000
_CHEAPER = 1e-3  # of the loss, for which what cannot be there is published too


@dataclass(frozen=True)
class Tables:
    """How a table is made for a set of teams.

    Args:
        blind: Whether one table is for all teams; by default there is one a team, which costs less.
        weigh: Whether the loss is that of the "worst" team, or the "mean" over them.
        within: Promise it for every rate of a box, by proved bounds: a share by which every rate
            may be off, 0.05 for five percent, or {"meet": (0.18, 0.23)}. At steady state, and
            without a δ.
    """

    blind: bool = False
    weigh: Literal["worst", "mean"] = "worst"
    within: float | Mapping[str, tuple[float, float]] | None = None

    def __post_init__(self) -> None:
        if self.weigh not in ("worst", "mean"):
            raise InputError(
                f"weigh is {shown(self.weigh)}: worst or mean is expected", key="weigh"
            )


def protect(
    scenario: Scenario,
    epsilon: float,
    delta: float = 0.0,
    *,
    teams: Teams | None = None,
    tables: Tables | None = None,
    loss: Loss = "l1",
    at: Moment | Sequence[Moment] | None = None,
    publish: Iterable[Sequence[int]] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Mechanism:
    """What to publish instead of what is there, so that one snapshot gives away at most ε.

    Of all tables that keep to it, those that cost least. `Mechanism` says what is promised, and
    `Mechanism.least` is a bound below which no table gets. The promise is for one snapshot:
    publishing again and again gives away more, and `stream` says how much.

    Args:
        scenario: The network, and what is seen of a team.
        epsilon: ε > 0: the leakage of what is published may be so much.
        delta: And so much more for each event: at most e^ε times as likely, plus δ.
        teams: The public set of teams, as {"carrier": (5, 7), "picker": (3, 5)}: every two of them
            that differ in one robot's type are protected. By default that of the scenario's
            [secret]. "this" means the scenario's team alone, protected from its neighbours: such a
            table names the team, and must stay as secret as the team is.
        tables: One table a team or one for all, and how their losses are weighed.
        loss: What it costs to publish something else: "l1", "squared", "change" (the chance that
            anything is changed), a weight for each count, or a table {seen: {published: loss}}.
        at: A moment or several, at each of which it is to hold; by default when the adversary
            looks.
        publish: The outcomes that may be published; by default all that is possible for one of the
            teams, and other counts where that costs less.
        limits: How to compute the distributions: which method, on how many states, to which
            tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    epsilon = check_epsilon(epsilon)
    if not is_number(delta) or not 0 <= delta < 1:
        raise InputError(
            f"delta is {shown(delta)}: a probability below 1 is expected, as 1e-6", key="delta"
        )
    among = public_set(scenario, teams)
    how = tables or Tables()
    distributions, made_for = distributions_for(scenario, among, at, limits, progress)
    task = Task(
        tuple(distributions), epsilon, float(delta), loss, made_for,
        one_each=among is not None and not how.blind,
        worst=among is not None and how.weigh == "worst",
    )  # fmt: skip
    if how.within is None:
        return replace(protected(task, publish, progress), teams=among)
    box = _box(scenario.unpublished(), task, how.within, limits)
    found = protected_in_box(task, box, lambda one: protected(one, publish, progress))
    return replace(found, teams=among, listed=publish is not None)


def _box(
    scenario: Scenario, task: Task, within: float | Mapping[str, Span], limits: Limits | None
) -> BoxBound:
    """What bounds tables over a box of rates."""
    if task.delta:
        raise UnsupportedError("a box of rates is bounded without a δ: leave delta out")
    if any(one.at != "steady" or one.age is not None for one in task.distributions):
        raise UnsupportedError(
            "a box of rates is bounded at steady state, of teams that nobody joins: there sums "
            "over the trees of the chain prove it (--at steady)"
        )
    check_types_only(scenario, "a box of rates")
    pairs = [
        (one.scenario.team, team_of(one.scenario, n))
        for one in task.compared
        for n, _ in one.neighbours
    ]
    box = RateBox.of(scenario, within)
    return BoxBound(Solver(scenario.network, limits), scenario, box, pairs)


def check_epsilon(epsilon: object) -> float:
    """It as ε; refuses what is none."""
    expected, least = "a number above 0", math.ulp(0.0)
    return finite_number(epsilon, "epsilon", expected, least=least, key="epsilon")


def distributions_for(
    scenario: Scenario,
    teams: TeamSet | None,
    at: Moment | Sequence[Moment] | None,
    limits: Limits | None,
    progress: Progress | None,
) -> tuple[list[TeamDistributions], dict[str, Any]]:
    """The distributions of what is there, of every team at every moment, and their fingerprint."""
    moments = _moments(scenario, at)
    plain = scenario.unpublished()
    solver = Solver(plain.network, limits)
    found = set_distributions(solver, plain, teams, moments, progress)
    made_for = scenario.fingerprint([scenario.team], moments)
    if teams is not None:
        every = {name: [count, count] for name, count in scenario.team.types.items()}
        made_for["teams"] = every | teams.table()
    return found, made_for


def protected(
    task: Task, publish: Iterable[Sequence[int]] | None = None, progress: Progress | None = None
) -> Mechanism:
    """The mechanism for teams whose distributions are known."""
    return with_what_cannot(task, of_what_can_be_there(task, publish, progress), progress)


def of_what_can_be_there(
    task: Task, publish: Iterable[Sequence[int]] | None = None, progress: Progress | None = None
) -> Mechanism:
    """The best that publishes what can be there, or what is listed."""
    if publish is None and task.truth_is_best:
        same = task.judged(task.same())
        if same is not None:
            return same
    task.check_reachable()
    if publish is not None:
        listed = _rows(publish, task.names)
        return replace(_found(task, listed, True, progress), listed=True)
    found = _found(task, task.outcomes, False, progress)
    return replace(found, possible=True) if task.everything is None else found


def with_what_cannot(task: Task, found: Mechanism, progress: Progress | None = None) -> Mechanism:
    """The same, or what publishes values that cannot be there as well, where that costs less.

    They may be nearer to what can be. Where they are not looked at, `found` itself is given back.
    """
    if found.listed or task.everything is None or found.gap <= _CHEAPER:
        return found
    other = _found(task, task.everything, True, progress)
    least = max(found.least, min(other.least, found.loss))
    best = other if other.loss < found.loss * (1 - _CHEAPER) else found
    return replace(best, least=min(least, best.loss))


def _found(task: Task, columns: Ints, whole: bool, progress: Progress | None) -> Mechanism:
    """The best that publishes these columns: all of them, or only those that are common."""
    found = _attempted(task, columns, whole, progress)
    if found is not None and found.gap <= _CHEAPER:
        return found
    same = task.constant(columns)
    if found is not None and (same is None or found.loss <= same.loss):
        return found
    if same is not None:
        return same if found is None else replace(same, least=min(found.least, same.loss))
    raise InputError(
        "the loss allows nothing that can always be published, and no table within it was found "
        f"whose leakage is certainly at most {task.epsilon:g}: allow more of the loss, or a larger "
        "ε",
        key="loss",
    )


def _attempted(
    task: Task, columns: Ints, whole: bool, progress: Progress | None
) -> Mechanism | None:
    """The first that keeps to the target, of what takes ever more outcomes for rare."""
    rares = _RARE if len(task.outcomes) <= _MANY else _RARE_OF_MANY
    attempts = [(shares, rare) for shares in (MIXED, MIXED_MORE) for rare in rares]
    for attempt, (shares, rare) in enumerate(attempts):
        if progress is not None:
            progress(attempt, len(attempts), "solving the linear program")
        try:
            found = task.solved(rare, columns, whole, shares)
        except NotSolvedError:
            continue
        if found is not None:
            return found
    return None


def _moments(scenario: Scenario, at: Moment | Sequence[Moment] | None) -> list[Moment]:
    if at is None:
        return [scenario.adversary.at]
    moments: list[Moment] = [at] if isinstance(at, str | int | float) else list(at)
    if not moments:
        raise InputError("no moment is given: a time or steady is expected", key="at")
    if len(moments) > _MOST_MOMENTS:
        raise TooLargeError(
            f"{len(moments):,} moments: at most {_MOST_MOMENTS:,} can be, since the distributions "
            "of all of them are kept; for a stream give --target instead (protect_stream)"
        )
    return list(dict.fromkeys(moments))


def _rows(publish: Iterable[Sequence[int]], names: tuple[str, ...]) -> Ints:
    listed = [tuple(row) for row in publish]
    if not listed or any(len(row) != len(names) for row in listed):
        raise InputError(
            f"outcomes that may be published have {len(names)} counts each: {', '.join(names[:8])}",
            key="publish",
        )
    checked = [[check_count(n, "publish") for n in row] for row in listed]
    return distinct_rows(np.array(checked, dtype=np.int64))[0]
