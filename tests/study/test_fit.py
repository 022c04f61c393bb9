"""Rates from logs: the closed form by hand, intervals that cover the truth as often as they say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from covey import Network, Scenario, Team, event_log, trajectories
from covey.dynamics.ctmc.transitions import build
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.state_space.enumeration import explore
from covey.errors import InputError, TooLargeError, UnsupportedError
from covey.model.stoichiometry import Kinetics
from covey.study.fit.fit import Fit, fit
from covey.study.fit.logs.log import Log, Run
from covey.study.fit.snapshot_likelihood import chains_of
from covey.study.fit.task import Task
from tests.privacy.small_teams import flipping, shared_resource

# What can be seen of the team plays no part here.
pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")


def snapshots(times: Sequence[float], states: Iterable[NDArray[np.int64]]) -> Log:
    none = np.full(len(times), -1)
    return Log(tuple(Run(np.array(times), state, none, none * 0) for state in states), sampled=True)


def seen(scenario: Scenario, until: float, gaps: int, seed: int, samples: int = 1) -> Log:
    times = np.linspace(0, until, gaps + 1)
    paths = trajectories(scenario.network, scenario.start, times=times, samples=samples, seed=seed)
    return snapshots(times.tolist(), paths)


def simulated(scenario: Scenario, until: float, seed: int, **how: float) -> Fit:
    log = event_log(scenario.network, scenario.start, until, seed=seed)
    return fit(scenario, log, **how)  # type: ignore[arg-type]


def covered(fits: Sequence[Fit], rates: Iterable[float]) -> list[int]:
    """In how many fits each rate is inside its interval."""
    return [
        sum(f.rates[name].interval[0] <= rate <= f.rates[name].interval[1] for f in fits)
        for name, rate in zip(fits[0].rates, rates, strict=True)
    ]


def about(share: float, trials: int) -> tuple[float, float]:
    """Where a count of `trials` at `share` is, but for one case in 1,500 each way."""
    deviation = math.sqrt(trials * share * (1 - share))
    return trials * share - 3.2 * deviation, trials * share + 3.2 * deviation


def coupled() -> Scenario:
    """A goes on by itself, or urged by a B that is there: one change, two reactions."""
    network = Network(
        "{A} -> on{A} @ alone\n{A} + {B} -> on{A} + {B} @ urged\non{A} -> {A} @ 1\n"
        "{B} <-> away{B} @ 0.5, 0.5",
        rates={"alone": 0.7, "urged": 1.5},
    )
    return Scenario(network, Team({"A": 4, "B": 1}))


def unnamed(scenario: Scenario, until: float, seed: int) -> Log:
    """A log of which only the states are kept."""
    log = event_log(scenario.network, scenario.start, until, seed=seed)
    changes = scenario.network.changes
    choices = [
        tuple(r for r in range(len(changes)) if (changes[r] == changes[q]).all())
        for q in range(len(changes))
    ]
    states = log.states()
    run = Run(
        np.concatenate([[0.0], log.times, [until]]),
        np.vstack([log.start[None], states, states[-1:]]),
        np.concatenate([[-1], log.reactions, [-1]]),
        np.zeros(len(log.times) + 2, dtype=np.int64),
    )
    return Log((run,), tuple(choices), inferred=True)


def test_events_over_exposure_by_hand() -> None:
    # Free: (2, 2) until 1, (1, 1) until 3, (2, 2) until 4; A + R -> AR at h = A R.
    network = Network("{A} + {R} <-> {A,R} @ 5, 5")
    scenario = Scenario(network, Team({"A": 2}, {"R": 2}))
    run = Run(
        np.array([0.0, 1.0, 3.0, 4.0]),
        np.array([[2, 2, 0], [1, 1, 1], [2, 2, 0], [2, 2, 0]]),
        np.array([-1, 0, 1, -1]),
        np.arange(4),
    )
    take, back = fit(scenario, Log((run,), ((0,), (1,)))).rates.values()
    assert (take.value, take.events, take.exposure) == (1 / 10, 1, 10)
    assert (back.value, back.events, back.exposure) == (1 / 2, 1, 2)
    # One event: the Poisson interval is (0.0253, 5.572), in every table.
    assert np.array(take.interval) * 10 == pytest.approx([0.0253178, 5.5716434], rel=1e-6)


@pytest.mark.parametrize(("kinetics", "exposure"), [("falling", 6 * 2 + 0), ("power", 9 * 2 + 0)])
def test_both_kinetics_of_two_equal_robots(kinetics: Kinetics, exposure: float) -> None:
    # Three robots until 2: x (x - 1) or x². One is left: no pair, and so no exposure.
    scenario = Scenario(Network("2 {A} -> {A,A} @ 1", kinetics=kinetics), Team({"A": 3}))
    run = Run(
        np.array([0.0, 2.0, 7.0]), np.array([[3, 0], [1, 1], [1, 1]]), np.array([-1, 0, -1]),
        np.arange(3),
    )  # fmt: skip
    (pair,) = fit(scenario, Log((run,), ((0,),))).rates.values()
    assert (pair.value, pair.exposure) == (1 / exposure, exposure)


@pytest.mark.parametrize("kinetics", ["falling", "power"])
def test_intervals_of_pairing_robots_cover_the_truth(kinetics: Kinetics) -> None:
    network = Network("2 {A} <-> {A,A} @ 0.3, 1", kinetics=kinetics)
    scenario = Scenario(network, Team({"A": 7}))
    fits = [simulated(scenario, 10, seed, confidence=0.9) for seed in range(200)]
    low, high = about(0.9, 200)
    assert all(low <= count <= high for count in covered(fits, [0.3, 1]))


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    fits = [simulated(shared_resource(6, 4), 20, seed, confidence=0.8) for seed in range(400)]
    low, high = about(0.8, 400)
    counts = covered(fits, [3, 1, 1, 1])
    assert all(low <= count for count in counts)
    # A Poisson interval is wider than it need be where there are few events, as B's five.
    assert all(count <= high for count in counts[:2])
    assert all(count < 0.95 * 400 for count in counts[2:])


def test_one_name_is_one_rate() -> None:
    network = Network(
        "{A} + {R} <-> {A,R} @ take, back\n{B} + {R} <-> {B,R} @ 1, back",
        rates={"take": 3, "back": 1, "unused": 7},
    )
    with pytest.warns(UserWarning, match="unused"):
        scenario = Scenario(network, Team({"A": 2, "B": 1}, {"R": 2}))
    found = simulated(scenario, 50, 1)
    apart = simulated(shared_resource(), 50, 1)
    assert list(found.rates) == ["take", "back", "{B} + {R} -> {B,R}"]
    ends = [apart.rates["{A,R} -> {A} + {R}"], apart.rates["{B,R} -> {B} + {R}"]]
    back = found.rates["back"]
    assert back.events == sum(end.events or 0 for end in ends)
    assert back.exposure == pytest.approx(sum(end.exposure or 0 for end in ends), rel=1e-12)
    assert back.value == pytest.approx((back.events or 0) / (back.exposure or 1), rel=1e-15)


def test_the_fitted_scenario_has_the_fitted_rates_and_nothing_else_new() -> None:
    network = Network("{A} + {R} <-> {A,R} @ take, 1", rates={"take": 3})
    scenario = Scenario(network, Team({"A": 2}, {"R": 2}), title="kept")
    found = simulated(scenario, 30, 1)
    values = [rate.value for rate in found.rates.values()]
    assert found.scenario.network.rate_constants.tolist() == values
    assert found.scenario.network.rates["take"] == values[0]
    assert found.scenario == Scenario(
        Network(f"{{A}} + {{R}} <-> {{A,R}} @ take, {values[1]!r}", rates={"take": values[0]}),
        Team({"A": 2}, {"R": 2}),
        title="kept",
    )


def test_runs_add_up() -> None:
    scenario = shared_resource()
    logs = [event_log(scenario.network, scenario.start, 5, seed=s) for s in range(3)]
    both, single = fit(scenario, logs), [fit(scenario, log) for log in logs]
    assert (both.runs, both.duration) == (3, 15)
    for name, rate in both.rates.items():
        assert rate.events == sum(one.rates[name].events or 0 for one in single)
        assert rate.exposure == pytest.approx(
            sum(one.rates[name].exposure or 0 for one in single), rel=1e-12
        )


def test_what_never_happened_and_what_never_could() -> None:
    found = simulated(flipping(a=1, b=0), 3, 1, confidence=0.95)
    on, off = found.rates["on{B} -> off{B}"], found.rates["off{B} -> on{B}"]
    assert not on.identified
    assert on.interval == off.interval == (0, math.inf)
    assert found.scenario.network.rates == {}
    assert found.scenario.network.rate_constants[2:].tolist() == [10, 10]
    assert "says nothing about on{B} -> off{B}, off{B} -> on{B}" in str(found)
    # Nothing in 3 robot-hours: 0, and at most -ln(0.025) / 3.
    rare = Scenario(Network("{A} -> gone{A} @ 1e-9"), Team({"A": 3}))
    (rate,) = simulated(rare, 1, 1).rates.values()
    assert (rate.value, rate.interval[0], rate.events) == (0, 0, 0)
    assert rate.interval[1] == pytest.approx(-math.log(0.025) / 3, rel=1e-12)
    assert simulated(rare, 1, 1).scenario == rare  # no scenario can have the rate 0


@pytest.mark.slow
def test_equal_changes_are_split_by_how_often_they_could_happen() -> None:
    scenario = coupled()
    fits = [fit(scenario, unnamed(scenario, 60, seed), confidence=0.9) for seed in range(40)]
    low, high = about(0.9, 40)
    counts = covered(fits, [0.7, 1.5, 1, 0.5, 0.5])
    assert all(low <= count <= high for count in counts[:2])
    first = fits[0].rates
    whole = event_log(scenario.network, scenario.start, 60, seed=0)
    apart = (first["alone"].events or 0) + (first["urged"].events or 0)
    assert apart == pytest.approx(int((whole.reactions <= 1).sum()), rel=1e-4)
    named = fit(scenario, whole).rates  # the other rates do not mind
    assert first["on{A} -> {A}"].value == named["on{A} -> {A}"].value
    # What is known less is known less well.
    widths = [rates["alone"].interval[1] - rates["alone"].interval[0] for rates in (first, named)]
    assert widths[0] > widths[1]


def test_what_cannot_be_told_apart_is_refused_by_name() -> None:
    network = Network("{A} -> on{A} @ 1\n{A} -> on{A} @ slow\non{A} -> {A} @ 1", {"slow": 0.1})
    scenario = Scenario(network, Team({"A": 2}))
    message = r"\{A\} -> on\{A\} and slow cannot be told apart"
    with pytest.raises(InputError, match=message):
        fit(scenario, unnamed(scenario, 10, 1))
    with pytest.raises(InputError, match=message):
        fit(scenario, seen(scenario, 10, 20, 1))
    assert len(simulated(scenario, 10, 1).rates) == 3  # named event by event they can


def flip(up: float = 1.0, down: float = 2.0) -> Scenario:
    network = Network("off{A} <-> on{A} @ up, down", rates={"up": up, "down": down})
    return Scenario(network, Team({"A": 1}), initial={"A": "off{A}"})


def test_a_flip_seen_by_snapshots_is_the_closed_form() -> None:
    # p = up/(up+down) (1 - e^-(up+down)Δ) is estimated by the share of changes, and solved for up.
    log = seen(flip(), 100, 400, 5)
    on = log.runs[0].states[:, flip().network.species.index(flip().network.species[1])]
    p = np.mean(on[1:][on[:-1] == 0] == 1)
    q = np.mean(on[1:][on[:-1] == 1] == 0)
    speed = -math.log(1 - p - q) / 0.25
    found = fit(flip(40.0, 0.3), log).rates  # from a start that is far off
    assert found["up"].value == pytest.approx(speed * p / (p + q), rel=1e-4)
    assert found["down"].value == pytest.approx(speed * q / (p + q), rel=1e-4)


@pytest.mark.slow
def test_snapshots_cover_the_truth_as_often_as_they_say() -> None:
    fits = [fit(flip(), seen(flip(), 40, 120, seed), confidence=0.9) for seed in range(36)]
    low, high = about(0.9, 36)
    assert all(low <= count <= high for count in covered(fits, [1, 2]))


def test_probabilities_of_snapshots_are_those_of_the_exact_engine() -> None:
    scenario = shared_resource()
    times = [0.0, 0.01, 0.5, 0.51, 8.0, 300.0]
    paths = trajectories(scenario.network, scenario.start, times=times, samples=12, seed=1)
    log = snapshots(times, paths)
    task = Task(scenario.network, 60, 0.95, None)
    (chain,) = chains_of(task, log, scenario)
    rates = np.array([3.0, 1.0, 1.0, 1.0])
    lattice = explore(scenario.network, scenario.start, max_states=100)
    generator = build(scenario.network, lattice)
    expected = 0.0
    for path in paths:
        place = lattice.index_of(path)
        for k, gap in enumerate(np.diff(times)):
            start = np.eye(len(lattice))[place[k]]
            distribution = transient(generator, start, [gap])
            expected += distribution.log_probabilities[0, place[k + 1]]
    value, sensitivity = chain.likelihood(rates)
    assert value == pytest.approx(expected, rel=1e-10)
    for p in range(4):
        step = np.eye(4)[p] * 1e-5
        rise = chain.likelihood(rates + step)[0] - chain.likelihood(rates - step)[0]
        assert sensitivity[p] == pytest.approx(rise / 2e-5, rel=1e-5, abs=1e-5)


@pytest.mark.slow
def test_snapshots_of_very_different_gaps() -> None:
    # A microsecond among hours: matrices are squared dozens of times, and stay stochastic.
    log = seen(flip(), 40, 120, 5)
    run = log.runs[0]
    hasty = Run(
        np.append(run.times, 40 + 1e-9),
        np.vstack([run.states, run.states[-1:]]),
        np.append(run.events, -1),
        np.append(run.lines, 0),
    )
    found, same = fit(flip(), Log((hasty,), sampled=True)).rates, fit(flip(), log).rates
    for name, rate in found.items():
        assert rate.value == pytest.approx(same[name].value, rel=1e-4)
        assert rate.interval == pytest.approx(same[name].interval, rel=1e-3)


def test_runs_of_one_snapshot_say_nothing() -> None:
    log = seen(flip(), 10, 40, 1)
    run = log.runs[0]
    lone = Run(run.times[:1], run.states[:1], run.events[:1], run.lines[:1])
    assert fit(flip(), Log((lone, run), sampled=True)).rates == fit(flip(), log).rates


def test_snapshots_too_far_apart_tell_only_the_ratio() -> None:
    found = fit(flip(), seen(flip(), 20_000, 200, 3)).rates
    assert found["up"].interval[1] == found["down"].interval[1] == math.inf
    # The slowest that still forgets in 100: (up + down) 100 is some units.
    assert 1 < 100 * (found["up"].interval[0] + found["down"].interval[0]) < 4


def test_snapshots_of_many_states_are_refused_with_their_number() -> None:
    scenario = shared_resource(30, 30)
    scenario = Scenario(scenario.network, Team({"A": 30, "B": 30}, {"R": 40}))
    with pytest.raises(TooLargeError, match="more than 250 states, seen in 5 pairs of snapshots"):
        fit(scenario, seen(scenario, 1, 5, 1))
    scenario = Scenario(Network("{A} <-> on{A} @ 1, 1"), Team({"A": 150}))
    times = np.cumsum(np.arange(40) * 0.01)
    paths = trajectories(scenario.network, scenario.start, times=times, samples=1)
    with pytest.raises(
        TooLargeError, match="151 states, seen in 39 pairs of snapshots with 39 diff"
    ):
        fit(scenario, snapshots(times.tolist(), paths))


def test_snapshots_that_no_reactions_connect() -> None:
    scenario = Scenario(Network("{A} -> on{A} @ 1"), Team({"A": 2}))
    with pytest.raises(InputError, match=r"lead from 1 \{A\}, 1 on\{A\} to 2 \{A\}, which is seen"):
        fit(scenario, snapshots([0, 1, 2], [np.array([[2, 0], [1, 1], [2, 0]])]))
    with pytest.raises(InputError, match=r"lead from 2 \{A\} to 2 \{A\}, 1 on\{A\}, which is seen"):
        fit(scenario, snapshots([0, 1], [np.array([[2, 0], [2, 1]])]))
    with pytest.raises(InputError, match="two different states at time 1"):
        fit(scenario, snapshots([0, 1, 1], [np.array([[2, 0], [2, 0], [1, 1]])]))


def test_silent_reactions_are_seen_only_where_they_are_named() -> None:
    scenario = Scenario(Network("{A} -> {A} @ 2\n{A} <-> on{A} @ 1, 1"), Team({"A": 2}))
    named = simulated(scenario, 20, 1).rates
    assert (named["{A} -> {A}"].events or 0) > 0
    unseen = fit(scenario, unnamed(scenario, 20, 1)).rates
    assert not unseen["{A} -> {A}"].identified
    assert unseen["{A} -> on{A}"] == named["{A} -> on{A}"]
    assert not fit(scenario, seen(scenario, 20, 40, 1)).rates["{A} -> {A}"].identified


def test_it_prints_as_a_table() -> None:
    assert str(simulated(shared_resource(), 10, 1)).splitlines()[:2] == [
        "4 rates fitted to 34 events in 1 run of 10 in all, with 95% confidence intervals:",
        "  {A} + {R} -> {A,R} = 2.856 (1.521 to 4.884)",
    ]


def test_refusals() -> None:
    scenario = shared_resource()
    log = event_log(scenario.network, scenario.start, 5)
    with pytest.raises(InputError, match="confidence is 95: between 0 and 1"):
        fit(scenario, log, confidence=95)
    with pytest.raises(InputError, match="event logs of the scenario's own reactions"):
        fit(flip(), log)
    with pytest.raises(InputError, match="runs with states of 5 species are expected"):
        fit(scenario, seen(flip(), 1, 5, 1))
    with pytest.raises(InputError, match="until = 1 is before that"):
        fit(scenario, log, until=1)
    with pytest.raises(InputError, match="no time passes in the log"):
        fit(scenario, event_log(scenario.network, scenario.start, 0))
    with pytest.raises(InputError, match="until is for logs of events"):
        fit(flip(), seen(flip(), 1, 5, 1), until=3)


def chargers() -> Scenario:
    network = Network(
        "{A} <-> w{A} @ [plug * min({A}, 3 - w{A})], [full * w{A} / (most + w{A})]",
        rates={"plug": 2.0, "full": 3.0, "most": 2.0},
    )
    return Scenario(network, Team({"A": 6}), initial={"A": "{A}"})


def test_the_factor_of_a_distribution_is_fitted() -> None:
    scenario = chargers()
    found = simulated(scenario, 200.0, seed=4)
    log = event_log(scenario.network, scenario.start, 200.0, seed=4)
    states = np.vstack([scenario.start, log.states()])
    gaps = np.diff([0.0, *log.times, 200.0])
    waiting = states[:, 1]
    exposure = gaps @ np.minimum(6 - waiting, 3 - waiting)
    assert tuple(found.rates) == ("plug", "full")
    assert found.rates["plug"].value == pytest.approx((log.reactions == 0).sum() / exposure)
    exposure = gaps @ (waiting / (2.0 + waiting))
    assert found.rates["full"].value == pytest.approx((log.reactions == 1).sum() / exposure)
    assert found.scenario.network.rates["plug"] == found.rates["plug"].value
    assert found.scenario.network.rates["most"] == 2.0
    assert found.scenario.network.reactions == scenario.network.reactions


def test_factors_of_distributions_seen_by_snapshots() -> None:
    scenario = chargers()
    found = fit(scenario, seen(scenario, 60.0, 240, seed=2, samples=4))
    for name in ("plug", "full"):
        low, high = found.rates[name].interval
        assert low <= scenario.network.rates[name] <= high


@pytest.mark.parametrize(
    ("distribution", "message"),
    [
        ("[2 * min({A}, 3)]", "whose rates cannot be fitted: one named rate times"),
        ("[a * b * {A}]", "whose rates cannot be fitted"),
        ("[a * min({A}, a)]", "whose rates cannot be fitted"),
        ("[a + {A}]", "whose rates cannot be fitted"),
        ("[a * {A} / (1 + b)]", "has b in its rate law, which is fitted elsewhere"),
    ],
)
def test_rate_laws_that_cannot_be_fitted(distribution: str, message: str) -> None:
    network = Network(
        f"{{A}} <-> w{{A}} @ {distribution}, b\nc{{A}} -> {{A}} @ a", {"a": 1.0, "b": 1.0}
    )
    scenario = Scenario(network, Team({"A": 3}), initial={"A": "{A}"})
    log = snapshots([0.0, 1.0], [np.array([[3, 0, 0], [3, 0, 0]])])
    with pytest.raises(UnsupportedError, match=message):
        fit(scenario, log)
