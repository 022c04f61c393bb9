"""The normal approximation of a stream: against the exact figures, and what its test proves."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.fleet_files import SMALL, breaking

import covey
from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.hmm.kalman import normal_snapshots
from covey.dynamics.limits import Limits
from covey.dynamics.solve import distribution
from covey.dynamics.solver import Solver
from covey.errors import TooLargeError
from covey.model.io.scenario_file import loads
from covey.model.scenario import Scenario
from covey.model.structure.structure import Structure
from covey.privacy.hypotheses import Star, hypotheses_of
from covey.privacy.stream.large_teams.normal_approximation import _Budget, approximated
from covey.privacy.stream.large_teams.simulated_paths import first_look
from covey.privacy.stream.problem import Sampling, StreamProblem
from covey.privacy.stream.schedule import schedule
from covey.privacy.stream.stream import stream
from covey.report.json_keys.stream import stream_keys
from tests.privacy.fleets import broken_fleet
from tests.privacy.small_teams import behind_a_barrier, finishing, shared_resource

FEW = Limits(max_states=20)


def _team() -> Scenario:
    return shared_resource(12, 8).with_({"resources.R": 10})


@pytest.mark.parametrize("at", ["steady", 0.5])
def test_mean_and_covariance_are_those_of_the_distribution(at: float) -> None:
    scenario = _team()
    observed = distribution(scenario, at)
    model = normal_snapshots(
        scenario.network, scenario.start, scenario.query, Schedule(at, 0.5, (3,))
    )
    mean = model.seen @ model.means[0]
    spread = np.sqrt(np.diag(model.seen @ model.covariance @ model.seen.T))
    assert mean == pytest.approx([observed.mean[name] for name in observed.names], rel=0.02)
    assert spread == pytest.approx([observed.sd[name] for name in observed.names], rel=0.05)


def test_linear_robots_have_the_covariance_of_their_distribution_at_any_time() -> None:
    scenario = finishing(30, 20)
    observed = distribution(scenario, 0.7)
    model = normal_snapshots(
        scenario.network, scenario.start, scenario.query, Schedule(0.7, 0.1, (2,))
    )
    spread = np.sqrt(np.diag(model.seen @ model.covariance @ model.seen.T))
    assert spread == pytest.approx([observed.sd[name] for name in observed.names], rel=1e-3)


def test_a_day_of_a_fleet_of_which_everybody_is_counted_has_a_density() -> None:
    """A snapshot at noon tells as much as one in the evening; rounding must not pile up."""
    fleet = broken_fleet({"types.runner": 500, "types.lifter": 330, "types.tug": 170})
    looks = Schedule("steady", 1.0, (720, 1440))
    model = normal_snapshots(fleet.network, fleet.start, fleet.query, looks)
    logs = model.log_density(model.draw(20, np.random.default_rng(0)), np.array([720, 1440]))
    first, second = logs[:, 0], logs[:, 1] - logs[:, 0]
    assert second.mean() == pytest.approx(first.mean(), rel=0.02)


def test_a_slow_repair_does_not_let_rounding_grow_into_the_covariance() -> None:
    """Mechanics who are held while they mend: the covariance was not a number."""
    slow = loads(breaking(SMALL))
    model = normal_snapshots(slow.network, slow.start, slow.query, Schedule("steady", 1.0, (1, 2)))
    assert np.isfinite(model.covariance).all()
    across = Structure(slow.network).conservation_matrix @ model.covariance
    assert np.abs(across).max() < 1e-9 * model.covariance.max()


def test_twice_as_coarse_takes_a_quarter_of_the_paths() -> None:
    scenario, looks = _team(), Schedule("steady", 0.5, (40,))
    model = normal_snapshots(scenario.network, scenario.start, scenario.query, looks)
    fine, coarse = (
        _Budget.of(scenario.network, model, looks, "steady", accuracy) for accuracy in (0.1, 0.2)
    )
    many = (1, 10**9)
    assert coarse.paths(1, many) == pytest.approx(fine.paths(1, many) / 4, rel=0.01)
    assert fine.paths(2, many) == pytest.approx(fine.paths(1, many) / 2, rel=0.01)
    assert fine.paths(1, (5, 6)) == 6


@pytest.mark.slow
def test_it_is_near_the_exact_figures_and_never_proves_more() -> None:
    more = {"types.carrier": 12, "types.picker": 8, "resources.dock": 5}
    scenario = covey.load("examples/warehouse.toml").with_(more)
    exact = stream(scenario, 5, 480, accuracy=0.03)
    rough = stream(scenario, 5, 480, limits=FEW)
    assert (exact.method, rough.method) == ("paths", "normal")
    for known, said in zip(exact.pairs, rough.pairs, strict=True):
        for one, other in zip(known.rows, said.rows, strict=True):
            near = other.total_variation
            assert near.value == pytest.approx(one.total_variation.value, abs=0.04)
            assert near.lower <= one.total_variation.upper
            assert near.upper >= one.total_variation.lower
    assert rough.rows[-1].total_variation.lower > 0.3  # and something is proved
    assert "a normal approximation" in str(rough)
    assert "Proved, with 95% confidence: at least" in str(rough)  # no two carriers meet


def test_the_same_seed_gives_the_same_figures() -> None:
    def run(seed: int) -> covey.Stream:
        return stream(_team(), 0.5, 3.0, limits=FEW, paths=50, seed=seed)

    assert run(3) == run(3)
    assert run(3) != run(4)


def test_a_bound_that_begins_at_a_time_is_not_called_one_of_the_steady_state() -> None:
    scenario = behind_a_barrier()
    found = stream(scenario, 1, 4, limits=FEW, paths=100)
    assert found.rows[-1].bayes_success.lower > 0.9  # at steady state it is a half
    assert found.taken_for_steady
    assert isinstance(found.at, float)
    text = str(found)
    assert f"From time {found.at:g} on" in text
    assert f"Time {found.at:g} stands for steady state" in text
    assert "that the team is, is not proved" in text
    assert "from steady state on" not in text
    keys = stream_keys(found)
    assert (keys["at"], keys["taken_for_steady"]) == (found.at, True)
    # And it is true of that time.
    at_time = stream(scenario, 1, 4, at=found.at, accuracy=0.1)
    assert at_time.method == "paths"
    assert found.rows[-1].bayes_success.lower <= at_time.rows[-1].bayes_success.upper
    assert not at_time.taken_for_steady


def test_where_the_stationary_distribution_is_known_simulated_paths_begin_in_it() -> None:
    scenario = behind_a_barrier()
    solver, looks = Solver(scenario.network), schedule(scenario, 1, 4, "steady", None)
    neighbours = hypotheses_of(scenario)
    star = Star(scenario, tuple(neighbours))
    begin = first_look(solver, star, "steady")
    assert begin == "steady"
    problem = StreamProblem(scenario, looks, Sampling(paths=200))
    rows = approximated(solver, problem, neighbours, begin)
    assert [pair.rows[-1].total_variation.lower for pair in rows] == [0.0, 0.0]
    few = Solver(scenario.network, FEW)
    assert isinstance(first_look(few, star, "steady"), float)


def test_a_noisy_observer_of_a_large_team_is_refused() -> None:
    with pytest.raises(TooLargeError):
        stream(_team(), 0.5, 3.0, limits=FEW, seen=0.5)
