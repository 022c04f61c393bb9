"""Designs: better than chance would find, kept floors, and nothing that is not evaluated."""

from __future__ import annotations

import math
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.dynamics.solver import Solver
from covey.errors import DirectBreachWarning, InputError, UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.remedy.design.design import Design, design
from covey.remedy.design.evaluation import Evaluator
from covey.remedy.design.objective import read_objective
from covey.remedy.design.sensitivities import (
    _by_differences,
    _measures_by_differences,
    sensitivities,
)
from covey.remedy.design.tasks import Budget, begins
from covey.remedy.design.variables import read_variables
from covey.remedy.performance import performance_by

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
TASKS = """
[types]
1 = {n}
2 = {n}

[rates]
m1 = 0.2
m2 = 0.8
g1 = 0.7
g2 = 0.3

[network]
reactions = '''
e{{1}} <-> w{{1}} @ m1, g1
e{{2}} <-> w{{2}} @ m2, g2
done_1: e{{1}} + w{{2}} -> e{{1}} + e{{2}} @ m1
done_2: e{{2}} + w{{1}} -> e{{1}} + e{{2}} @ m2
'''

[initial]
1 = "e{{1}}"
2 = "e{{2}}"

[observe]
exploring = "e{{1}} + e{{2}}"
waiting = "w{{1}} + w{{2}}"

[performance]
throughput = "rate(done_*)"
"""


def tasks(n: int = 3) -> Scenario:
    return covey.loads(TASKS.format(n=n))


@pytest.mark.parametrize("minimise", ["leakage", "guess", "total_variation", "epsilon"])
def test_types_that_do_the_same_are_best(minimise: str) -> None:
    """Both types are alike but for their rates: equal ones tell nothing but how many there are."""
    scenario = tasks()
    found = design(
        scenario, ["rates.*=0.1:1"], keep={"throughput": 1}, minimise=minimise,
        delta=1e-3 if minimise == "epsilon" else 0.0, starts=2, workers=1,
    )  # fmt: skip
    assert found.met
    apart = [point.privacy("total_variation") for point in (found.before, found.after)]
    assert apart[1] < apart[0] / 5
    assert found.after.privacy(minimise) < found.before.privacy(minimise)
    values = found.values
    assert values["rates.m1"] == pytest.approx(values["rates.m2"], rel=1e-3)
    assert values["rates.g1"] == pytest.approx(values["rates.g2"], rel=1e-3)


def test_the_numbers_are_those_of_a_fresh_evaluation() -> None:
    found = design(tasks(), ["rates.m1=0.1:1", "rates.g1,rates.g2=x0.5:x2"], starts=1, workers=1)
    fresh = covey.leakage(found.scenario)
    assert found.after.leakage.interval == fresh.interval
    assert found.after.measures["guess"] == fresh.profile.bayes_success
    done = covey.performance(found.scenario)
    assert found.after.measures["throughput"] == done["throughput"]
    ratio = found.values["rates.g1"] / 0.7
    assert found.values["rates.g2"] / 0.3 == pytest.approx(ratio)


def test_no_sample_is_better() -> None:
    scenario = tasks(2)
    found = design(scenario, ["rates.*=0.1:1"], keep=["throughput>=0.3"], starts=2, workers=1)
    assert found.met
    variables = read_variables(["rates.*=0.1:1"], scenario)
    evaluate = Evaluator(scenario, Solver(scenario.network), 0.0)
    for sample in np.random.default_rng(0).uniform(-1, 0, (150, len(variables))):
        names = [variable.names[0] for variable in variables]
        other = evaluate(dict(zip(names, (10.0**sample).tolist(), strict=True)))
        if other.performance["throughput"] >= 0.3:
            assert other.privacy("guess") >= found.after.privacy("guess") - 1e-9


@pytest.mark.study
def test_no_sample_of_two_thousand_is_better() -> None:
    """The paper's task network at its unequal rates, four robots of each type."""
    tasks = covey.load(EXAMPLES / "task-families.toml").with_({f"types.{i}": 4 for i in (1, 2, 3)})
    found = design(
        tasks, ["rates.*=0.1:1"], keep={"throughput": 1}, minimise="leakage", starts=2, workers=1
    )
    assert found.met
    assert found.after.privacy("leakage") < found.before.privacy("leakage") / 10
    solver, floor = Solver(tasks.network), found.before.performance["throughput"]
    names = [f"rates.{name}" for name in tasks.network.rates]
    kept = 0
    for sample in np.random.default_rng(0).uniform(-1, 0, (2_000, len(names))):
        other = tasks.with_(dict(zip(names, (10.0**sample).tolist(), strict=True)), warn=False)
        prepared = solver.at_rates(other.network)
        if performance_by(prepared, other)["throughput"] >= floor:
            (distributions,) = distributions_by(prepared, other)
            assert leakage_of(distributions).value >= found.after.privacy("leakage") - 1e-9
            kept += 1
    assert kept > 100


def test_progress_has_the_best_so_far() -> None:
    said: list[str] = []
    ask = {"starts": 1, "workers": 1, "progress": lambda *now: said.append(now[2])}
    for options in (
        {"maximise": "throughput", "target": {"guess": 0.9}},
        {"keep": ["throughput>=9"]},
    ):
        found = design(tasks(1), ["rates.m1=0.1:1"], **options, **ask)  # type: ignore[arg-type]
    assert said[-2].startswith("1 of 1 starts, best throughput 0.")
    assert said[-1] == "1 of 1 starts, none of which holds all that has to"
    assert not found.met


def test_as_much_as_privacy_allows() -> None:
    found = design(
        tasks(), ["rates.*=0.1:1"], maximise="throughput", target={"guess": 0.53}, starts=2,
        workers=1,
    )  # fmt: skip
    assert found.met
    assert found.after.privacy("guess") <= 0.53
    assert found.after.performance["throughput"] > found.before.performance["throughput"]


@pytest.mark.parametrize("most", [0.56, 0.53])
def test_what_can_be_met_is_however_much_it_costs(most: float) -> None:
    """From where more is given away than may be, by a rate that the picks depend on."""
    scenario = covey.load(EXAMPLES / "throttled-warehouse.toml")
    ask = {"maximise": "picks", "starts": 1, "workers": 1}
    found = design(scenario, ["rates.meet=0.01:1"], target={"guess": most}, **ask)  # type: ignore[arg-type]
    assert found.met
    assert most - 1e-4 < found.after.privacy("guess") <= most
    nearest = design(scenario, ["rates.meet=0.1:1"], target={"guess": 0.5}, **ask)  # type: ignore[arg-type]
    assert not nearest.met
    assert nearest.values["rates.meet"] == 0.1


def test_what_cannot_be_met_is_said_with_the_nearest() -> None:
    found = design(tasks(), ["rates.m1=0.1:0.3"], keep=["throughput>=9"], starts=1, workers=1)
    assert not found.met
    assert found.values["rates.m1"] == pytest.approx(0.3)
    assert str(found).startswith("What has to hold cannot be met")


def test_counts_within_a_budget() -> None:
    found = design(
        tasks(2), ["types.1=1:4", "types.2=1:4"], keep=["throughput>=0.2"],
        within=["types.1 + 2 types.2 <= 7"], workers=1,
    )  # fmt: skip
    assert found.met
    assert found.tried == found.choices == 8
    assert found.values["types.1"] + 2 * found.values["types.2"] <= 7
    assert isinstance(found.values["types.1"], int)
    with pytest.raises(InputError, match="no choice of counts"):
        design(tasks(2), ["types.1=3:4"], within=["types.1<=2"], workers=1)


def test_a_front_rises() -> None:
    found = design(tasks(2), ["rates.*=0.1:1"], keep={"throughput": 1}, front=4, workers=1)
    privacy = [point.privacy("guess") for point in found.front]
    throughput = [point.performance["throughput"] for point in found.front]
    assert len(found.front) >= 2
    assert privacy == sorted(privacy)
    assert throughput == sorted(throughput)
    assert throughput[-1] > found.before.performance["throughput"]


def test_an_interrupted_design_goes_on(tmp_path: Path) -> None:
    path, stopped = tmp_path / "better.toml", RuntimeError("stop")

    def stop(done: float, total: float, text: str) -> None:
        if done == 2:
            raise stopped

    wanted = {"keep": {"throughput": 1}, "starts": 3, "workers": 1, "path": path}
    with pytest.raises(RuntimeError):
        design(tasks(2), ["rates.*=0.1:1"], **wanted, progress=stop)  # type: ignore[arg-type]
    journal = path.with_name("better.toml.journal")
    with pytest.raises(InputError, match="another within"):
        design(tasks(2), ["rates.*=0.1:1"], within=["types.1 <= 2"], **wanted)  # type: ignore[arg-type]
    assert journal.read_bytes().count(b"\n") == 3  # the head, and two starts
    with pytest.raises(InputError, match="another design"):
        design(tasks(2), ["rates.*=0.1:2"], **wanted)  # type: ignore[arg-type]
    said: list[str] = []
    found = design(tasks(2), ["rates.*=0.1:1"], **wanted, progress=lambda *now: said.append(now[2]))  # type: ignore[arg-type]
    assert len(said) == 1
    assert not journal.exists()
    fresh = design(tasks(2), ["rates.*=0.1:1"], keep={"throughput": 1}, starts=3, workers=1)
    assert found.values == fresh.values


def test_what_cannot_be_written_is_not_found_again(tmp_path: Path) -> None:
    path, said = tmp_path / "better.toml", list[str]()
    full = OSError("the disk is full")

    def refuse(found: Design) -> None:
        raise full

    ask = {"starts": 2, "workers": 1, "path": path, "progress": lambda *now: said.append(now[2])}
    with pytest.raises(OSError, match="full"):
        design(tasks(1), ["rates.m1=0.1:1"], **ask, save=refuse)  # type: ignore[arg-type]
    assert len(said) == 2
    kept: list[Design] = []
    found = design(tasks(1), ["rates.m1=0.1:1"], **ask, save=kept.append)  # type: ignore[arg-type]
    assert kept == [found]
    assert len(said) == 2  # nothing was done again
    assert list(tmp_path.iterdir()) == []


BALANCED = """
[types]
A = 3
B = 3
[resources]
R = 2
[rates]
take = 3.0
drop = 0.7
meet = 1.1
[network]
reactions = '''
pick: {A} + {R} <-> {A,R} @ take, drop
{B} + {R} <-> {B,R} @ take, 1
meet: 2 {A} + {B} <-> x{A,A,B} @ meet, 2
'''
[observe]
free = "{A} + {B}"
busy = "{A,R} + {B,R} + x{A,A,B}"
[performance]
picks = "rate(pick')"
rest = "2 rate(meet) - 0.3 mean(x{A,A,B})"
early = "rate(pick) at 2"
until = "rate(pick) until 3"
"""


@pytest.mark.parametrize("at", ["steady", 2.0])
@pytest.mark.parametrize("text", [TASKS.format(n=2), BALANCED])
def test_derivatives_and_differences(text: str, at: float | str) -> None:
    scenario = covey.loads(text).with_({"adversary.at": at})
    names = list(scenario.network.rates)
    vary = [f"rates.{names[0]}=0.1:9", f"rates.{names[1]},rates.{names[2]}=0.1:9"]
    variables = read_variables(vary, scenario)
    evaluate = Evaluator(scenario, Solver(scenario.network), 0.0)
    point = evaluate({})
    found = sensitivities(point, evaluate, variables)
    for one, two in zip(found.pairs, _by_differences(point, evaluate, variables), strict=True):
        assert np.abs(one.sensitivity_p - two.sensitivity_p).max() < 2e-3
        assert np.abs(one.sensitivity_q - two.sensitivity_q).max() < 2e-3
    rough = _measures_by_differences(point, evaluate, variables)
    assert found.measures.keys() == rough.keys()
    for name, sensitivity in found.measures.items():
        assert np.abs(sensitivity - rough[name]).max() < 1e-3


def test_infinite_leakage_is_no_matter_of_rates() -> None:
    with pytest.warns(DirectBreachWarning):
        scenario = covey.loads(TASKS.format(n=1).replace('"w{1} + w{2}"', '"w{1}"'))
    assert math.isinf(covey.leakage(scenario).value)
    with pytest.raises(UnsupportedError, match="no rate changes what is possible"):
        design(scenario, ["rates.*=0.1:1"], minimise="leakage", workers=1)


LIMITED = """
[types]
A = 3
B = 2
[resources]
station = 3
[rates]
meet = 0.5
part = 1.0
[network]
reactions = '''
pick: {A} + {B} + {station} <-> p{A,B,station}  @ meet, part
'''
[observe]
driving = "{A} + {B}"
[performance]
balance = "rate(pick) - rate(pick')"
"""


def test_counts_change_what_is_possible() -> None:
    """With one station there is one pick at a time, whoever picks."""
    scenario = covey.loads(LIMITED)
    found = design(
        scenario, ["resources.station=1:3", "rates.meet=0.1:1"], minimise="leakage",
        keep={"balance": 1}, starts=1, workers=1,
    )  # fmt: skip
    assert math.isinf(found.before.privacy("leakage"))
    assert found.after.privacy("leakage") < 0.5
    assert found.values["resources.station"] == 1
    assert found.met  # what is 0 as far as can be known stays it
    assert "inf" not in str(found.after.measures)


def test_what_is_there_is_no_answer_where_it_may_not_be() -> None:
    cheaper = design(tasks(2), ["types.1=1:2"], within=["types.1 <= 1"], workers=1)
    assert cheaper.values == {"types.1": 1}
    tied = design(tasks(1), ["rates.m1,rates.m2=2:4"], starts=1, workers=1)
    assert tied.values["rates.m1"] == tied.values["rates.m2"] >= 2


def test_a_smoothed_leakage_is_what_steps_make_small() -> None:
    scenario = tasks(2).with_({"adversary.smoothing": 0.01})
    names = ("rates.m1", "rates.g1")
    found = design(scenario, [f"{name}=0.1:1" for name in names], minimise="leakage", workers=1)
    least = min(
        covey.leakage(scenario.with_(dict(zip(names, values, strict=True)))).value
        for values in product(np.geomspace(0.1, 1, 6).tolist(), repeat=2)
    )
    assert found.after.privacy("leakage") <= least * (1 + 1e-9)


def test_an_infinite_epsilon_on_the_way_is_no_obstacle() -> None:
    scenario = covey.load(EXAMPLES / "throttled-warehouse.toml")
    found = design(
        scenario, ["rates.meet=0.05:1", "control.pick.threshold=3:4"], keep={"picks": 1},
        minimise="epsilon", delta=1e-6, starts=1, workers=1,
    )  # fmt: skip
    assert math.isinf(found.before.privacy("epsilon"))
    assert found.after.privacy("epsilon") < 0.31


@pytest.mark.parametrize(
    ("vary", "options", "message"),
    [
        (["rates.x=0.1:1"], {}, "there is no 'rates.x' to vary. Did you mean"),
        (["rates.m1"], {}, "a name and a range are expected"),
        (["rates.m1=1:0.1"], {}, "is no range"),
        (["rates.m1=0:1"], {}, "rates are positive"),
        (["rates.m1=a:b"], {}, "is no range"),
        (["types.1=1.5:2"], {}, "a range of whole numbers"),
        (["rates.m1=0.1:1", "rates.m1,rates.m2=0.1:1"], {}, "varied twice"),
        (["rates.q*=0.1:1"], {}, "nothing is called"),
        ([], {}, "what may change is not said"),
        (["rates.m1=0.1:1"], {"minimise": "speed"}, "cannot be measured"),
        (["rates.m1=0.1:1"], {"minimise": "performance.x"}, "keep or maximise it"),
        (["rates.m1=0.1:1"], {"keep": ["x=1"]}, "is no measure in [performance]"),
        (["rates.m1=0.1:1"], {"keep": ["throughput"]}, "a share of what it is now"),
        (["rates.m1=0.1:1"], {"keep": ["throughput=x"]}, "a number is expected"),
        (["rates.m1=0.1:1"], {"maximise": "throughput"}, "no target for privacy"),
        (["rates.m1=0.1:1"], {"within": ["types.1"]}, "a sum and the most"),
        (
            ["rates.m1=0.1:1"],
            {"within": ["rates.m1 <= 1"]},
            "rates.m1 in 'rates.m1 <= 1' is no count",
        ),
        (["rates.m1=0.1:1"], {"starts": 0}, "1 to 10,000 are expected"),
        (["types.1=0:1e30"], {}, "1e+30 choices of counts: narrow"),
        (["types.1=0:1000000"], {}, "1,000,001 choices of counts: narrow"),
        (["rates.m1=0.1:1"], {"keep": ["throughput=1", "throughput>=2"]}, "has a floor already"),
        (["rates.m1=0.1:1"], {"target": ["guess=0.6", "guess=0.7"]}, "has a target already"),
    ],
)
def test_what_is_wrong(vary: list[str], options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        design(tasks(1), vary, workers=1, **options)  # type: ignore[arg-type]


def test_starts_are_always_the_same() -> None:
    scenario = tasks()
    variables = read_variables({"rates.m1": (0.1, 1.0), "rates.m2": (0.1, 1.0)}, scenario)
    one, two = (begins(scenario, variables, 5, 3) for _ in range(2))
    assert one == two
    assert len(one) == 5
    assert one[0] == (0.2, 0.8)
    assert all(0.1 <= value <= 1 for start in one for value in start)
    assert [variables[0].at(math.log(end)) for end in (0.1, 1.0)] == [0.1, 1.0]


def test_budgets() -> None:
    budget = Budget.parse("3 types.1 + types.2 <= 10.5")
    assert budget.allows(tasks(2), {"types.1": 2})
    assert not budget.allows(tasks(2), {"types.1": 3})


def test_control_is_designed() -> None:
    """Two picks at once rule out a team with one picker; a threshold never shows them."""
    scenario = covey.load(Path(__file__).parents[2] / "examples" / "throttled-warehouse.toml")
    found = design(
        scenario, ["rates.meet=0.05:1", "control.pick.threshold=3:4"], keep={"picks": 1},
        minimise="leakage", starts=1, workers=1,
    )  # fmt: skip
    assert found.met
    assert math.isinf(found.before.privacy("leakage"))
    assert found.values["control.pick.threshold"] == 4
    assert found.after.privacy("leakage") < 0.31
    assert covey.leakage(found.scenario).interval[1] == found.after.privacy("leakage")


def test_a_factor_of_0_does_not_hold_up_the_others() -> None:
    """Where it opens, outcomes become possible that have no sensitivity yet."""
    scenario = covey.load(EXAMPLES / "throttled-warehouse.toml")
    shut = scenario.with_({"control.pick.threshold": 4})
    found = design(
        shut, ["control.pick.factor=0:1", "rates.meet=0.05:1"], keep=["picks>=0.3"],
        starts=1, workers=1,
    )  # fmt: skip
    assert found.values == {"control.pick.factor": 0.0, "rates.meet": 1.0}


def test_factors_of_control_move_by_themselves() -> None:
    scenario = covey.load(Path(__file__).parents[2] / "examples" / "throttled-warehouse.toml")
    scenario = scenario.with_({"control.pick": "1 if driving < 4", "rates.meet": 0.5})
    found = design(scenario, ["control.pick.factor=0:1"], keep=["picks>=0.31"], starts=1, workers=1)
    assert found.met
    assert 0 < found.values["control.pick.factor"] < 1
    assert found.after.privacy("guess") < found.before.privacy("guess")
    for other in (0.0, 0.5, 1.0):
        point = scenario.with_({"control.pick.factor": other})
        if covey.performance(point)["picks"] >= 0.31:
            assert covey.leakage(point).profile.bayes_success >= found.after.privacy("guess") - 1e-9


def test_counts_change_along_a_front() -> None:
    """With counts alone a front is what none of all choices beats."""
    scenario = tasks(2)
    found = design(scenario, ["types.1=1:3", "types.2=1:3"], front=3, workers=1)
    assert found.starts == 0
    assert len({tuple(point.values.values()) for point in found.front}) == len(found.front) > 1
    evaluate = Evaluator(scenario, Solver(scenario.network), 0.0)
    for one in range(1, 4):
        for two in range(1, 4):
            other = evaluate({"types.1": one, "types.2": two})
            assert any(
                point.privacy("guess") <= other.privacy("guess") + 1e-12
                and point.performance["throughput"] >= other.performance["throughput"] - 1e-12
                for point in found.front
            )


def test_rates_and_counts_along_a_front_by_two_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "better.toml"
    vary, stop = ["rates.m1=0.1:1", "types.1=1:2"], RuntimeError("stop")
    wanted = {"keep": {"throughput": 0.9}, "front": 3, "starts": 1}

    seen: list[float] = []
    alone = design(tasks(1), vary, workers=1, progress=lambda *now: seen.append(now[1]), **wanted)  # type: ignore[arg-type]
    stages = list(dict.fromkeys(seen))
    assert len(stages) >= 2

    def late(done: float, total: float, text: str) -> None:
        if total == stages[-1]:
            raise stop

    with pytest.raises(RuntimeError):
        design(tasks(1), vary, workers=1, path=path, progress=late, **wanted)  # type: ignore[arg-type]
    kept = path.with_name("better.toml.journal").read_bytes().count(b"\n")
    assert kept > 3  # the search before is not lost
    with ThreadPoolExecutor(2) as two:
        found = design(tasks(1), vary, executor=two, path=path, **wanted)  # type: ignore[arg-type]
    assert [p.settings for p in found.front] == [p.settings for p in alone.front]
    assert not path.with_name("better.toml.journal").exists()


def test_a_share_of_what_is_below_zero_lets_it_become_worse() -> None:
    now = {"balance": -2.0, "throughput": 2.0}
    objective = read_objective("guess", None, {"balance": 0.95, "throughput": 0.95}, {}, 0.0, now)
    assert objective.floors == {"balance": pytest.approx(-2.1), "throughput": pytest.approx(1.9)}
    objective = read_objective("guess", None, {"balance": 1.05}, {}, 0.0, now)
    assert objective.floors["balance"] == pytest.approx(-1.9)
