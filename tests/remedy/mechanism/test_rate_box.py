"""What is promised for a box of rates holds for every rate of it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.dynamics.solver import Solver
from covey.dynamics.stationary.spanning_trees import log_spanning_trees
from covey.errors import InputError, UnsupportedError
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.scenario import Scenario
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.protect import Tables, protect
from covey.remedy.mechanism.rate_box import BoxBound, RateBox
from tests.privacy.small_teams import turned

EXAMPLES = Path(__file__).parents[3] / "examples"
TEAMS = {"carrier": (6, 7), "picker": (3, 4)}


@pytest.fixture(scope="module")
def warehouse() -> Scenario:
    return covey.load(EXAMPLES / "warehouse.toml")


@pytest.fixture(scope="module")
def boxed(warehouse: Scenario) -> Mechanism:
    return protect(warehouse, 0.5, teams=TEAMS, tables=Tables(within=0.05))


def bound_of(scenario: Scenario, found: Mechanism, within: float) -> BoxBound:
    pairs = [
        (one.scenario.team, turned(n).team) for one in found.compared for n, _ in one.neighbours
    ]
    return BoxBound(Solver(scenario.network, None), scenario, RateBox.of(scenario, within), pairs)


def drawn(bound: BoxBound, found: Mechanism, points: np.ndarray) -> float:
    """The most that any pair leaks at any of the points, by the chains themselves."""
    with np.errstate(divide="ignore", invalid="ignore"):  # what no team publishes
        shown = {}
        for team, chain in bound.chains.items():
            table = found.release.for_team(team.types)
            rows, _ = table.rows_of(chain.outcomes)
            shown[team] = np.log(chain.solved(points)[1] @ table.table[rows])
        return max(float(np.nanmax(shown[a] - shown[b])) for a, b in bound.pairs)


def test_trees_are_counted_in_fractions() -> None:
    """Every tree by itself, of chains of four states, against elimination."""
    random = np.random.default_rng(5)
    rates = random.integers(1, 9, (3, 4, 4)).astype(float)
    found = np.exp(log_spanning_trees(rates.copy()))
    for chain, trees in zip(rates.astype(int).tolist(), found, strict=True):
        for root in range(4):
            total = Fraction(0)
            others = [state for state in range(4) if state != root]
            for ends in itertools.product(range(4), repeat=3):
                to = dict(zip(others, ends, strict=True))
                if all(_leads(to, state, root) for state in others):
                    total += math.prod(Fraction(chain[a][b]) for a, b in to.items())
            assert trees[root] == pytest.approx(float(total), rel=1e-12)


def _leads(to: dict[int, int], state: int, root: int) -> bool:
    for _ in range(4):
        if state == root:
            return True
        if to[state] == state:
            return False
        state = to[state]
    return state == root


def test_the_promise_holds_in_the_box(warehouse: Scenario, boxed: Mechanism) -> None:
    plain = protect(warehouse, 0.5, teams=TEAMS)
    assert boxed.release.leakage <= 0.5
    assert plain.loss <= boxed.loss < 3 * plain.loss
    assert boxed.least <= boxed.loss
    bound = bound_of(warehouse, boxed, 0.05)
    random = np.random.default_rng(0)
    inside = np.log(random.uniform(0.95, 1.05, (300, 6)))
    points = np.concatenate([inside, bound.corners])
    true = drawn(bound, boxed, points)
    assert true <= boxed.release.leakage
    assert true > 0.35  # the bound is not idle
    assert drawn(bound, plain, points) > 0.5  # which a table for the rates alone breaks
    worst = max(found for found, _, _ in bound.worst(plain.release))
    assert drawn(bound, plain, points) <= worst < drawn(bound, plain, points) + 0.12


def test_the_chains_of_the_box_are_those_of_the_solver(
    warehouse: Scenario, boxed: Mechanism
) -> None:
    factors = {"meet": 1.04, "pick": 0.96, "carrier_low": 1.01}
    rates = {f"rates.{name}": warehouse.network.rates[name] * f for name, f in factors.items()}
    there = warehouse.with_(rates).with_({"release.mechanism": boxed.release})
    assert not [text for text in map(str, there.cautions) if "another scenario" in text]
    bound = bound_of(warehouse, boxed, 0.05)
    logs = np.array([[math.log(factors.get(name, 1.0)) for name in warehouse.network.rates]])
    assert covey.leakage(there).value == pytest.approx(_own(bound, boxed, there, logs), rel=1e-9)
    outside = warehouse.with_({"rates.meet": 0.25}).with_(
        {"release.mechanism": boxed.release}, warn=False
    )
    assert any("another scenario (rates)" in str(caution) for caution in outside.cautions)


def _own(bound: BoxBound, found: Mechanism, scenario: Scenario, logs: np.ndarray) -> float:
    bound.pairs = [pair for pair in bound.pairs if scenario.team in pair]
    return drawn(bound, found, logs)


@pytest.mark.slow
@pytest.mark.study
def test_ten_thousand_draws(warehouse: Scenario) -> None:
    teams = {"carrier": (5, 7), "picker": (3, 5)}
    found = protect(warehouse, 0.5, teams=teams, tables=Tables(within=0.05))
    bound = bound_of(warehouse, found, 0.05)
    random = np.random.default_rng(1)
    for _ in range(10):
        assert drawn(bound, found, np.log(random.uniform(0.95, 1.05, (1_000, 6)))) <= 0.5


def test_what_cannot_be_bounded_is_refused(warehouse: Scenario) -> None:
    for more, said in (
        ({"delta": 1e-3}, "without a δ"),
        ({"at": 5.0}, "at steady state"),
        ({"tables": Tables(within=1.5)}, "a share below 1"),
        ({"tables": Tables(within={"meet": (0.3, 0.4)})}, "rate between them"),
        ({"tables": Tables(within={"walk": (0.3, 0.4)})}, "no rate of"),
    ):
        asked = {"teams": TEAMS, "tables": Tables(within=0.05), **more}
        with pytest.raises((InputError, UnsupportedError), match=said):
            protect(warehouse, 0.5, **asked)  # type: ignore[arg-type]
    pairs = covey.Network(["{A} <-> w{A} @ 1, 1", "{B} <-> w{B} @ 2, 1"])
    whole = Scenario(pairs, covey.Team({"A": 2, "B": 2}), covey.Query({"free": "{A} + {B}"}))
    with pytest.raises(UnsupportedError, match="each has a name"):
        protect(whole, 0.5, teams="this", tables=Tables(within=0.05))


def test_a_rate_law_that_bends_within_the_box_is_refused(warehouse: Scenario) -> None:
    """min(meet, 1) is meet at every rate that is tried; at meet = 5 it is not."""
    one, *others = warehouse.network.reactions
    bent = replace(one, rate=RateLaw.parse("min(meet, 1) * {carrier} * {picker}"))
    ruled = warehouse.with_(network=replace(warehouse.network, reactions=(bent, *others)))
    with pytest.raises(UnsupportedError, match="in proportion to meet"):
        protect(ruled, 0.5, teams=TEAMS, tables=Tables(within={"meet": (0.1, 5.0)}))


def test_a_small_epsilon_leaves_a_constant(warehouse: Scenario) -> None:
    found = protect(warehouse, 0.02, teams=TEAMS, tables=Tables(within=0.05))
    assert found.release.constant is not None
    assert found.release.leakage == 0
    assert "proved for all rates" in str(found)
