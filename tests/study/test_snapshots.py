"""Rates from a dashboard's numbers: sums of the state at times, by filtering."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from covey import Network, Query, Scenario, Team, trajectories
from covey.dynamics.hmm.forward_filter import ForwardFilter
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.solver import Solver
from covey.errors import InputError
from covey.study.fit.fit import fit
from covey.study.fit.logs.log import Log
from covey.study.fit.logs.log_file import read_log
from covey.study.fit.snapshot_likelihood import chains_of
from covey.study.fit.task import Task
from tests.study.test_fit import about, covered

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")

RATES = {"start": 0.4, "stop": 1.0, "plug": 0.5, "full": 0.8}


def team(at: float | str = "steady") -> Scenario:
    """Two types of which only sums are seen: where they drive, and where they charge."""
    network = Network(
        "{A} <-> on{A} @ start, stop\n{B} <-> on{B} @ start, stop\n{A} <-> charge{A} @ plug, full",
        rates=RATES,
    )
    query = Query(free="{A} + {B}", on="on{A} + on{B}")
    return Scenario(network, Team({"A": 2, "B": 2}), query).with_({"adversary.at": at})


def rows(scenario: Scenario, until: float, count: int, seed: int) -> str:
    times = np.linspace(0, until, count)
    (path,) = trajectories(scenario.network, scenario.start, times=times, samples=1, seed=seed)
    seen = path @ scenario.query.matrix(scenario.network).T
    lines = [f"{t!r},{a},{b}" for t, (a, b) in zip(times.tolist(), seen.tolist(), strict=True)]
    return "\n".join(["time,free,on", *lines]) + "\n"


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "log.csv").write_text(text)
    return tmp_path / "log.csv"


@pytest.mark.parametrize("at", [0.0, "steady"])
def test_the_likelihood_is_that_of_the_filter(at: float | str, tmp_path: Path) -> None:
    scenario = team(at)
    text = rows(scenario, 20, 15, 3).splitlines()
    text[5] = text[5].rsplit(",", 1)[0] + ","  # a count that was not published
    log, _ = read_log(str(written(tmp_path, "\n".join(text))), scenario)
    assert isinstance(log, Log)
    task = Task(scenario.network, 14, 0.95, None)
    chains = chains_of(task, log, scenario)
    rates = np.array(list(RATES.values()))
    found = sum(chain.likelihood(rates)[0] for chain in chains)

    watched = ForwardFilter(
        Filter(Solver(scenario.network), scenario.start, scenario.query, None),
        stationary=at == "steady",
    )
    names = list(scenario.query.sums)
    first = 0.0
    for k, (time, counts) in enumerate(zip(log.runs[0].times, log.runs[0].states, strict=True)):
        watched.move(float(time - log.runs[0].times[max(k - 1, 0)]))
        watched.see({n: int(c) for n, c in zip(names, counts, strict=True) if c >= 0})
        first = watched.log_likelihood if k == 0 else first
    assert found == pytest.approx(watched.log_likelihood - first, rel=1e-9)
    sensitivity = sum(chain.likelihood(rates)[1] for chain in chains)
    for p in range(4):
        step = np.eye(4)[p] * 1e-6
        rise = sum(c.likelihood(rates + step)[0] - c.likelihood(rates - step)[0] for c in chains)
        assert np.asarray(sensitivity)[p] == pytest.approx(rise / 2e-6, rel=1e-5, abs=1e-6)


@pytest.mark.study
def test_sums_cover_the_truth_as_often_as_they_say(tmp_path: Path) -> None:
    scenario = team(0.0)
    fits = [
        fit(scenario, written(tmp_path, rows(scenario, 150, 301, seed)), confidence=0.9)
        for seed in range(12)
    ]
    low, _ = about(0.9, 12)
    assert all(count >= low for count in covered(fits, RATES.values()))


def test_what_is_seen_of_every_species_is_a_snapshot_at_it(tmp_path: Path) -> None:
    """Where sums settle the state, the filter is the product over pairs of states."""
    network = Network("{A} <-> on{A} @ up, down", {"up": 1.0, "down": 2.0})
    scenario = Scenario(network, Team({"A": 3}))
    times = np.linspace(0, 30, 61)
    (path,) = trajectories(network, scenario.start, times=times, samples=1, seed=4)
    both = "\n".join(f"{t},{a},{b}" for t, (a, b) in zip(times, path, strict=True))
    one = "\n".join(f"{t},{b}" for t, (_, b) in zip(times, path, strict=True))
    whole = fit(scenario, written(tmp_path, "time,{A},on{A}\n" + both)).rates
    part = fit(scenario, written(tmp_path, "time,on{A}\n" + one)).rates
    for name, rate in whole.items():
        assert part[name].value == pytest.approx(rate.value, rel=1e-4)
        assert part[name].interval == pytest.approx(rate.interval, rel=1e-3)


def test_parts_that_do_not_meet_have_chains_of_their_own(tmp_path: Path) -> None:
    """101 and 81 states, not 8,181."""
    network = Network("{A} <-> on{A} @ 1, 2\n{B} <-> on{B} @ 2, 1")
    scenario = Scenario(network, Team({"A": 100, "B": 80}))
    times = np.linspace(0, 10, 21)
    (path,) = trajectories(network, scenario.start, times=times, samples=1, seed=4)
    body = "\n".join(",".join(map(str, [t, *x])) for t, x in zip(times, path, strict=True))
    head = "time," + ",".join(map(str, network.species))
    log, _ = read_log(str(written(tmp_path, f"{head}\n{body}\n")), scenario)
    assert isinstance(log, Log)
    chains = chains_of(Task(network, 20, 0.95, None), log, scenario)
    assert sorted(chain.moves.shape[1] for chain in chains) == [81, 101]


def test_a_distribution_ties_the_parts_together_whose_species_it_counts(tmp_path: Path) -> None:
    network = Network(
        "{A} <-> on{A} @ 1, 2\n{B} -> on{B} @ [up * min({B}, 3 - on{A})]\non{B} -> {B} @ 1",
        {"up": 0.5},
    )
    scenario = Scenario(network, Team({"A": 3, "B": 2}))
    times = np.linspace(0, 40, 161)
    (path,) = trajectories(network, scenario.start, times=times, samples=1, seed=4)
    body = "\n".join(",".join(map(str, [t, *x])) for t, x in zip(times, path, strict=True))
    head = "time," + ",".join(map(str, network.species))
    log, _ = read_log(written(tmp_path, f"{head}\n{body}\n"), scenario)
    assert isinstance(log, Log)
    (chain,) = chains_of(Task(network, 160, 0.95, None), log, scenario)
    assert chain.moves.shape[1] == 4 * 3
    low, high = fit(scenario, tmp_path / "log.csv").rates["up"].interval
    assert low < 0.5 < high


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="log.csv:3: 7 in {A} \\+ {B}, 0 in on{A} \\+ on{B} is seen"
    ):
        fit(team(), written(tmp_path, "time,free,on\n0,4,0\n1,7,0\n"))
    with pytest.raises(InputError, match="the column 'fre' is no species .* Did you mean \"free\""):
        fit(team(), written(tmp_path, "time,fre\n0,4\n"))
    once = Scenario(Network("{A} -> on{A} @ 1"), Team({"A": 2}), Query(n="{A}"))
    with pytest.raises(InputError, match="cannot come back to every state"):
        fit(once, written(tmp_path, "time,n\n0,2\n1,1\n"))
    assert fit(once.with_({"adversary.at": 0}), tmp_path / "log.csv").rates
