"""The solver: what it plans it does, with limits that hold for a whole question."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import covey
from covey import Limits, Network, Query, Scenario, Solver, Team
from covey.dynamics import memory
from covey.dynamics.distribution import Computed, Distribution
from covey.errors import CoveyError, TooLargeError
from covey.model.observation.adversary import Moment
from covey.privacy.snapshot.output_distributions import plans_of
from tests.property.strategies import scenarios

TASK = covey.load(Path(__file__).parent.parent.parent / "examples" / "task-network.toml")


@given(
    scenarios(),
    st.sampled_from([0.0, 0.3, "steady"]),
    st.integers(1, 40),
    st.sampled_from([None, "product-form", "linear", "stationary", "transient"]),
)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_promised_is_done(
    scenario: Scenario, at: Moment, most: int, method: str | None
) -> None:
    solver = Solver(scenario.network, Limits(method, most))  # type: ignore[arg-type]
    plan = solver.plan(scenario.start, at, scenario.query)
    try:
        (distribution,) = solver.distributions(scenario.start, [at], scenario.query)
    except CoveyError as error:
        if plan.certain:
            assert plan.refusal is not None
            assert (type(error), error.message) == (type(plan.refusal), plan.refusal.message)
        return
    assert plan.refusal is None
    if plan.certain:
        assert (distribution.method, distribution.why.startswith("the team ends")) in (
            (plan.method, False),
            ("stationary", True),
        )


def test_a_plan_that_is_refused_says_so_before_anything_is_computed() -> None:
    solver = Solver(TASK.network, Limits(max_states=10))
    plan = solver.plan(TASK.start, "steady", TASK.query)
    assert plan.method is None
    assert isinstance(plan.refusal, TooLargeError)
    assert "no closed form" in plan.why
    assert solver.plan(TASK.start, 1.0).method == "projection"


def test_memory_is_read_once_for_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([2**34, *[2**10] * 100])  # nothing is left after the first look
    monkeypatch.setattr(memory, "free_memory", lambda: next(readings))
    found = covey.leakage(TASK.with_({"types.1": 5}))
    assert found.method == "transient"
    assert next(readings) == 2**10


def test_every_method_behind_a_result_is_named() -> None:
    distributions = [
        Distribution(("y",), TASK.start[:1, None], np.zeros(1), 0.0, 0.0,
                     method=method, why=why, states=states)
        for method, why, states in (("transient", "fits", 7), ("projection", "too many", None))
    ]  # fmt: skip
    found = Computed.of(distributions)
    assert found.method == "transient and projection"
    assert found.why == "transient for 1 of 2 teams: fits; projection for 1 of 2 teams: too many"
    assert found.states == 7


def test_a_team_and_its_neighbours_may_need_different_methods() -> None:
    team = TASK.with_({"types.1": 1, "types.2": 1, "types.3": 2})
    sizes = {plan.states for plan in plans_of(Solver(team.network), team, 1.0)}
    limit = min(size for size in sizes if size is not None)
    found = covey.leakage(team, 1.0, limits=Limits(max_states=limit, tolerance=0.99))
    assert found.method in ("transient and projection", "projection and transient")
    assert "of 7 teams" in found.why


def test_limits_are_checked_when_they_are_made() -> None:
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"method": "magic"}, "the method is 'magic': expected one of product-form"),
        ({"max_states": 0}, "max_states is 0: a positive whole number"),
        ({"max_states": True}, "max_states is True"),
        ({"tolerance": 2}, "the tolerance is 2: a number between 0 and 1"),
        ({"tolerance": math.nan}, "the tolerance is nan"),
    )
    for wrong, message in cases:
        with pytest.raises(covey.InputError, match=message):
            Limits(**wrong)


def test_what_rates_do_not_change_is_kept() -> None:
    solver = Solver(TASK.network)
    solver.reach(TASK.start)
    _ = solver.structure.conservation_laws
    other = solver.at_rates(TASK.network.with_rates({"m1": 0.25}))
    assert other.structure.conservation_laws is solver.structure.conservation_laws
    assert other.network.species is TASK.network.species
    assert other.max_states == solver.max_states
    assert solver.at_rates(Network("{A} <-> w{A} @ 1, 2")).structure.conservation_laws is not (
        solver.structure.conservation_laws
    )


def test_types_that_are_alike_are_alike_however_many_there_are() -> None:
    names = [f"t{i}" for i in range(30)]
    network = Network("\n".join(f"{{{name}}} <-> w{{{name}}} @ 1, 2" for name in names))
    seen = Query(busy=" + ".join(f"w{{{name}}}" for name in names))
    scenario = Scenario(network, Team(dict.fromkeys(names, 2)), seen)
    assert len(plans_of(Solver(network), scenario, "steady")) == 2
    assert covey.leakage(scenario).value < 1e-9
    marked = Query(busy=" + ".join(f"w{{{name}}}" for name in names[1:]))
    apart = Solver(network).symmetries.keeping(marked)
    assert [len(group) for group in apart.classes] == [29]
