"""Where robots are: against plain loops over every state, on random networks and feeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import covey
from covey import InputError, Network, Query, Scenario, Team
from tests.privacy.inference.brute_force import PlainChain
from tests.privacy.small_teams import shared_resource

TEXTS = (
    "{A} + {B} <-> {A,B} @ %s, %s\n{A} <-> w{A} @ %s, %s",
    "{A} + {A} <-> {A,A} @ %s, %s\n{B} <-> w{B} @ %s, %s",
    "{A} + {R} <-> {A,R} @ %s, %s\n{B} + {R} <-> {B,R} @ %s, %s",
)
QUERIES = ({"free": "{A} + {B}"}, {"free": "{A} + 2 {B}", "some": "{A} + {B} >= 2"})


def _scenario(number: int) -> Scenario:
    random = np.random.default_rng(number)
    network = Network(TEXTS[number % 3] % tuple(random.uniform(0.2, 3, 4).round(3)))
    counts = random.integers(1, 4, 2).tolist()
    resources = {"R": 2} if "R" in network.members else {}
    query = Query(QUERIES[number // 3 % 2])
    return Scenario(network, Team(dict(zip("AB", counts, strict=True)), resources), query)


def _seen(scenario: Scenario, state: tuple[int, ...]) -> dict[str, int]:
    row = scenario.query.compared(np.array([state]) @ scenario.query.matrix(scenario.network).T)[0]
    return dict(zip(scenario.query.sums, row.tolist(), strict=True))


def _places(
    scenario: Scenario, chain: PlainChain, weights: np.ndarray
) -> dict[str, dict[str, float]]:
    """Robot by robot: a robot of the type is drawn, and where it is."""
    found: dict[str, dict[str, float]] = {}
    for name, robots in scenario.team.types.items():
        for state, weight in zip(chain.states, weights, strict=True):
            for species, n in zip(scenario.network.species, state, strict=True):
                for _ in range(n * list(species.members).count(name)):
                    own = found.setdefault(name, {})
                    own[str(species)] = own.get(str(species), 0.0) + weight / robots
    return found


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("at", ["steady", 0.7])
def test_a_snapshot(number: int, at: float | str) -> None:
    scenario = _scenario(number)
    chain = PlainChain(scenario)
    before = chain.first(at)
    for state in chain.states[:: max(len(chain.states) // 3, 1)]:
        observed = _seen(scenario, state)
        weights = np.array(
            [
                w * (_seen(scenario, s) == observed)
                for w, s in zip(before, chain.states, strict=True)
            ]
        )
        weights /= weights.sum()
        found = covey.hidden_state(scenario, observed, at=at)  # type: ignore[arg-type]
        assert found.error < 1e-9
        for places, expected in ((found.places, weights), (found.places_before, before)):
            for name, own in _places(scenario, chain, expected).items():
                assert sum(places[name].values()) == pytest.approx(1)
                for place, chance in own.items():
                    assert places[name][place] == pytest.approx(chance, abs=1e-9)
        for column, species in enumerate(chain.species):
            for n, chance in found.counts[species].items():
                total = sum(w for w, s in zip(weights, chain.states, strict=True) if s[column] == n)
                assert chance == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("stationary", [True, False])
def test_a_feed(number: int, stationary: bool) -> None:
    scenario = _scenario(number)
    chain = PlainChain(scenario)
    random = np.random.default_rng(number)
    times = [0.0 if stationary else 0.4, 0.9, 1.0, 2.5]
    weights = chain.first("steady") if stationary else chain.first(0.4)
    watch, place, before = (
        covey.StateWatch(scenario, stationary),
        random.choice(len(weights), p=np.abs(weights) / np.abs(weights).sum()),
        times[0],
    )
    for time in times:
        move = expm(chain.generator * (time - before))
        weights, before = weights @ move, time
        place = int(random.choice(len(weights), p=np.abs(move[place]) / np.abs(move[place]).sum()))
        observed = _seen(scenario, chain.states[place])
        weights = np.array(
            [
                w * (_seen(scenario, s) == observed)
                for w, s in zip(weights, chain.states, strict=True)
            ]
        )
        weights /= weights.sum()
        found = watch.see(time, observed)
        for name, own in _places(scenario, chain, weights).items():
            for species, chance in own.items():
                assert found.places[name][species] == pytest.approx(chance, abs=1e-8)
    assert found.snapshots == len(times)


def test_the_papers_first_example() -> None:
    """Of the states that show one busy robot, an A is busy with weight 3 · 2 to B's 1: 6/7 of 7."""
    found = covey.hidden_state(shared_resource(), {"free": 2, "busy": 1})
    assert found.places["B"]["{B,R}"] == pytest.approx(1 / 7)
    assert found.places["A"]["{A,R}"] == pytest.approx(3 / 7)
    assert found.counts["{B,R}"] == {0: pytest.approx(6 / 7), 1: pytest.approx(1 / 7)}
    assert "a robot of type A is in {A} with probability 0.5714" in str(found)
    sure = covey.hidden_state(shared_resource(), {"busy": 1}, knowing={"{B}": 0})
    assert sure.places["B"]["{B,R}"] == 1


def test_what_is_impossible_is_refused_or_left_out() -> None:
    with pytest.raises(InputError, match="is impossible at steady state for this team"):
        covey.hidden_state(shared_resource(), {"free": 0, "busy": 3})
    watch = covey.StateWatch(shared_resource())
    first = watch.see(0, {"free": 2, "busy": 1})
    after = watch.see(0, {"free": 0, "busy": 3})
    assert not after.possible
    assert after.places == first.places
    watch.see(1, {"free": 2})
    with pytest.raises(InputError, match="increasing order"):
        watch.see(0.5, {"free": 2})
