"""Residuals: against plain loops and scipy; at the level where the model is right; what is named."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, kstest, poisson

import covey
from covey import EventLog, InputError, Network, Query, Scenario, Team
from covey.numbers import Floats
from covey.study.fit.exponential_test import drift_chance, holm, rate_chance, shape_chance
from tests.privacy.small_teams import flipping, shared_resource

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")


def charging(robots: int = 3) -> Scenario:
    network = Network("{A} <-> charge{A} @ low, full", {"low": 0.5, "full": 1.0})
    query = Query(driving="{A}", charging="charge{A}")
    return Scenario(network, Team({"A": robots}), query, initial={"A": "{A}"})


def charges(
    scenario: Scenario, until: float, random: np.random.Generator, takes: Callable[[], float]
) -> EventLog:
    """Robots that drive for exponential times and charge for others."""
    events: list[tuple[float, int]] = []
    for _ in range(int(scenario.team.types["A"])):
        now, charges = 0.0, False
        while True:
            now += takes() if charges else random.exponential(2.0)
            if now > until:
                break
            events.append((now, int(charges)))
            charges = not charges
    events.sort()
    times, reactions = (np.array(column) for column in zip(*events, strict=True))
    return EventLog(scenario.network, scenario.start, until, times, reactions)


def rescaled(scenario: Scenario, log: EventLog, reaction: int) -> tuple[list[float], float]:
    """When a reaction's events are, in expected ones, by a plain loop over the log."""
    state, now, passed, found = log.start.tolist(), 0.0, 0.0, []
    reactants, changes = scenario.network.reactants.tolist(), scenario.network.changes.tolist()
    rate = scenario.network.rate_constants.tolist()[reaction]
    for time, which in [
        *zip(log.times.tolist(), log.reactions.tolist(), strict=True),
        (log.until, -1),
    ]:
        ways = math.prod(math.perm(n, k) for n, k in zip(state, reactants[reaction], strict=True))
        passed += rate * ways * (time - now)
        now = time
        if which == reaction:
            found.append(passed)
        if which >= 0:
            state = [n + k for n, k in zip(state, changes[which], strict=True)]
    return found, passed


def test_against_plain_loops_on_random_teams() -> None:
    for seed in range(200):
        random = np.random.default_rng(seed)
        a, b = random.integers(1, 5, 2)
        scenario = shared_resource(int(a), int(b))
        log = covey.event_log(
            scenario.network, scenario.start, float(random.uniform(2, 8)), seed=seed
        )
        if not len(log.times):
            continue
        for number, one in enumerate(covey.residuals(scenario, log).of):
            places, expected = rescaled(scenario, log, number)
            assert one.events == len(places)
            assert one.expected == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert np.cumsum(one.gaps) == pytest.approx(places, rel=1e-9)


def test_the_three_tests_against_scipy() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        n, expected = int(random.integers(0, 40)), float(random.uniform(1, 40))
        tails = poisson.cdf(n, expected), poisson.sf(n - 1, expected)
        assert rate_chance(n, expected) == pytest.approx(min(1, 2 * min(tails)), rel=1e-9)
        places = np.sort(random.random(n + 1))
        assert drift_chance(places) == pytest.approx(kstest(places, "uniform").pvalue, rel=1e-9)
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])


def test_the_shape_has_the_critical_values_of_lilliefors() -> None:
    """D = 0.234 at n = 20 and 5 % (Lilliefors 1969); here the mean is what was expected over n."""

    def distance(gaps: Floats) -> float:
        return float(kstest(gaps / gaps.mean(), "expon").statistic)

    random = np.random.default_rng(2)
    drawn = [random.exponential(size=20) for _ in range(1000)]
    agree = [
        (shape_chance(gaps, gaps.sum()) <= 0.05) == (distance(gaps) >= 0.234) for gaps in drawn
    ]
    assert np.mean(agree) > 0.985


def wrong(cases: int, first: int, until: float) -> int:
    found = 0
    for seed in range(first, first + cases):
        scenario = flipping(2, 1, fast=2.0)
        log = covey.event_log(scenario.network, scenario.start, until, seed=seed)
        found += not covey.residuals(scenario, log, confidence=0.9).fits
    return found


def test_a_model_that_is_right_is_rejected_at_the_level() -> None:
    assert wrong(100, 0, 30.0) <= binom.ppf(0.999, 100, 0.1)


@pytest.mark.study
def test_the_level_in_500_logs() -> None:
    for until in (10.0, 100.0):
        assert 0.02 * 500 <= wrong(500, 1000, until) <= binom.ppf(0.9999, 500, 0.1)


def test_shorter_and_longer_tails_are_named() -> None:
    scenario, random = charging(), np.random.default_rng(3)
    even = covey.residuals(scenario, charges(scenario, 400, random, lambda: random.gamma(8, 1 / 8)))
    assert [one.reaction for one in even.misfits] == ["charge{A} -> {A}"]
    assert "charging (charge{A} -> {A}) takes times that are shorter-tailed" in str(even)
    assert even.misfits[0].spread < 0.9
    long = covey.residuals(scenario, charges(scenario, 400, random, lambda: random.gamma(0.2, 5.0)))
    assert [one.reaction for one in long.misfits] == ["charge{A} -> {A}"]
    assert "takes times that are longer-tailed than exponential ones" in str(long)
    fits = covey.residuals(scenario, charges(scenario, 400, random, random.exponential))
    assert fits.fits
    assert "speaks against the model" in str(fits)


def test_rates_and_drifts_are_named() -> None:
    scenario = charging()
    log = covey.event_log(scenario.network, scenario.start, 300.0, seed=1)
    faster = covey.residuals(scenario.with_({"rates.full": 0.5}), log)
    (said,) = (text for one in faster.misfits for text in one.says)
    assert "charging (charge{A} -> {A}) happens 2.0" in said
    tired = covey.event_log(
        scenario.with_({"rates.full": 0.3}).network, scenario.start, 300.0, seed=2
    )
    start = covey.residuals(
        scenario,
        [log, EventLog(scenario.network, tired.start, 300.0, tired.times, tired.reactions)],
    )
    assert "happens less often later in the log" in str(start)


def test_from_a_file(tmp_path: Path) -> None:
    scenario = charging()
    log = covey.event_log(scenario.network, scenario.start, 50.0, seed=4)
    rows = ["sample,time,reaction,{A},charge{A}", "0,0,,3,0"]
    for time, reaction, state in zip(
        log.times.tolist(), log.reactions, log.states().tolist(), strict=True
    ):
        rows.append(
            f"0,{time!r},{scenario.network.reactions[reaction].arrow},{state[0]},{state[1]}"
        )
    file = tmp_path / "log.csv"
    file.write_text("\n".join(rows), encoding="utf-8")
    read, given = covey.residuals(scenario, file, until=50), covey.residuals(scenario, log)
    assert [one.events for one in read.of] == [one.events for one in given.of]
    assert [one.expected for one in read.of] == pytest.approx([one.expected for one in given.of])
    assert list(read.to_pandas()["reaction"]) == ["{A} -> charge{A}", "charge{A} -> {A}"]
    assert read.plot().axes


def test_events_that_do_not_say_which_reaction_they_were(tmp_path: Path) -> None:
    network = Network("{A} -> done{A} @ 1\n{A} -> done{A} @ 2\ndone{A} -> {A} @ 1")
    scenario = Scenario(network, Team({"A": 2}), Query())
    log = covey.event_log(network, scenario.start, 60.0, seed=1)
    rows = ["time,reaction,{A},done{A}", "0,,2,0"]
    rows += [
        f"{t!r},,{a},{d}"
        for t, (a, d) in zip(log.times.tolist(), log.states().tolist(), strict=True)
    ]
    file = tmp_path / "log.csv"
    file.write_text("\n".join(rows), encoding="utf-8")
    found = covey.residuals(scenario, file)
    assert [one.reaction for one in found.of] == [
        "{A} -> done{A} or {A} -> done{A}",
        "done{A} -> {A}",
    ]
    assert found.fits


def test_too_few_events_are_said_and_not_tested() -> None:
    scenario = charging(1)
    found = covey.residuals(
        scenario, covey.event_log(scenario.network, scenario.start, 8.0, seed=1)
    )
    assert all(math.isnan(one.shape) for one in found.of)
    assert "Fewer than 8 events" in found.notes[0]
    assert found.plot().axes


def test_what_is_refused(tmp_path: Path) -> None:
    scenario = charging()
    file = tmp_path / "log.csv"
    file.write_text("time,{A},charge{A}\n0,3,0\n5,2,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="residuals need every event"):
        covey.residuals(scenario, file)
    file.write_text("time,reaction\n0,\n5,\n", encoding="utf-8")
    with pytest.raises(InputError, match="nothing happens in the log"):
        covey.residuals(scenario, file)
