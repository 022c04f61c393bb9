import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import covey
from covey import Adversary, CoveyWarning, DirectBreachWarning, InputError, Network, Query, Team
from covey.model.scenario import Scenario

NETWORK = Network("take = 3\n{A} + {R} <-> {A,R} @ take, 1\n{B} + {R} <-> {B,R} @ 1, 1")
TEAM = Team({"A": 2, "B": 1}, resources={"R": 2})
SEEN = Query(free="{A} + {B}", busy="{A,R} + {B,R}")


def test_start_states() -> None:
    scenario = Scenario(NETWORK, TEAM, SEEN)
    assert scenario.start.tolist() == [2, 1, 2, 0, 0]
    assert scenario.start_of(TEAM.move("A", "B")).tolist() == [1, 2, 2, 0, 0]


def test_start_at_an_activity_and_plain_counts() -> None:
    network = Network("e{1} + battery <-> w{1} @ 1, 1")
    scenario = Scenario(network, Team({"1": 4}), Query(y="w{1} + battery"),
                        initial={"1": "w{1}", "battery": 7})  # fmt: skip
    assert dict(zip(map(str, network.species), scenario.start, strict=True)) == {
        "e{1}": 0,
        "w{1}": 4,
        "battery": 7,
    }


def test_with_changes_any_value() -> None:
    scenario = Scenario(NETWORK, TEAM, SEEN)
    changed = scenario.with_(
        {
            "types.A": np.int64(5),
            "resources.R": 3,
            "rates.take": np.float64(2.5),
            "adversary.at": 10,
            "adversary.protect": ["A", "B"],
            "network.kinetics": "power",
            "observe.busy": "{A,R}",
            "initial.A": "{A}",
        },
        title="changed",
    )
    assert changed.team == Team({"A": 5, "B": 1}, resources={"R": 3})
    assert changed.network.rates["take"] == 2.5
    assert changed.network.kinetics == "power"
    assert changed.adversary == Adversary(at=10.0, protect=("A", "B"))
    assert changed.query == Query(free="{A} + {B}", busy="{A,R}")
    assert changed.title == "changed"
    assert scenario.team == TEAM


def test_scenarios_are_values() -> None:
    scenario = Scenario(NETWORK, TEAM, SEEN, title="x")
    assert scenario == scenario.with_({})
    assert len({scenario, scenario.with_({}), scenario.with_({"types.A": 3})}) == 2
    assert pickle.loads(pickle.dumps(scenario)) == scenario


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("types.A", -1, "types.A is -1: it must not be negative"),
        ("types.C", 1, "types.C is in no reaction: what it does is not known."),
        ("rates.tak", 1, 'there is no rate tak to set. Did you mean "take"?'),
        ("rates.take", 0, "rates.take is 0: a rate must be positive and finite"),
        ("adversary.at", "soon", "adversary.at is 'soon': a time or \"steady\" is expected"),
        ("adversary.at", -1, "adversary.at is -1: it must be finite and not negative"),
        ("adversary.at", float("nan"), "adversary.at is nan: it must be finite"),
        ("adversary.smoothing", -1e-5, "adversary.smoothing is -1e-05: it must be finite"),
        (
            "adversary.when",
            1,
            "[adversary] has no when. Known: at, smoothing, protect, follow, probe.",
        ),
        ("adversary.protect", ["A"], "adversary.protect names 1 types"),
        ("adversary.protect", ["A", "R"], "adversary.protect has R, which is not in [types]."),
        ("adversary.protect", "AB", "adversary.protect is 'AB': a list"),
        (
            "initial.A",
            "{B}",
            'initial.A is {B}, which is no species for one A alone: expected "{A}"',
        ),
        ("initial.A", 3, 'initial.A is 3: expected a species, "{A}"'),
        ("initial.Z", 3, "initial.Z: Z is no type, resource or plain species here."),
        ("type.A", 3, "type.A cannot be set: write a table and a key, such as types.A or"),
        ("nonsense", 3, "nonsense cannot be set"),
    ],
)
def test_what_cannot_be_set(name: str, value: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario(NETWORK, TEAM, SEEN).with_({name: value})
    assert message in str(caught.value)


def test_everybody_must_be_declared() -> None:
    with pytest.raises(InputError, match=r"{B} \+ {R} -> {B,R} has B, which is neither in"):
        Scenario(NETWORK, Team({"A": 1}, resources={"R": 1}))


def test_where_robots_start_must_be_known() -> None:
    with pytest.raises(InputError, match=r'1 would start at \{1\}, .* as "e.1." or "w.1."'):
        Scenario(Network("e{1} <-> w{1} @ 1, 1"), Team({"1": 1}), Query(y="e{1} + w{1}"))


def test_a_direct_breach_warns_once() -> None:
    with pytest.warns(DirectBreachWarning, match="a counts lone robots of type A by themselves"):
        scenario = Scenario(NETWORK, TEAM, Query(a="{A}", b="{B} + {B,R}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scenario.with_({"types.A": 4})


def test_a_change_that_makes_a_breach_warns() -> None:
    scenario = Scenario(NETWORK, TEAM, SEEN)
    with pytest.warns(DirectBreachWarning, match="free counts lone robots of type A"):
        scenario.with_({"observe.free": "{A}"})


def test_protected_types_are_a_set() -> None:
    assert Adversary(protect=("A", "B")) == Adversary(protect=["B", "A", "B"])  # type: ignore[arg-type]


def test_types_that_are_not_protected_may_be_seen() -> None:
    network = Network("{A} + {B} <-> {A,B} @ 1, 1\n{C} <-> r{C} @ 1, 1")
    seen = Query(c="{C}", ab="{A} + {B}")
    team = Team({"A": 1, "B": 1, "C": 1})
    assert not Scenario(network, team, seen, Adversary(protect=("A", "B"))).cautions


def test_an_unused_rate_warns() -> None:
    with pytest.warns(CoveyWarning, match="the rate take is in"):
        Scenario(Network("take = 1\na -> b @ 2"))


def test_fleet_replaces_the_counts(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_text("robot,type\n1,B\n2,B\n")
    assert Scenario(NETWORK, TEAM, SEEN).with_fleet(fleet).team.types == {"A": 0, "B": 2}


def test_public_names_are_the_ones_that_exist() -> None:
    for name in dir(covey):
        assert getattr(covey, name) is not None
    with pytest.raises(AttributeError):
        covey.nothing  # type: ignore[attr-defined]  # noqa: B018
