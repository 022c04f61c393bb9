"""What an adversary believes at first: the prior over the team as it is and every hypothesis.

A hypothesis has a name: `team`, `A->B` for the neighbour in which one A has turned B, or its own
for any other. A prior is given in one of two ways, and need not add up to one:

    {"team": 3, "A->B": 1}   a weight for each hypothesis; those left out are ruled out
    {"A": 3, "B": 1}         a weight w for each type that a robot may have. The neighbour s->t then
                             weighs w(t)/w(s) to the team's 1: about a robot of type s the prior is
                             w itself, whichever type s is

Without one, all hypotheses weigh the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from covey.errors import InputError, did_you_mean
from covey.model.hypothesis import Hypothesis
from covey.model.team import Neighbour
from covey.numbers import finite_number

TEAM = "team"


def name_of(hypothesis: Hypothesis) -> str:
    """What a prior calls it: `A->B` for a neighbour."""
    if isinstance(hypothesis, Neighbour):
        return f"{hypothesis.from_type}->{hypothesis.to_type}"
    return str(hypothesis)


def prior_over(
    neighbours: Sequence[Hypothesis],
    prior: Mapping[str, float] | None = None,
    types: Iterable[str] = (),
) -> dict[str, float]:
    """The probability of the team and of every neighbour before anything is seen, by name.

    `types` are the protected ones: those that a prior over types may name.
    """
    names = [TEAM, *map(name_of, neighbours)]
    if prior is None:
        return dict.fromkeys(names, 1 / len(names))
    over_types = set(prior) <= set(types)
    known = list(types) if over_types else names
    for name, weight in prior.items():
        _check(name, weight, known)
    weights = dict.fromkeys(names, 0.0)
    if over_types:
        weights[TEAM] = 1.0
        for neighbour in neighbours:
            weights[name_of(neighbour)] = _odds(neighbour, prior)
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
    expected, key = "a finite number that is not negative", f"prior.{name}"
    finite_number(weight, key, expected, least=0, key=key)
