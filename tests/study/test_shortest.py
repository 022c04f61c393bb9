"""Lists of changes that meet a target: each is evaluated, and shorter ones were tried."""

from __future__ import annotations

import math

import pytest

import covey
from covey.dynamics.solver import Solver
from covey.errors import InputError
from covey.study.sensitivity.sensitivity import Sensitivity
from covey.study.sensitivity.shortest import Shortest, read_target, shortest
from tests.remedy.test_design import TASKS
from tests.study.test_sensitivity import SHARED

TEAM = covey.loads(TASKS.format(n=2))


@pytest.fixture(scope="module")
def moves() -> Sensitivity:
    return covey.sensitivity(TEAM, workers=1)


def meet(moves: Sensitivity, **target: float) -> Shortest:
    return shortest(Solver(TEAM.network), moves, read_target(target), workers=1)


def least(moves: Sensitivity) -> float:
    return min(e.after.bayes_success for e in moves.effects if not e.after.why)


def test_what_holds_needs_no_change(moves: Sensitivity) -> None:
    found = meet(moves, guess=0.9)
    assert found.met
    assert found.effects == ()
    assert found.tried == ()
    assert str(found) == "guess ≤ 0.9 holds as it is."


def test_one_change_where_one_will_do(moves: Sensitivity) -> None:
    found = meet(moves, guess=least(moves) + 1e-6)
    assert found.met
    assert len(found.effects) == 1
    assert found.tried == (len(moves.effects),)
    assert found.after.bayes_success == pytest.approx(least(moves))


def test_two_where_one_will_not_do(moves: Sensitivity) -> None:
    found = meet(moves, guess=least(moves) - 0.005)
    assert found.met
    assert len(found.effects) == 2
    assert found.tried[0] == len(moves.effects)
    last = found.effects[-1].change.scenario
    assert covey.leakage(last).profile.bayes_success <= least(moves) - 0.005
    assert found.after.performance["throughput"] == pytest.approx(
        covey.performance(last)["throughput"]
    )
    assert found.effects[0].after in [effect.after for effect in moves.effects]


def test_what_nothing_meets(moves: Sensitivity) -> None:
    found = meet(moves, guess=0.5)
    assert not found.met
    assert len(found.tried) > 1
    assert found.after.bayes_success < least(moves)
    assert str(found).startswith("No list of changes that was tried meets guess ≤ 0.5 (tried: ")


def test_the_last_of_a_kind_stays() -> None:
    """One resource fewer would leave none: nothing would be seen, and nothing done."""
    scenario = SHARED.with_({"resources.R": 1})
    single = covey.sensitivity(scenario, workers=1)
    (gone,) = [e for e in single.effects if e.change.words == "R: 1 → 0"]
    assert gone.after.total_variation == 0
    found = shortest(Solver(scenario.network), single, read_target({"guess": 0.5001}), workers=1)
    assert found.effects
    assert gone.change.words not in [effect.change.words for effect in found.effects]


def test_several_targets_at_once(moves: Sensitivity) -> None:
    found = meet(moves, total_variation=0.2, leakage=moves.before.leakage * 0.8)
    assert found.met
    assert found.after.interval[1] <= moves.before.leakage * 0.8
    assert found.after.most_variation <= 0.2


def test_a_target_of_the_leakage_of_a_closed_form() -> None:
    moves = covey.sensitivity(SHARED, workers=1)
    assert math.isfinite(moves.before.leakage)
    found = shortest(Solver(SHARED.network), moves, read_target(["leakage=0.1"]), workers=1)
    assert found.met
    last = found.effects[-1].change.scenario
    assert covey.leakage(last).interval[1] <= 0.1


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (["guess"], "a measure and a number are expected"),
        (["gess=0.5"], 'Did you mean "guess"'),
        (["guess=x"], "a number that is not negative"),
        (["guess=0.3"], "a coin is right half of the time"),
        ({"leakage": -1.0}, "a number that is not negative"),
        ({"leakage": math.inf}, "a number that is not negative"),
    ],
)
def test_what_is_no_target(target: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_target(target)  # type: ignore[arg-type]


def test_a_target_needs_changes() -> None:
    with pytest.raises(InputError, match="not to be tried"):
        covey.assess(SHARED, changes=False, target={"guess": 0.51})
