"""What an adversary believes at first: the prior over the team as it is and every hypothesis.

A hypothesis has a name: `team`, `A->B` for the neighbour in which one A has turned B, or its own
for any other. Where one robot is followed, `A` says that it is an A, and `A->B` that it is a B
among the same others. A prior is given in one of two ways, and need not add up to one:

    {"team": 3, "A->B": 1}   a weight for each hypothesis; those left out are ruled out
    {"A": 3, "B": 1}         a weight w for each type that a robot may have. The neighbour s->t then
                             weighs w(t)/w(s) to the team's 1: about a robot of type s the prior is
                             w itself, whichever type s is

Without one, all hypotheses weigh the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from covey.errors import InputError, did_you_mean
from covey.model.following import followed
from covey.model.hypothesis import Hypothesis
from covey.model.scenario import Scenario
from covey.model.team import Neighbour, Team
from covey.numbers import is_number
from covey.privacy.cases import Case, case_of, team_of
from covey.privacy.hypotheses import hypotheses_of

TEAM = "team"


def name_of(hypothesis: Hypothesis) -> str:
    """What a prior calls it: `A->B` for a neighbour."""
    if isinstance(hypothesis, Neighbour):
        return f"{hypothesis.from_type}->{hypothesis.to_type}"
    return str(hypothesis)


@dataclass(frozen=True)
class Supposed:
    """What a prior weighs: a scenario as it is, or under a hypothesis.

    Attributes:
        name: What a prior calls it.
        scenario: The scenario as it is.
        hypothesis: What it is instead; None where it is as it is.
    """

    name: str
    scenario: Scenario
    hypothesis: Hypothesis | None = None

    @property
    def team(self) -> Team:
        """The team that is supposed."""
        return team_of(self.scenario, self.hypothesis)

    @property
    def case(self) -> Case:
        """What its distribution is computed of."""
        return case_of(self.scenario, self.hypothesis)


def all_supposed(scenario: Scenario) -> list[Supposed]:
    """Every hypothesis of a scenario by its name, what is there before what it could be instead."""
    if scenario.adversary.follow is None:
        others = [Supposed(name_of(one), scenario, one) for one in hypotheses_of(scenario)]
        return [Supposed(TEAM, scenario), *others]
    return [
        one
        for robot in followed(scenario)
        for one in (
            Supposed(robot.type, robot.scenario),
            *(Supposed(name_of(other), robot.scenario, other) for other in robot.hypotheses),
        )
    ]


def prior_over(
    hypotheses: Mapping[str, Hypothesis | None],
    prior: Mapping[str, float] | None = None,
    types: Iterable[str] = (),
) -> dict[str, float]:
    """The probability of the team and of every hypothesis before anything is seen, by name.

    Those that are None are the team as it is. `types` are the protected ones: those that a prior
    over types may name.
    """
    names = list(hypotheses)
    if prior is None:
        return dict.fromkeys(names, 1 / len(names))
    over_types = set(prior) <= set(types)
    known = list(types) if over_types else names
    for name, weight in prior.items():
        _check(name, weight, known)
    weights = dict.fromkeys(names, 0.0)
    if over_types:
        weights = {
            name: 1.0 if one is None else _odds(one, prior) for name, one in hypotheses.items()
        }
    else:
        weights |= {name: float(weight) for name, weight in prior.items()}
    most = max(weights.values())
    if most == 0:
        raise InputError("the prior adds up to 0: some hypothesis must be possible")
    if most == math.inf:
        raise InputError(
            "the weights of the prior lie too far apart: give them nearer to each other"
        )
    shares = {name: weight / most for name, weight in weights.items()}  # their sum is finite
    total = math.fsum(shares.values())
    return {name: share / total for name, share in shares.items()}


def _odds(neighbour: Hypothesis, prior: Mapping[str, float]) -> float:
    """How much the neighbour weighs to the team's 1, from a prior over types."""
    if not isinstance(neighbour, Neighbour):
        raise InputError(
            f"a prior over types says nothing of {neighbour}: give a weight for each "
            f"hypothesis, as team=3,{neighbour}=1"
        )
    own = float(prior.get(neighbour.from_type, 0.0))
    if own == 0:
        raise InputError(
            f"the prior rules out {neighbour.from_type}, of which this team has robots: "
            "give it a positive weight",
            key=f"prior.{neighbour.from_type}",
        )
    return float(prior.get(neighbour.to_type, 0.0)) / own


def _check(name: str, weight: object, known: Sequence[str]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f" Known: {', '.join(known[:8])}."
        raise InputError(f"the prior names {name[:40]}, which is no hypothesis here.{hint}",
                         key=f"prior.{name}")  # fmt: skip
    if not is_number(weight) or not 0 <= float(weight) < math.inf:
        raise InputError(
            f"prior.{name} is {weight!r:.40}: a finite number that is not negative is expected",
            key=f"prior.{name}",
        )
