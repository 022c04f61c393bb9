"""[control]: short for rate laws, changed by dotted names, and kept as it is written."""

from __future__ import annotations

import math
import re
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import InputError
from covey.model.io.prism import to_prism
from covey.model.io.sbml.writer import to_sbml
from covey.model.io.scenario_file import dumps
from covey.model.io.value_edit import parsed, put_all
from covey.model.network import Network
from covey.model.stoichiometry import Kinetics

EXAMPLE = Path(__file__).parent.parent.parent.parent / "examples" / "throttled-warehouse.toml"
TEAM = """
[types]
A = 2
B = 1
[rates]
meet = 0.5
[network]
reactions = '''
pair: {A} + {B} <-> two{A,B}   @ meet, 1
nap_$i: {$i} <-> nap{$i}       @ 0.3, 1     for i in types
'''
[observe]
awake = "{A} + {B}"
paired = "two{A,B}"
"""
CONTROL = """
[control]
pair = "0.5 if awake >= 3"     # slow down
"nap_*" = { by = "paired", factors = [1, 0.25] }
"pair'" = "2 if awake + nap{A} == 1"
"""
COMPARED = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


def test_it_is_short_for_laws() -> None:
    by_hand = covey.loads(
        TEAM.replace(
            "@ meet, 1",
            "@ [meet * {A} * {B} * (0.5 * (awake >= 3) + (awake < 3))],"
            "[1 * two{A,B} * (2 * (awake + nap{A} == 1) + (awake + nap{A} != 1))]",
        ).replace(
            "@ 0.3, 1 ",
            "@ [0.3 * {$i} * ((paired < 1) + 0.25 * (paired >= 1))],"
            "[1 * nap{$i} * ((paired < 1) + 0.25 * (paired >= 1))]",
        )
    )
    short = covey.loads(TEAM + CONTROL)
    assert short.network == by_hand.network
    assert covey.leakage(short).value == covey.leakage(by_hand).value
    assert to_prism(short) == to_prism(by_hand)
    assert to_sbml(short) == to_sbml(by_hand)


@given(
    st.lists(st.floats(0, 5), min_size=1, max_size=6),
    st.sampled_from(["falling", "power"]),
    st.integers(0, 7),
    st.integers(0, 7),
)
def test_the_rate_is_that_of_mass_action_times_the_factor(
    factors: list[float], kinetics: Kinetics, a: int, b: int
) -> None:
    text = "take: 3 {A} + x -> 2 {A} + y{A} + x @ 0.7"
    rule = {"by": "{A} + x", "factors": factors}
    network = Network(text, kinetics=kinetics, control={"take": rule})
    state = np.array([[{"{A}": a, "x": b}.get(str(s), 0)] for s in network.species])
    (found,) = network.programs[0].run(state)
    ways = math.perm(a, 3) if kinetics == "falling" else a**3 * (a >= 3)
    assert found == pytest.approx(0.7 * ways * b * factors[min(a + b, len(factors) - 1)])


@pytest.mark.parametrize("sign", COMPARED)
@pytest.mark.parametrize("factor", [0.0, 0.3, 1.0])
def test_thresholds(sign: str, factor: float) -> None:
    network = Network("go: x -> y @ 2", control={"go": f"{factor} if x {sign} 2"})
    for count in range(1, 5):
        state = np.array([[count if str(s) == "x" else 0] for s in network.species])
        holds = eval(f"{count} {sign} 2")
        (found,) = network.programs[0].run(state)
        assert found == 2 * count * (factor if holds else 1.0)


def test_rules_about_one_reaction_multiply() -> None:
    both = {"go": "0.5 if x >= 1", "g*": "0.5 if x >= 2"}
    network = Network("go: x -> y @ 1", control=both)
    states = np.array([[1, 2, 3] if str(s) == "x" else [0, 0, 0] for s in network.species])
    assert network.programs[0].run(states).tolist() == [0.5, 0.5, 0.75]


def test_it_reads_back_as_it_is_and_prints_as_a_table() -> None:
    scenario = covey.loads(TEAM + CONTROL)
    text = dumps(scenario)
    again = covey.loads(text)
    assert again == scenario
    assert again.network.control == scenario.network.control
    assert "for i in types" in text
    assert 'pair = "0.5 if {A} + {B} >= 3"' in text
    assert Network(str(scenario.network)) == scenario.network
    assert str(scenario.network.control["pair"]) == "0.5 if awake >= 3"


def test_it_stays_whatever_else_changes() -> None:
    scenario = covey.loads(TEAM + CONTROL)
    for changes in ({"rates.meet": 2.0}, {"network.kinetics": "power"}, {"types.A": 3}):
        assert scenario.with_(changes).network.control == scenario.network.control
    other = scenario.with_({"observe.awake": "{A}"}, warn=False)  # what is seen, not what happens
    assert other.network == scenario.network
    assert other.with_({"control.pair.factor": 0.1}).network.control["pair"].by == (
        scenario.network.control["pair"].by
    )
    changed = scenario.with_({"control.pair.factor": 0.1, "control.pair.threshold": 2})
    assert str(changed.network.control["pair"]) == "0.1 if awake >= 2"
    changed = scenario.with_({"control.nap_*.factors.1": 0, "control.pair": "0 if paired > 1"})
    assert str(changed.network.control["nap_*"]) == "[1, 0] by paired"
    assert str(changed.network.control["pair"]) == "0 if paired > 1"


@pytest.mark.parametrize(("factor", "threshold"), [(0.125, 2), (0.5, 2), (0.5, 3)])
def test_rules_are_edited_where_they_stand(factor: float, threshold: int) -> None:
    text = TEAM + CONTROL.replace('"paired"', '"two{A,B}"')
    values = {
        "control.pair.factor": factor,
        "control.pair.threshold": threshold,
        "control.nap_*.factors.1": 0.75,
        "rates.meet": 0.7,
    }
    document = parsed(text)
    put_all(document, values, mark=True)
    found = document.as_string()
    assert covey.loads(found) == covey.loads(text).with_(values)
    same = (factor, threshold) == (0.5, 3)
    assert "slow down" in found
    assert same != ('# was "0.5 if awake >= 3"; slow down' in found)
    assert 'factors = [1, 0.75] }  # was { by = "two{A,B}", factors = [1, 0.25] }' in found


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("pair = 3", "3 is no rule: a factor and a condition are expected"),
        ('pair = "slow"', "'slow' is no rule"),
        ('pair = "x if awake > 1"', "'x' is no factor"),
        ('pair = "inf if awake > 1"', "a finite number from 0 on is expected"),
        ('pair = "-1 if awake > 1"', "a finite number from 0 on is expected"),
        ('pair = "1 if awake"', "'awake' is no condition: a comparison is expected"),
        ('pair = "1 if awak > 1"', 'no observed sum. Did you mean "awake"?'),
        ('pair = "1 if nap{C} > 1"', "counts nap{C}, which is in no reaction"),
        ('pair = "1 if awake > "', "the end at character"),
        ('pear = "1 if awake > 1"', "there is no reaction called 'pear'. Did you mean \"pair\"?"),
        ('pair = { by = "awake" }', "'by' is there"),
        ('pair = { by = "awake", factors = [] }', "a list of 1 to 200 is expected"),
        ('pair = { by = 2, factors = [1] }', "by is 2"),
        ('pair = { by = "awake", factors = ["x"] }', "the factor is 'x': a finite number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(rule: str, message: str) -> None:
    text = f"{TEAM}[control]\n{rule}\n"
    line = text.split("\n").index(rule) + 1
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        covey.loads(text, "team.toml")
    assert str(caught.value).startswith(f"team.toml:{line}: ")


def test_what_cannot_be_set() -> None:
    scenario = covey.loads(TEAM + CONTROL)
    for name, message in (
        ("control.pear.factor", "[control] has no 'pear' to change"),
        ("control.pair.fctor", 'Did you mean "factor"?'),
        ("control.nap_*.factors.2", "to change"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            scenario.with_({name: 1.0})
    with pytest.raises(InputError, match="x is a rate and a species"):
        Network("go: x -> y @ x", rates={"x": 1.0}, control={"go": "0 if y > 1"})


def test_a_rule_that_does_nothing_changes_nothing() -> None:
    scenario = covey.load(EXAMPLE)
    plain = scenario.with_(network=Network(scenario.network.lines, scenario.network.rates))
    assert covey.performance(scenario)["picks"] == pytest.approx(
        covey.performance(plain)["picks"], rel=1e-9
    )
    right = [covey.leakage(one).profile.bayes_success for one in (scenario, plain)]
    assert right[0] == pytest.approx(right[1], rel=1e-9)


def test_simulated_teams_obey() -> None:
    scenario = covey.load(EXAMPLE).with_({"control.pick.threshold": 4})
    states = covey.end_points(scenario.network, scenario.start, 50.0, samples=4_000, seed=1)
    at = covey.performance(scenario.with_({"performance.two": "mean(picking) at 50"}))["two"]
    picking = list(scenario.query.sums).index("picking")
    seen = states @ scenario.query.matrix(scenario.network).T
    assert seen[:, picking].max() == 1  # a second one would begin while three drive
    assert seen[:, picking].mean() == pytest.approx(at, abs=0.05)
