"""An observer who acts: against sums over all paths of states."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import covey
from covey.errors import CoveyError, InputError, TooLargeError, UnsupportedError
from covey.model.observation.probe import Probe
from covey.model.team import Neighbour
from tests.privacy.stream.random_probes import State, random_case

EXAMPLES = Path(__file__).parents[3] / "examples"


def _scenario(text: str) -> covey.Scenario:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a random network may count one type by itself
        return covey.loads(text)


def _check(found: covey.Distribution, truth: dict[State, float]) -> None:
    left = dict(truth)
    for row, log in zip(found.outcomes.tolist(), found.log_probabilities, strict=True):
        assert np.exp(log) == pytest.approx(left.pop(tuple(row), 0.0), abs=1e-9)
    assert sum(left.values()) < 1e-9
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-9)


def _compare(seed: int) -> None:
    case = random_case(seed)
    scenario = _scenario(case.toml)
    (one,) = covey.probe(scenario).of
    truth = case.joint(case.team)
    distributions = one.leakage.distributions
    _check(distributions.team, truth)
    apart = []
    for other, found in distributions.neighbours:
        assert isinstance(other, Neighbour)
        theirs = case.joint({**other.team.types, "R": case.team["R"]})
        _check(found, theirs)
        both = truth.keys() | theirs.keys()
        apart.append(sum(abs(truth.get(y, 0.0) - theirs.get(y, 0.0)) for y in both) / 2)
    assert one.leakage.profile.total_variation == pytest.approx(max(apart), abs=1e-9)
    assert one.bayes_success == pytest.approx((1 + max(apart)) / 2, abs=1e-8)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_seen_before_and_after(seed: int) -> None:
    _compare(seed)


@pytest.mark.study
@pytest.mark.parametrize("seed", range(60, 300))
def test_what_is_seen_before_and_after_of_many(seed: int) -> None:
    _compare(seed)


def test_a_probe_that_does_nothing_is_only_watched() -> None:
    """A rate that is set to what it is."""
    scenario = covey.load(EXAMPLES / "warehouse.toml")
    idle = Probe({"rates.meet": scenario.network.rates["meet"]}, looks=[1, 4], lasts=2)
    (one,) = covey.probe(scenario, [idle]).of
    assert one.leakage.profile.total_variation == pytest.approx(
        one.watching.profile.total_variation, rel=1e-9
    )
    joint = covey.joint_distributions(scenario, [0, 1, 4])
    assert one.watching.value == covey.leakage_of(joint).value


def test_the_best_of_several() -> None:
    scenario = covey.load(EXAMPLES / "shared-resource.toml")
    probes = [Probe({"resources.R": n}, looks=[0.5]) for n in (-1, 1, 4)]
    found = covey.probe(scenario, probes)
    alone = [covey.probe(scenario, [one]).of[0].bayes_success for one in probes]
    assert [one.bayes_success for one in found.of] == alone
    assert found.best.bayes_success == max(alone)
    assert str(found).startswith("The best of 3 probes: ")
    assert found.to_pandas().shape == (3, 7)
    assert "best of 3" in found._repr_html_()


def test_whoever_takes_knows_how_many() -> None:
    scenario = covey.load(EXAMPLES / "shared-resource.toml")
    (one,) = covey.probe(scenario, [{"set": {"resources.R": -2}, "looks": [0]}]).of
    seen = one.leakage.distributions.team
    assert seen.names == ("free@1", "busy@1", "R taken", "free@2", "busy@2")
    busy, taken = seen.outcomes[:, 1], seen.outcomes[:, 2]
    free = scenario.team.resources["R"] - busy
    assert (taken == np.minimum(free, 2)).all()
    assert (seen.outcomes[:, :2] == seen.outcomes[:, 3:]).all()  # at once, nothing has moved


def test_a_followed_robot_is_probed() -> None:
    scenario = covey.load(EXAMPLES / "shared-resource.toml").with_({"adversary.follow": True})
    found = covey.probe(scenario, [Probe({"resources.R": -1}, looks=[0.5])])
    assert "followed" in str(found)
    assert found.best.bayes_success >= covey.leakage(scenario).profile.bayes_success - 1e-9


def test_a_scenario_keeps_its_probes() -> None:
    case = random_case(4)
    scenario = _scenario(case.toml)
    again = _scenario(covey.dumps(scenario))
    assert again.adversary.probe == scenario.adversary.probe
    assert again == scenario


PROBE = {"set": {"resources.R": -1}, "looks": [1]}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "a table is expected"),
        ({"looks": [1]}, "has no set"),
        ({"set": PROBE["set"]}, "has no looks"),
        ({**PROBE, "look": [1]}, "has no look."),
        ({**PROBE, "set": {}}, "counts or rates are expected"),
        ({**PROBE, "set": {"resources.R": 0}}, "how many are added"),
        ({**PROBE, "set": {"resources.R": 1.5}}, "how many are added"),
        ({**PROBE, "set": {"resources.R": True}}, "how many are added"),
        ({**PROBE, "set": {"resources.Q": 1}}, "which is not in [resources]"),
        ({**PROBE, "set": {"types.R": 1}}, "which is not in [types]"),
        ({**PROBE, "set": {"initial.R": 1}}, "plain species"),
        ({**PROBE, "set": {"adversary.at": 1}}, "counts are expected, as resources.dock"),
        ({**PROBE, "set": {"rates.k": 1}, "lasts": 1}, "which is not in [rates]"),
        ({**PROBE, "set": {"rates.k": 0}, "lasts": 1}, "a rate above 0"),
        ({**PROBE, "set": {"rates.k": 1}}, "not for how long"),
        ({**PROBE, "lasts": 1}, "the probe sets none"),
        ({**PROBE, "set": {"rates.k": 1}, "lasts": "x"}, "lasts is"),
        ({**PROBE, "looks": []}, "at least one time"),
        ({**PROBE, "looks": [2, 1]}, "each later"),
        ({**PROBE, "looks": [-1]}, "not negative"),
        ({**PROBE, "looks": 1}, "times are expected"),
        ({**PROBE, "at": "noon"}, 'a time or "steady"'),
        ({**PROBE, "name": 3}, "a text is expected"),
    ],
)
def test_what_is_refused(table: Any, message: str) -> None:
    scenario = covey.load(EXAMPLES / "shared-resource.toml")
    with pytest.raises(InputError) as refused:
        scenario.with_({"adversary.probe": [table]})
    assert message in refused.value.message
    assert str(refused.value.key).startswith("adversary.probe.0")


@pytest.mark.parametrize(
    ("probes", "error", "message"),
    [
        ([], InputError, "there is no probe"),
        ("dock", InputError, "tables"),
        ([PROBE] * 101, TooLargeError, "at most 100"),
        ([{**PROBE, "looks": list(range(1, 16))}], TooLargeError, "sequences"),
    ],
)
def test_what_cannot_be_answered(probes: Any, error: type[CoveyError], message: str) -> None:
    with pytest.raises(error, match=message):
        covey.probe(covey.load(EXAMPLES / "shared-resource.toml"), probes)


def test_more_states_after_the_probe_than_are_allowed() -> None:
    scenario = covey.load(EXAMPLES / "warehouse.toml").with_({"resources.dock": 1})
    states = covey.reach(covey.Structure(scenario.network), scenario.start.tolist()).at_least
    with pytest.raises(TooLargeError, match="states"):
        covey.probe(
            scenario,
            [{"set": {"resources.dock": 9}, "looks": [1]}],
            limits=covey.Limits(max_states=states),
        )


def test_a_place_with_stages_is_refused() -> None:
    staged = _scenario(
        "[types]\nA = 1\nB = 1\n[network]\nreactions = '''\n{A} -> c{A} @ erlang(3, 1)\n"
        "c{A} -> {A} @ 1\n{B} <-> c{B} @ 1, 2\n'''\n[observe]\nfree = '{A} + {B}'\n"
    )
    with pytest.raises(UnsupportedError, match="erlang"):
        covey.probe(staged, [{"set": {"types.A": -1}, "looks": [1]}])
