"""Every measure against a value found in another way: on paper, by quadrature, by dp_accounting."""

import math
import random
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.dynamics.distribution import Distribution
from covey.privacy.measures.concentrated_dp import concentrated_rho
from covey.privacy.measures.gaussian_dp import gaussian_mu
from covey.privacy.measures.metric_distances import jensen_shannon
from covey.privacy.measures.registry import KINDS, Measure, Snapshot, read_measures
from covey.privacy.snapshot.output_distributions import TeamDistributions

EXAMPLE = "examples/shared-resource.toml"


def given(*laws: list[float], lost: float = 0.0) -> TeamDistributions:
    """Distributions over 0, 1, … as those of a team and its neighbours."""
    scenario = covey.load(EXAMPLE)
    made = []
    for law in laws:
        with np.errstate(divide="ignore"):
            logs = np.log(law)
        rows = np.arange(len(law))[:, None]
        kept = np.isfinite(logs)
        made.append(Distribution(("y",), rows[kept], logs[kept], 0.0, lost))
    neighbours = scenario.team.neighbours(scenario.protected)
    pairs = [(neighbours[i % len(neighbours)], one) for i, one in enumerate(made[1:])]
    return TeamDistributions(scenario, "steady", made[0], tuple(pairs))


def value(name: str, *laws: list[float]) -> float:
    return Measure.parse(name).of(Snapshot(given(*laws))).value


RANDOMISED = [0.75, 0.25], [0.25, 0.75]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("leakage", math.log(3)),
        ("epsilon=0", math.log(3)),
        ("delta=0.5", 0.75 - math.exp(0.5) * 0.25),
        ("guess", 0.75),
        ("tv", 0.5),
        ("settled", 0.0),
        ("hellinger", math.sqrt(1 - 2 * math.sqrt(3) / 4)),
        ("js", math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)),
        ("kl", 0.5 * math.log(3)),
        ("renyi(2)", math.log(0.75**2 / 0.25 + 0.25**2 / 0.75)),
        ("max_leakage", math.log(1.5)),
        ("mu", 1.3489795003921634),  # 2 Φ⁻¹(0.75)
    ],
)
def test_randomised_response(name: str, expected: float) -> None:
    """Told truly with probability ½, else by a coin: ¾ and ¼."""
    assert value(name, *RANDOMISED) == pytest.approx(expected, rel=1e-12)


def test_randomised_response_by_dp_accounting() -> None:
    accounting = pytest.importorskip("dp_accounting")
    from dp_accounting.pld import privacy_loss_distribution as pld

    losses = pld.from_randomized_response(0.5, 2)
    assert value("delta=0.5", *RANDOMISED) == pytest.approx(
        losses.get_delta_for_epsilon(0.5), abs=1e-4
    )
    assert value("epsilon=0.1", *RANDOMISED) == pytest.approx(
        losses.get_epsilon_for_delta(0.1), abs=1e-4
    )
    assert accounting


def test_rho_of_randomised_response() -> None:
    """The largest of a fine grid of orders."""
    p, q = (np.log(law) for law in RANDOMISED)
    orders = 1 + np.geomspace(1e-4, 100, 20_001)
    sums = np.log(np.exp(np.outer(orders, p) + np.outer(1 - orders, q)).sum(axis=1))
    largest = max(float((sums / (orders * (orders - 1))).max()), 0.5 * math.log(3))  # KL at 1
    found = Measure.parse("rho").of(Snapshot(given(*RANDOMISED)))
    assert found.value == pytest.approx(largest, rel=1e-5)
    assert found.interval[0] <= largest * (1 + 1e-9)
    assert largest <= found.interval[1]


def random_laws(seed: int, count: int = 2, size: int = 6) -> list[list[float]]:
    lots = random.Random(seed)
    laws = [[lots.random() ** 3 + 1e-3 for _ in range(size)] for _ in range(count)]
    return [[p / sum(law) for p in law] for law in laws]


@pytest.mark.parametrize("seed", range(60))
def test_against_plain_sums(seed: int) -> None:
    p, q = random_laws(seed)
    pairs = list(zip(p, q, strict=True))
    assert value("hellinger", p, q) == pytest.approx(
        math.sqrt(1 - sum(math.sqrt(a * b) for a, b in pairs)), rel=1e-7
    )
    m = [(a + b) / 2 for a, b in pairs]
    js = sum(a * math.log(a / c) + b * math.log(b / c) for (a, b), c in zip(pairs, m, strict=True))
    assert value("js", p, q) == pytest.approx(js / 2, rel=1e-9)
    three = random_laws(seed, 3)
    most = sum(max(column) for column in zip(*three, strict=True))
    assert value("max_leakage", *three) == pytest.approx(math.log(most), rel=1e-12)
    for name in KINDS:
        found = Measure.parse(name).of(Snapshot(given(p, q)))
        assert found.interval[0] <= found.value * (1 + 1e-12) <= found.interval[1] * (1 + 1e-9)


def test_mu_dominates_and_no_smaller_does() -> None:
    from scipy.stats import norm

    for seed in range(20):
        p, q = random_laws(seed)
        pair = Snapshot(given(p, q)).profile.pairs[0]
        mu = value("mu", p, q)
        ones, twos = pair.trade_off()
        grid = np.linspace(1e-9, 1 - 1e-9, 4001)
        curve = np.interp(grid, ones, twos)
        assert (curve >= norm.cdf(norm.isf(grid) - mu) - 1e-9).all()
        corners = np.interp(ones, ones, twos) - norm.cdf(norm.isf(ones) - (mu - 1e-6))
        assert (corners < 0).any()


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_gaussians_are_their_own_measure(mu: float) -> None:
    """N(0, 1) and N(μ, 1) in bins: coarser, so less, and by little. ρ = μ²/2."""
    from scipy.stats import norm

    edges = np.concatenate([[-np.inf], np.linspace(-8, 8 + mu, 4001), [np.inf]])
    middle = np.where(edges[1:] > 0, -1.0, 1.0)  # tails from the near side
    logs = []
    for shift in (0.0, mu):
        a, b = edges[:-1] - shift, edges[1:] - shift
        p = np.where(middle < 0, norm.sf(a) - norm.sf(b), norm.cdf(b) - norm.cdf(a))
        logs.append(np.log(p))
    one, other = logs
    assert gaussian_mu(one, other) == pytest.approx(mu, rel=3e-3)
    assert gaussian_mu(one, other) <= mu * (1 + 1e-6)
    low, high = concentrated_rho(one, other)
    assert low <= mu**2 / 2 * (1 + 1e-4)
    assert high == pytest.approx(mu**2 / 2, rel=1e-2)


def test_far_tails() -> None:
    """Errors of probability 1e-300 are still told apart."""
    tiny = 1e-300
    p, q = np.log([1 - tiny, tiny]), np.log([1 - 4 * tiny, 4 * tiny])
    p[0] = q[0] = 0.0
    assert 0 < gaussian_mu(p, q) < 0.1
    assert jensen_shannon(np.log([0.5, 0.5]), np.log([0.5 + 1e-9, 0.5 - 1e-9])) == pytest.approx(
        0.5e-18, rel=1e-6
    )


@pytest.mark.parametrize("seed", range(25))
def test_bounds_hold_where_mass_was_truncated(seed: int) -> None:
    """Outcomes are cut off; what is said of the rest must hold for the whole."""
    whole = random_laws(seed, 2, 8)
    cut = [[*law[:5], 0.0, 0.0, 0.0] for law in whole]
    lost = max(sum(law[5:]) for law in whole)
    for name in KINDS:
        true = Measure.parse(name).of(Snapshot(given(*whole))).value
        low, high = Measure.parse(name).of(Snapshot(given(*cut, lost=lost))).interval
        assert low <= true * (1 + 1e-9) + 1e-12, name
        assert true <= high * (1 + 1e-9) + 1e-12, name


def test_every_measure_says_what_it_is() -> None:
    for kind in KINDS.values():
        assert 10 < len(kind.definition) <= 100


def spread(distributions: TeamDistributions) -> float:
    """The largest difference of means: a measure of one's own."""
    own = sum(distributions.team.mean.values())
    return max(abs(own - sum(d.mean.values())) for _, d in distributions.neighbours)


def test_functions_in_sweeps_and_traces(tmp_path: Path) -> None:
    scenario = covey.load(EXAMPLE)
    found = covey.sweep(
        scenario, {"types.A": [1, 2, 3]}, measure=[spread, "guess", lambda d: len(d.neighbours)]
    )
    assert found.measures == ("own.spread", "guess", "own.lambda")
    alone = [spread(covey.team_distributions(scenario.with_({"types.A": n}))[0]) for n in (1, 2, 3)]
    assert found.values.tolist() == pytest.approx(alone)
    by_rate = covey.sweep(
        scenario, {"rates.take": [1.0, 2.0]}, measure=spread, path=tmp_path / "s.nc"
    )
    again = covey.open_sweep(tmp_path / "s.nc")
    assert again.values.tolist() == by_rate.values.tolist()
    over_time = covey.trace(scenario, [0.5, 1.0], measures=["mu", "renyi=3", spread])
    assert list(over_time.measures) == ["mu", "renyi=3.0", "own.spread"]
    table = over_time.to_pandas()
    assert table["own.spread"].tolist() == pytest.approx(
        [spread(one) for one in covey.team_distributions(scenario, [0.5, 1.0])]
    )
    assert (table["mu.lower"] <= table["mu.upper"]).all()


def test_functions_under_single_changes() -> None:
    scenario = covey.load(EXAMPLE)
    found = covey.sensitivity(scenario, measures=[spread, "hellinger"])
    for effect in found.effects:
        (after,) = covey.team_distributions(effect.change.scenario)
        assert effect.after.measures["own.spread"] == pytest.approx(spread(after), abs=1e-9)
        assert effect.row()["hellinger"] == pytest.approx(
            Measure.parse("hellinger").of(Snapshot(after)).value, abs=1e-9
        )
    assert found.to_pandas()["own.spread"].notna().all()


def test_designs_by_any_measure() -> None:
    """One rate: the least over a grid is where the search ends."""
    scenario = covey.load(EXAMPLE)
    for measure, name in (
        (spread, "own.spread"),
        ("hellinger", "hellinger"),
        ("renyi(2)", "renyi=2.0"),
    ):
        found = covey.design(scenario, vary={"rates.take": (1.5, 4.0)}, minimise=measure, starts=2)
        assert found.minimise == name
        grid = covey.sweep(
            scenario, {"rates.take": np.linspace(1.5, 4.0, 21).tolist()}, measure=measure
        )
        assert found.after.privacy(name) <= float(grid.values.min()) * (1 + 1e-6) + 1e-9
    held = covey.design(
        scenario.with_({"performance.busy": "mean(busy)"}),
        vary={"rates.take": (1.5, 4.0)},
        maximise="busy",
        target={"js": 0.001},
    )
    assert held.after.privacy("js") <= 0.001
    with pytest.raises(covey.InputError, match="'speed' cannot be measured"):
        covey.design(scenario, vary={"rates.take": (1.5, 4.0)}, minimise="speed")


def test_what_is_no_measure() -> None:
    scenario = covey.load(EXAMPLE)
    with pytest.raises(covey.InputError, match="the measure 3 is neither a name nor a function"):
        read_measures([3])  # type: ignore[list-item]
    with pytest.raises(
        covey.InputError, match="own.lambda is to be measured twice: .* another name"
    ):
        read_measures([lambda _: 1.0, lambda _: 2.0])
    with pytest.raises(covey.InputError, match="'hellnger' cannot be measured. Did you mean"):
        read_measures("hellnger")
    with pytest.raises(covey.InputError, match="α of renyi is '-1': a positive number is expected"):
        read_measures("renyi(-1)")
    with pytest.raises(covey.InputError, match="own.f names a function of one's own"):
        read_measures("own.f")
    with pytest.raises(covey.InputError, match="the measure own.lambda gave 'x': a number"):
        covey.trace(scenario, [1.0], measures=lambda _: "x")  # type: ignore[arg-type,return-value]
    failed = covey.sweep(scenario, {"types.A": [1, 2]}, measure=lambda _: 1 / 0)
    assert "the measure own.lambda failed: ZeroDivisionError" in str(failed.data["error"].values[0])


def test_maximal_leakage_over_a_set_is_of_all_its_teams() -> None:
    scenario = covey.load(EXAMPLE).keeping(teams={"A": (1, 3), "B": (0, 2)})
    most: dict[tuple[int, ...], float] = {}
    for a, b in ((1, 1), (2, 0), (1, 2), (2, 1), (3, 0), (2, 2), (3, 1)):  # who has a neighbour
        seen = covey.distribution(scenario.with_({"types.A": a, "types.B": b}))
        for row, p in zip(seen.outcomes.tolist(), seen.probabilities.tolist(), strict=True):
            most[tuple(row)] = max(most.get(tuple(row), 0.0), p)
    (found,) = covey.team_distributions(scenario)
    got = Measure.parse("max_leakage").of(Snapshot(found)).value
    assert got == pytest.approx(math.log(sum(most.values())), rel=1e-12)
