"""What is seen of a followed robot, held against the chain in which every robot has a name."""

from __future__ import annotations

import itertools
import warnings
from functools import partial

import numpy as np
import pytest

import covey
from covey.dynamics.solver import Solver
from covey.model.following import followed
from covey.privacy.hypotheses import Star
from covey.privacy.stream.joint_distributions import joint_distributions_by
from tests.privacy.following.labelled_robots import STEP, LabelledChain, State, place_of
from tests.privacy.following.random_networks import Case, random_case

_LOOKS = {"alone": 3, "beside": 2}


def _scenario(case: Case, **changes: object) -> covey.Scenario:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a random network may count one type by itself
        return covey.loads(case.toml).with_(changes, warn=False)


def _chains(case: Case) -> dict[tuple[str, str], LabelledChain]:
    """Of every team in which one robot of type `own` has the number 99, and a type of its own."""
    found = {}
    for own in (t for t, n in case.team.items() if n):
        others = case.start(case.team | {own: case.team[own] - 1})
        for type_ in case.team:
            start = frozenset({*others, ("", (f"{type_}99",))})
            found[own, type_] = LabelledChain.of(start, case.steps, case.power, most=120)
    return found


def _looks(case: Case, state: State, *, beside: bool) -> tuple[int, ...]:
    """Which of the sums the robot with the number 99 is in, after the counts."""
    robot = [place_of(g) for g in state if any(name.endswith("99") for name in g[1])]
    counts = [sum(place_of(g) in s for g in state) for s in case.sums.values()]
    return (*(counts if beside else ()), *(sum(p in s for p in robot) for s in case.sums.values()))


def _small_case(seed: int) -> tuple[Case, dict[tuple[str, str], LabelledChain]]:
    """The first of the cases of a seed that is small enough for brute force."""
    for attempt in itertools.count():
        case = random_case(seed, attempt)
        try:
            return case, _chains(case)
        except OverflowError:
            continue
    raise AssertionError


def _compare(seed: int) -> None:
    case, chains = _small_case(seed)
    for follow, looks in _LOOKS.items():
        look = partial(_looks, case, beside=follow == "beside")
        scenario = _scenario(case, **{"adversary.follow": follow})
        for one in followed(scenario):
            solver = Solver(one.scenario.network)
            times = [STEP * (i + 1) for i in range(looks)]
            star = Star(one.scenario, one.hypotheses)
            joint = joint_distributions_by(solver, star, times, False)
            pairs = [(one.type, joint.team)]
            pairs += [(h.to_type, found) for h, found in joint.neighbours]  # type: ignore[attr-defined]
            for type_, found in pairs:
                truth = chains[one.type, type_].seen(look, looks)
                for row, log in zip(found.outcomes.tolist(), found.log_probabilities, strict=True):
                    assert np.exp(log) == pytest.approx(truth.pop(tuple(row), 0.0), abs=1e-9)
                assert sum(truth.values()) < 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_a_followed_robot_moves_as_one_with_a_name(seed: int) -> None:
    _compare(seed)


@pytest.mark.study
@pytest.mark.parametrize("seed", range(60, 260))
def test_two_hundred_more(seed: int) -> None:
    _compare(seed)
