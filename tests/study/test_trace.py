"""Leakage over time: each value is the one of its time, the worst is found, the limit is one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import covey
from covey import Network, Query, Scenario, Team
from covey.dynamics.limits import Limits
from covey.errors import InputError
from covey.privacy.snapshot.leakage import leakage
from covey.study.trace import trace
from tests.privacy.small_teams import arriving, finishing, flipping, shared_resource
from tests.remedy.test_design import TASKS

TIMES = np.linspace(0, 3, 16)


def test_every_value_is_that_of_its_time() -> None:
    found = trace(shared_resource(), TIMES)
    assert found.times == tuple(TIMES)
    for time, value, (low, high) in zip(TIMES, found.values, found.intervals, strict=True):
        assert value == pytest.approx(leakage(shared_resource(), float(time)).value, rel=1e-9)
        assert low <= value <= high
    assert found.values[0] == 0


def test_the_worst_time_and_the_limit() -> None:
    found = trace(shared_resource(), TIMES)
    assert found.worst_time == found.times[int(np.argmax(found.values))]
    assert found.worst.value > found.values[-1]
    assert found.limit == pytest.approx(math.log(1.8), rel=1e-12)
    assert found.steady is not None
    late = trace(shared_resource(), [40.0])
    assert late.values[0] == pytest.approx(late.limit, rel=1e-9)


def test_each_type_for_itself() -> None:
    found = trace(shared_resource(), TIMES)
    assert list(found.exposed) == ["A", "B"]
    assert (np.maximum(*found.exposed.values()) == found.values).all()


def test_equal_at_rest_and_not_before() -> None:
    found = trace(flipping(), [0.05, 0.1, 30.0])
    change = [-math.expm1(-2 * rate * 0.1) / 2 for rate in (1, 10)]
    assert found.values[1] == pytest.approx(math.log(change[1] / change[0]), rel=1e-9)
    assert found.limit == pytest.approx(0, abs=1e-12)


def test_where_observations_die_out_there_is_no_limit() -> None:
    # L(t) = t without end, while at steady state all are done and nothing leaks.
    found = trace(finishing(), [1.0, 2.0, 8.0])
    assert found.values == pytest.approx([1, 2, 8], rel=1e-8)
    assert found.steady is not None
    assert found.steady.value == 0
    assert found.limit is None
    assert "dies out" in found.why_no_limit
    smooth = trace(finishing(), [1.0, 20.0], smoothing=1e-3)
    assert smooth.limit == 0
    assert smooth.values[1] < 1e-4


def test_a_team_that_never_settles() -> None:
    found = trace(arriving(), [0.5, 1.0])
    assert found.steady is None
    assert found.limit is None
    assert "there is no steady state: mark can grow without end" in found.why_no_limit
    assert "no limit is known: " in str(found)


def colliding(a: int, b: int) -> Scenario:
    """Robots that are rarely out, and go home when two types meet: no closed form."""
    network = Network("{A} <-> x{A} @ 1, 39\n{B} <-> x{B} @ 1, 39\nx{A} + x{B} -> {A} + {B} @ 1")
    return Scenario(network, Team({"A": a, "B": b}), Query(out="x{A} + x{B}"))


@pytest.mark.slow
def test_probabilities_below_what_doubles_hold_have_a_limit() -> None:
    found = trace(colliding(250, 1), [0.1])  # all of them out: 40^-250
    assert found.steady is not None
    assert found.steady.truncated_mass == 0
    assert found.limit is not None
    assert found.why_no_limit == ""


def test_a_steady_state_out_of_reach_is_no_error() -> None:
    found = trace(colliding(2, 2), [0.0], limits=Limits("projection", max_states=4))
    assert found.steady is None
    assert "has more than 4 states" in found.why_no_limit


def test_tables() -> None:
    found = trace(shared_resource(), TIMES)
    table = found.to_pandas()
    assert list(table.columns) == ["time", "leakage", "lower", "upper", "exposed.A", "exposed.B"]
    assert table["leakage"].tolist() == found.values.tolist()
    grid = found.to_xarray()
    assert float(grid["exposed"].sel(type="B", time=3.0)) == found.exposed["B"][-1]
    assert grid.attrs["limit"] == found.limit
    assert math.isnan(trace(finishing(), [1.0]).to_xarray().attrs["limit"])


def test_it_prints_as_a_sentence() -> None:
    assert str(trace(shared_resource(), np.linspace(0, 10, 101))) == (
        "Of 101 times from 0 to 10 time units, a snapshot gives away most at time 0.4 (leakage 0.72, "
        "for {free: 3, busy: 0} against a team with one A turned B); in the long run it tends to "
        "0.588."
    )


def test_times_are_checked() -> None:
    with pytest.raises(InputError, match="there are no times"):
        trace(shared_resource(), [])
    with pytest.raises(InputError, match="increasing order"):
        trace(shared_resource(), [1.0, 0.5])
    with pytest.raises(InputError, match="stationary"):
        trace(shared_resource(), [1.0], limits=Limits("stationry"))  # type: ignore[arg-type]


def test_what_the_team_achieves_over_time() -> None:
    scenario = covey.loads(TASKS.format(n=2) + 'late = "rate(done_1) at steady"\n')
    found = covey.trace(scenario, [0.0, 1.0, 50.0])
    assert list(found.performance) == ["throughput"]
    for time, value in zip(found.times, found.performance["throughput"], strict=True):
        then = covey.performance(scenario.with_({"adversary.at": time}))["throughput"]
        assert value == pytest.approx(then, rel=1e-12, abs=1e-12)
    assert found.to_pandas()["performance.throughput"].iloc[0] == 0
