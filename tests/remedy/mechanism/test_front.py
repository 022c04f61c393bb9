"""Privacy against accuracy: the program is the lower envelope, whatever else is tried."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import covey
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.remedy.mechanism.baselines import compared
from covey.remedy.mechanism.front import front, front_of
from covey.remedy.mechanism.losses import Loss
from tests.remedy.random_distributions import distribution, distributions_of

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def warehouse() -> Scenario:
    return covey.load(EXAMPLES / "warehouse.toml")


@pytest.mark.parametrize("name", ["warehouse", "task-network", "shared-resource"])
def test_the_program_is_the_lower_envelope(name: str) -> None:
    found = front(covey.load(EXAMPLES / f"{name}.toml"))
    kinds = {point.kind for point in found.others}
    assert kinds == {"truth", "coarser", "rounding", "coding", "noise", "thinning"}
    for other in found.others:
        for point in found.program:
            if other.leakage <= point.leakage:
                assert other.loss >= point.loss * (1 - 1e-6) - 1e-9, (other.name, point.name)
    losses = [point.loss for point in found.program]
    assert losses == sorted(losses)  # ε falls
    assert all(m.leakage.interval[1] <= m.epsilon for m in found.mechanisms)


@pytest.mark.parametrize("loss", ["l1", "squared", "change", {"free": 1.0, "busy": 1.0}])
def test_noise_of_any_size_has_its_loss(loss: Loss) -> None:
    """Of a two-sided geometric Z: E|Z| = 1/sinh(ε/2), E Z² = 1/(2 sinh²(ε/4))."""
    scenario = covey.load(EXAMPLES / "shared-resource.toml")
    distributions = team_distributions(scenario)
    for epsilon in (5e-324, 1e-300, 1e-17, 1e-3, 0.5, 30.0, 1e3):
        noise = next(w for w in compared(distributions, epsilon, loss) if w.kind == "noise")
        off = (
            2 / math.sinh(epsilon / 2)
            if 1e-307 < epsilon < 1e3
            else 0.0
            if epsilon > 1
            else math.inf
        )
        if loss == "squared" and 1e-150 < epsilon < 1e3:
            off = 1 / math.sinh(epsilon / 4) ** 2
        elif loss == "squared" and epsilon < 1:
            off = math.inf
        elif loss == "change":
            off = 1 - math.tanh(epsilon / 4) ** 2
        assert noise.loss == pytest.approx(off, rel=1e-9, abs=1e-200), epsilon


def test_every_way_has_its_epsilon_and_guess(warehouse: Scenario) -> None:
    distributions = team_distributions(warehouse)
    truth, *others = compared(distributions, 0.5, delta=0.05)
    profile = covey.profile(warehouse)
    assert truth.epsilon == profile.epsilon_interval(0.05)[1] < math.inf
    assert truth.guess == (1 + profile.total_variation) / 2
    assert all(other.epsilon <= other.leakage * (1 + 1e-9) + 1e-9 for other in others)
    # what is a function of the truth never tells more than it
    assert all(other.guess <= truth.guess + 1e-12 for other in others)


def test_coarser_releases_of_a_single_sum_and_of_none_declared() -> None:
    text = (EXAMPLES / "shared-resource.toml").read_text()
    whole = covey.loads(text)
    for query in (covey.Query(free=next(iter(whole.query.texts().values()))), covey.Query()):
        distributions = team_distributions(whole.with_(query=query, warn=False))
        coarser = [way for way in compared(distributions, 0.5) if way.kind == "coarser"]
        names = distributions[0].team.names
        assert len(coarser) == (1 if len(names) == 1 else len(names) * (len(names) + 1) // 2)
    observed, other = (
        distribution({(0, 0): 1.0, (1, 0): 1.0}),
        distribution({(0, 0): 3.0, (1, 0): 1.0}),
    )
    nothing = [w for w in compared([distributions_of(observed, other)], 0.5) if "as one" in w.name]
    assert nothing[0].leakage > 0


def test_a_delta_makes_it_a_front_of_epsilon(warehouse: Scenario) -> None:
    found = front(warehouse, [1.0, 0.2], 0.01)
    for mechanism, point in zip(found.mechanisms, found.program, strict=True):
        assert found.spent(point) == point.epsilon <= mechanism.epsilon
        assert point.delta == 0.01
    assert [m.epsilon for m in found.mechanisms] == [1.0, 0.2]


def test_what_is_wrong_is_said(warehouse: Scenario) -> None:
    distributions = team_distributions(warehouse)
    with pytest.raises(InputError, match="no ε is given"):
        front_of(distributions, [])
    with pytest.raises(InputError, match="above 0"):
        front_of(distributions, [0.5, -1.0])
