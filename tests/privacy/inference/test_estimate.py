"""What a watcher estimates: against brute force, calibrated, and at the prior behind a stand-in."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import covey
from covey import InputError, Limits, Network, Query, Scenario, Team, TooLargeError
from covey.dynamics.ctmc.propagator import propagator
from covey.dynamics.hmm.hidden_markov import WatchedChain
from covey.dynamics.hmm.likelihood_ratio import PathSampler
from covey.dynamics.solver import Solver
from covey.numbers import Floats, distinct_rows
from covey.privacy.inference.estimate.credible import intervals
from covey.privacy.inference.estimate.estimate_problem import EstimateProblem, bayes
from covey.privacy.inference.estimate.followed import Followed
from covey.privacy.inference.estimate.grid import read_grid
from covey.privacy.stream.problem import Sampling
from covey.privacy.stream.schedule import schedule
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.pairs import Coupling, Pairs
from tests.privacy.inference.brute_force import PlainChain
from tests.privacy.small_teams import flipping, shared_resource

PAIRING = Network(
    "{A} + {B} <-> {A,B} @ meet, part\n{A} <-> w{A} @ go, 1", {"meet": 0.7, "part": 1.0, "go": 0.4}
)


def _pairing(a: int = 2, b: int = 2) -> Scenario:
    query = Query(free="{A} + {B}", together="{A,B}")
    return Scenario(PAIRING, Team({"A": a, "B": b}), query)


CASES: list[tuple[Scenario, dict[str, tuple[float, float]], float | str]] = [
    (shared_resource(2, 2), {"types.A": (1, 3), "types.B": (1, 3)}, "steady"),
    (flipping(1, 2), {"types.A": (0, 3), "types.B": (0, 3)}, "steady"),
    (_pairing(), {"rates.meet": (0.1, 5), "types.B": (1, 3)}, 0.6),
    (_pairing(3, 1), {"rates.go": (0.1, 4)}, "steady"),
]


def _shortest(values: list[float], edges: Floats, chances: Floats, level: float) -> float:
    """Half of the shortest interval, by trying all."""
    tried = [
        (edges[j, 1] - edges[i, 0]) / 2
        for i, j in product(range(len(values)), repeat=2)
        if i <= j and chances[i : j + 1].sum() >= level - 1e-12
    ]
    return float(min(tried))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_expected_posterior_is_that_of_all_sequences(case: int) -> None:
    """Summed over every sequence of three snapshots, each by plain loops over all states."""
    scenario, of, at = CASES[case]
    scenario = scenario.with_({"adversary.at": at})
    found = covey.estimate(
        scenario, of, 0.4, 1.2, points=4, sampling=Sampling(paths=6_000, seed=case)
    )
    grid = read_grid(scenario, of, 4)
    chains = [PlainChain(grid.hypothesis(h)) for h in range(len(grid))]
    for mark, count in enumerate(found.snapshots):
        laws = [chain.sequences(at, 0.4, count) for chain in chains]
        truth = laws[grid.truth]
        for one in found.of:
            chances, near = np.zeros(len(one.values)), 0.0
            for sequence, probability in truth.items():
                if probability <= 1e-15:
                    continue
                joint = np.array([law.get(sequence, 0.0) for law in laws]) * grid.prior
                posterior = one.quantity.marginal(joint / joint.sum())
                chances += probability * posterior
                near += probability * _shortest(
                    list(one.values), one.quantity.edges, posterior, 0.9
                )
            rounding = 1e-12  # of this sum over many sequences
            assert one.within[mark].lower - rounding <= near <= one.within[mark].upper + rounding
            assert one.within[mark].value == pytest.approx(near, abs=0.05 * one.quantity.most)
            assert [row.value for row in one.posterior[mark]] == pytest.approx(chances, abs=0.02)
            assert sum(row.value for row in one.posterior[mark]) == pytest.approx(1)
            for row, exact in zip(one.posterior[mark], chances, strict=True):
                assert row.lower <= exact <= row.upper


def _problem(scenario: Scenario, of: dict[str, tuple[float, float]], paths: int) -> EstimateProblem:
    looks = schedule(scenario, 0.5, 6, None, [1, 4, 12])
    return EstimateProblem(
        read_grid(scenario, of, 6), (), looks, 0.9, Sampling(paths=paths, seed=5)
    )


@pytest.mark.parametrize("of", [{"types.A": (1, 4), "types.B": (1, 4)}, {"rates.meet": (0.1, 5)}])
def test_a_truth_drawn_from_the_prior_is_in_the_interval_as_often_as_it_says(
    of: dict[str, tuple[float, float]],
) -> None:
    """The identity P(θ in S(y)) = E P(S(y) | y): hits are binomial around the mass of the sets."""
    base = _problem(_pairing(), of, 2).grid
    drawn = np.random.default_rng(3).multinomial(900, base.prior)
    hits, masses = np.zeros(3), np.zeros(3)
    for number in np.flatnonzero(drawn >= 2):
        problem = _problem(base.hypothesis(int(number)), of, int(drawn[number]))
        (own, *_) = problem.quantities(Solver(problem.grid.scenario.network))
        believed = own.marginal(
            Followed(Solver(problem.grid.scenario.network), problem).posterior()
        )
        for mark in range(3):
            ends = intervals(believed[:, :, mark], own.edges, 0.9)
            inside = (ends[:, :1] <= own.edges[:, 0]) & (own.edges[:, 1] <= ends[:, 1:])
            masses[mark] += (inside.T * believed[:, :, mark]).sum()
            hits[mark] += ((ends[:, 0] <= own.truth) & (own.truth <= ends[:, 1])).sum()
    tried = int(drawn[drawn >= 2].sum())
    for hit, mass in zip(hits, masses, strict=True):
        share = mass / tried
        assert share >= 0.9 - 1e-9
        spread = np.sqrt(tried * share * (1 - share)) + 1
        assert abs(hit - mass) < 4 * spread
        assert binom.cdf(hit, tried, 0.9) > 1e-4


def test_what_is_counted_is_known_at_once_and_only_the_mix_takes_time() -> None:
    team = shared_resource(3, 2)
    alone = covey.estimate(team, {"types.B": (0, 5)}, 1, 2, sampling=Sampling(paths=200))
    assert alone["types.B"].before == 2.5
    assert alone["types.B"].within[0].value == 0
    both = covey.estimate(
        team, {"types.B": (0, 5), "types.A": (0, 5)}, 1, 40, sampling=Sampling(paths=200)
    )
    near = [figure.value for figure in both["types.B"].within]
    assert near[0] > near[-1] > 0
    assert both["types.A"].within == both["types.B"].within  # as their sum is counted
    assert 'the number of "B" to within ±' in str(both)


def test_a_measure_follows_from_the_numbers() -> None:
    team = shared_resource(2, 2).with_({"performance.busy": "mean(busy)"})
    found = covey.estimate(
        team, {"types.A": (1, 3), "types.B": (1, 3), "busy": None}, 1, 4,
        sampling=Sampling(paths=100),
    )  # fmt: skip
    busy = found["busy"]
    assert busy.truth == covey.performance(team)["busy"]
    assert len(busy.values) == 9
    assert busy.within[-1].value < busy.before


def test_the_same_seed_gives_the_same_figures_on_any_number_of_cores() -> None:
    of = {"rates.meet": (0.1, 5)}
    one, two = (
        covey.estimate(_pairing(), of, 1, 5, sampling=Sampling(paths=100, cores=cores))
        for cores in (1, 3)
    )
    assert one.of[0].within == two.of[0].within


def test_published_through_a_table_less_is_known() -> None:
    team = _pairing()
    seen = distinct_rows(Solver(team.network).chain(team.start).seen(team.query))[0]
    rows = (np.eye(len(seen)) + np.full((len(seen), len(seen)), 1 / len(seen))) / 2
    table = covey.ReleaseTable(("free", "together"), seen, seen, rows, 1.0, 0.0, 1.0)
    release = covey.Release(mechanism=table)
    through = Scenario(team.network, team.team, team.query, release=release)
    plain, less = (covey.estimate(s, {"rates.meet": (0.1, 5)}, 1, 30) for s in (team, through))
    assert less.of[0].within[-1].lower > plain.of[0].within[-1].upper


def _watched(coupling: Coupling, every: float) -> WatchedChain:
    """The pair of a team and its stand-in, of which the stand-in is seen."""
    pairs = coupling.pairs
    seen = np.tile(pairs.reference.seen, (len(pairs.real), 1))
    outcomes, look = distinct_rows(seen)
    order = np.argsort(look, kind="stable")
    step = propagator(coupling.generator, every)
    assert step is not None
    return WatchedChain(
        outcomes,
        np.bincount(look),
        pairs.stationary[order],
        step.matrix[np.ix_(order, order)][None],
        np.zeros(100, dtype=np.int64),
        np.zeros(1),
    )


@pytest.mark.parametrize("couple", [greedy, optimal])
def test_a_stand_in_leaves_the_mix_at_the_prior(couple: object) -> None:
    """Whichever team is behind it, what is published is as probable: nothing is learnt of it."""
    reference = shared_resource(2, 1)
    mixes = [shared_resource(a, 3 - a) for a in range(4)]
    solver = Solver(reference.network)
    chains = [
        _watched(couple(Pairs.of(solver, real, reference, "l1")), 0.3)  # type: ignore[operator]
        for real in mixes
    ]
    reported = PathSampler(chains[3], chains[3]).reported(60, 50, seed=1)
    logs = np.array(
        [PathSampler(chains[3], one).log_likelihoods(reported, [1, 20, 60]) for one in chains]
    )
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    posterior = bayes(logs, prior)
    np.testing.assert_allclose(
        posterior, np.broadcast_to(prior[:, None, None], posterior.shape), rtol=1e-8
    )
    # Of the teams themselves the same paths tell a lot.
    told = covey.estimate(mixes[2], {"types.A": (0, 3), "types.B": (0, 3)}, 0.3, 18)
    assert told["types.A"].within[-1].upper < told["types.A"].before - 0.3


def test_of_a_scenario_that_publishes_a_stand_in_nothing_is_learnt(tmp_path: Path) -> None:
    covey.stand_in(shared_resource(), {"A": 1, "B": 2}).save(tmp_path / "s.json")
    text = covey.dumps(shared_resource()) + '\n[release]\nmechanism = "s.json"\n'
    (tmp_path / "team.toml").write_text(text)
    team = covey.load(tmp_path / "team.toml")
    found = covey.estimate(team, {"types.A": (1, 5), "types.B": (0, 3)}, 1, 100)
    assert found.method == "exact"
    assert found["types.A"].within == ((found["types.A"].before,) * 3,) * len(found.snapshots)
    assert [row.value for row in found["types.A"].posterior[-1]] == pytest.approx([0.2] * 5)
    assert "nothing is learnt" in str(found)


def test_large_teams_are_approximated_and_checked_on_simulated_paths() -> None:
    """Forced where the exact filter answers too: both say about the same."""
    team = _pairing(12, 8)
    of = {"rates.meet": (0.2, 2.5)}
    exact = covey.estimate(team, of, 1, 60, points=31, sampling=Sampling(paths=300))
    rough = covey.estimate(
        team, of, 1, 60, points=31, sampling=Sampling(paths=300), limits=Limits(max_states=20)
    )
    assert (exact.method, rough.method) == ("paths", "normal")
    assert not rough.taken_for_steady  # paths begin in the closed form, exactly
    assert rough.of[0].within[-1].value == pytest.approx(exact.of[0].within[-1].value, rel=0.25)
    assert rough.of[0].checked is not None
    assert rough.of[0].checked[-1].upper < 0.9  # so few robots are not as near as it says
    many = _pairing(120, 80).with_({"rates.meet": 0.07})
    found = covey.estimate(
        many, {"rates.meet": (0.02, 0.25)}, 1, 20,
        sampling=Sampling(paths=300), limits=Limits(max_states=20),
    )  # fmt: skip
    assert found.of[0].checked is not None
    # The larger the team, the better the linear noise model: and the check is what says so.
    assert found.of[0].checked[-1].lower > rough.of[0].checked[-1].upper
    assert "an approximation" in str(rough)
    assert "at least" in str(rough)


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ({"types.C": (1, 3)}, "there is no number 'types.C'"),
        ({"types.A": (3, 1)}, "is no range"),
        ({"types.A": (3, 5)}, "types.A is 2 in the scenario, outside 3:5"),
        ({"types.A": (0.5, 5)}, "a range of whole numbers"),
        ({"types.A": None}, "types.A has no range"),
        ({"throughput": None}, "neither a number of the scenario nor a measure"),
        ({}, "what is not known is not said"),
    ],
)
def test_what_cannot_be_estimated_is_refused(of: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        covey.estimate(shared_resource(), of, 1, 5)  # type: ignore[arg-type]


def test_rates_begin_above_zero_and_grids_have_an_end() -> None:
    with pytest.raises(InputError, match="a range above 0"):
        covey.estimate(_pairing(), {"rates.meet": (0, 5)}, 1, 5)
    with pytest.raises(InputError, match="level is 1.5"):
        covey.estimate(_pairing(), {"rates.meet": (0.1, 5)}, 1, 5, level=1.5)
    with pytest.raises(InputError, match="points is 1"):
        covey.estimate(_pairing(), {"rates.meet": (0.1, 5)}, 1, 5, points=1)
    with pytest.raises(TooLargeError, match="hypotheses"):
        covey.estimate(_pairing(), {"types.A": (0, 99), "types.B": (0, 99)}, 1, 5)
