"""Weights, thresholds and overlaps, by all that compares and all that reads logs."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import covey
from covey import Query, Scenario
from covey.dynamics.sensitivity.distribution_derivatives import Sensitivities
from covey.dynamics.solver import Solver

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")

WEIGHED = Query(bodies="2 pair{A,B} + {A} + {B}", few="{R} + pair{A,B} <= 1", pairs="pair{A,B}")
TWICE = Query(bodies="2 pair{A,B} + {A} + {B}", resting="3 rest{A}")
TEXT = """
{A} + {B} <-> pair{A,B} @ meet, 0.7
{B} + {R} <-> {B,R} @ 2, 1
{A} + {R} <-> {A,R} @ 0.6, 1
{A} <-> rest{A} @ 0.5, rest
"""


def team(query: Query, at: float | str = "steady") -> Scenario:
    network = covey.Network(TEXT, rates={"meet": 1.3, "rest": 0.9})
    robots = covey.Team({"A": 2, "B": 2}, resources={"R": 1})
    return Scenario(network, robots, query).with_({"adversary.at": at}, warn=False)


def seen_by_hand(query: Query, state: dict[str, int]) -> tuple[int, ...]:
    """Of the two queries above."""
    bodies = 2 * state["pair{A,B}"] + state["{A}"] + state["{B}"]
    if query is TWICE:
        return bodies, 3 * state["rest{A}"]
    few = int(state["{R}"] + state["pair{A,B}"] <= 1)
    return bodies, few, state["pair{A,B}"]


def chain_of(
    scenario: Scenario, robots: covey.Team
) -> tuple[np.ndarray, list[tuple[int, ...]], int]:
    """The generator, what each state shows, and the start: by nothing of covey's but its states."""
    network = scenario.network
    names = [str(species) for species in network.species]
    start = tuple(scenario.start_of(robots).tolist())
    states, rates = [start], {}
    for state in states:
        there = dict(zip(names, state, strict=True))
        for reaction, kappa in zip(network.reactions, network.rate_constants, strict=True):
            rate = float(kappa)
            for species, n in reaction.reactants:
                rate *= math.perm(there[str(species)], n)
            if rate == 0:
                continue
            after = dict(there)
            for species, n in reaction.change().items():
                after[str(species)] += n
            target = tuple(after.values())
            if target not in states:
                states.append(target)
            rates[states.index(state), states.index(target)] = rate
    generator = np.zeros((len(states), len(states)))
    for (i, j), rate in rates.items():
        generator[j, i] += rate
        generator[i, i] -= rate
    shows = [seen_by_hand(scenario.query, dict(zip(names, s, strict=True))) for s in states]
    return generator, shows, 0


def law(scenario: Scenario, robots: covey.Team, at: float) -> dict[tuple[int, ...], float]:
    generator, shows, start = chain_of(scenario, robots)
    found: dict[tuple[int, ...], float] = {}
    for seen, chance in zip(shows, expm(generator * at)[:, start], strict=True):
        found[seen] = found.get(seen, 0.0) + chance
    return found


def most_told(scenario: Scenario, at: float) -> tuple[float, float]:
    """Leakage and total variation."""
    ours = law(scenario, scenario.team, at)
    leak = apart = 0.0
    for neighbour in scenario.team.neighbours(scenario.protected):
        theirs = law(scenario, neighbour.team, at)
        both = ours.keys() | theirs.keys()
        pairs = [(ours.get(y, 0.0), theirs.get(y, 0.0)) for y in both]
        leak = max(leak, *(abs(math.log(p / q)) if p and q else math.inf for p, q in pairs))
        apart = max(apart, sum(abs(p - q) for p, q in pairs) / 2)
    return leak, apart


@pytest.mark.parametrize("query", [WEIGHED, TWICE])
@pytest.mark.parametrize("at", [0.7, "steady"])
def test_leakage_and_profile(query: Query, at: float | str) -> None:
    scenario = team(query, at)
    leak, apart = most_told(scenario, 400.0 if at == "steady" else float(at))
    assert covey.leakage(scenario).value == pytest.approx(leak, rel=1e-9)
    assert covey.profile(scenario).delta(0.0) == pytest.approx(apart, rel=1e-9)


@pytest.mark.parametrize("query", [WEIGHED, TWICE])
def test_two_snapshots(query: Query) -> None:
    scenario = team(query, 0.4)
    found = covey.joint_distributions(scenario, [0.4, 1.0]).team
    generator, shows, start = chain_of(scenario, scenario.team)
    first, step = expm(generator * 0.4)[:, start], expm(generator * 0.6)
    expected: dict[tuple[int, ...], float] = {}
    for i, before in enumerate(shows):
        for j, after in enumerate(shows):
            key = (*before, *after)
            expected[key] = expected.get(key, 0.0) + first[i] * step[j, i]
    for outcome, chance in zip(found.outcomes.tolist(), found.probabilities, strict=True):
        assert chance == pytest.approx(expected[tuple(outcome)], rel=1e-8)
    told = covey.stream(scenario, every=0.6, until=1.2, at=0.4)
    last = max(pair.rows[-1].total_variation.value for pair in told.pairs)
    assert last >= covey.profile(scenario).total_variation


@pytest.mark.parametrize("query", [WEIGHED, TWICE])
def test_what_is_inferred(query: Query) -> None:
    scenario = team(query, 0.7)
    ours = law(scenario, scenario.team, 0.7)
    seen = max(ours, key=lambda y: ours[y])
    found = covey.infer(scenario, dict(zip(query.sums, seen, strict=True)))
    by_team = [ours[seen]]
    for neighbour in scenario.team.neighbours(scenario.protected):
        by_team.append(law(scenario, neighbour.team, 0.7).get(seen, 0.0))
    weighed = [belief.prior * p for belief, p in zip(found.beliefs, by_team, strict=True)]
    for belief, weight in zip(found.beliefs, weighed, strict=True):
        assert belief.posterior == pytest.approx(weight / sum(weighed), rel=1e-9)


@pytest.mark.parametrize("query", [WEIGHED, TWICE])
def test_an_audit_stays_below(query: Query) -> None:
    scenario = team(query, 0.7)
    found = covey.audit(scenario, samples=4000)
    assert 0 < found.total_variation <= most_told(scenario, 0.7)[1]


@pytest.mark.parametrize("query", [WEIGHED, TWICE])
@pytest.mark.parametrize("at", [0.7, "steady"])
def test_derivatives(query: Query, at: float | str) -> None:
    scenario = team(query, at)
    moment = scenario.adversary.at
    solver = Solver(scenario.network)

    def logs(meet: float) -> covey.Distribution:
        return covey.distribution(scenario.with_({"rates.meet": meet}, warn=False))

    here = logs(1.3)
    (found,) = Sensitivities(solver, ("meet",)).of_distributions(
        [scenario.start], moment, query, [here]
    )
    up, down = (logs(1.3 * math.exp(h)).log_probabilities for h in (1e-4, -1e-4))
    assert found[0] == pytest.approx((up - down) / 2e-4, abs=1e-6)


def test_means() -> None:
    from covey.dynamics.mean_counts import means

    scenario = team(WEIGHED)
    found = means(Solver(scenario.network), scenario.start, "steady", WEIGHED)
    expected = law(scenario, scenario.team, 400.0)
    for i, mean in enumerate(found.counts.values()):
        assert mean == pytest.approx(sum(y[i] * p for y, p in expected.items()))
    large = scenario.with_({"types.A": 4000, "types.B": 3000, "resources.R": 2000}, warn=False)
    assert means(Solver(large.network), large.start, 1.0, TWICE).method == "mean-field"
    refused = means(Solver(large.network), large.start, 1.0, WEIGHED)
    assert refused.why.startswith("a mean field takes sums, and few is a threshold")


def test_rates_are_fitted_to_weighted_sums(tmp_path: Path) -> None:
    """The same log twice, one with its counts doubled: the same rates."""
    network = covey.Network("{A} <-> on{A} @ start, stop", rates={"start": 0.4, "stop": 1.0})
    found = []
    for weight in (1, 2):
        query = Query(on=f"{weight} on{{A}}", idle="{A} <= 1")
        scenario = Scenario(network, covey.Team({"A": 3}), query).with_({"adversary.at": 0.0})
        times = np.linspace(0, 30, 40)
        (path,) = covey.trajectories(network, scenario.start, times=times, samples=1, seed=3)
        lines = [f"{t},{weight * x[1]}" for t, x in zip(times, path, strict=True)]
        file = tmp_path / f"log{weight}.csv"
        file.write_text("\n".join(["time,on", *lines]))
        found.append(
            {name: rate.value for name, rate in covey.fit(scenario, str(file)).rates.items()}
        )
    assert found[0] == pytest.approx(found[1])
    file.write_text("time,idle\n0,1\n1,0\n")
    with pytest.raises(covey.InputError, match="the column 'idle' is a threshold"):
        covey.fit(scenario, str(file))


def test_what_takes_plain_counts_says_so() -> None:
    scenario = team(WEIGHED)
    with pytest.raises(covey.UnsupportedError, match="bodies = .* is no plain count of robots"):
        covey.leakage(scenario, seen=0.9)
    with pytest.raises(covey.UnsupportedError, match="a stand-in takes sums, and few is a thresh"):
        covey.stand_in(scenario, {"A": 1, "B": 3})
    with pytest.raises(covey.UnsupportedError, match="a measure of performance takes sums"):
        scenario.with_({"performance.x": "mean(few)"})
    assert covey.stand_in(team(TWICE), {"A": 1, "B": 3}).price.loss > 0


def test_mechanisms_and_designs() -> None:
    scenario = team(WEIGHED)
    assert covey.protect(scenario, epsilon=0.2, teams="this").leakage.value <= 0.2 + 1e-9
    every = covey.design(scenario, vary={"observe": "*"})
    before, after = (one.leakage.profile.bayes_success for one in (every.before, every.after))
    assert after <= before
    effects = covey.sensitivity(scenario).effects
    knobs = {one.change.knob: one for one in effects if one.change.kind == "release"}
    assert knobs.keys() == {"bodies", "few", "pairs", "bodies + pairs"}
    merged = scenario.with_(query=Query(few="{R} + pair{A,B} <= 1", both="3 pair{A,B} + {A} + {B}"))
    told = knobs["bodies + pairs"].after.total_variation
    assert told == pytest.approx(covey.leakage(merged).profile.total_variation)
