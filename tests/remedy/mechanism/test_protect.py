"""What is promised is kept, whatever the distributions; and it costs as little as can be."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import covey
from covey.errors import InputError, TooLargeError
from covey.model.scenario import Scenario
from covey.privacy.snapshot.leakage import leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.profile import profile_of
from covey.remedy.mechanism.baselines import compared
from covey.remedy.mechanism.losses import Loss, losses_of
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.protect import protect, protected
from tests.remedy.random_distributions import distribution, distributions_of, some_distributions

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def warehouse() -> Scenario:
    return covey.load(EXAMPLES / "warehouse.toml")


# Measured once with another program, and never above: expected L1 error, truth published.
@pytest.mark.parametrize(
    ("epsilon", "loss", "unchanged"),
    [(2, 0.0142, 0.995), (1, 0.0588, 0.980), (0.5, 0.0827, 0.979), (0.2, 0.633, 0.835), (0.1, 0.993, 0.812)],
)  # fmt: skip
def test_the_warehouse(warehouse: Scenario, epsilon: float, loss: float, unchanged: float) -> None:
    found = protect(warehouse, epsilon, teams="this")
    assert found.leakage.interval[1] <= epsilon
    assert found.loss == pytest.approx(loss, rel=5e-3)
    assert found.unchanged == pytest.approx(unchanged, abs=5e-4)
    assert found.gap < 1e-5
    assert math.isinf(found.before[0].value)


def keeps(distributions: TeamDistributions, epsilon: float, delta: float) -> None:
    found = protected(
        Task((distributions,), epsilon, delta)
    )  # there is one: always publishing the same
    assert found.table.min() >= 0
    assert np.abs(found.table.sum(axis=1) - 1).max() < 1e-12
    upper = found.leakage.interval[1]
    if delta == 0:
        assert upper <= epsilon
        assert found.release.leakage == upper
    else:
        assert found.profile.delta_interval(epsilon)[1] <= delta
    # publishing never tells more than the truth
    before, after = profile_of(distributions), found.profile
    assert after.total_variation <= before.total_variation + 1e-9
    assert upper <= leakage_of(distributions).interval[1] + 1e-9
    assert found.least <= found.loss + 1e-12
    low, high = found.seen.min(axis=0), found.seen.max(axis=0)
    assert ((found.published >= low) & (found.published <= high)).all()


@settings(max_examples=60, deadline=None)
@given(
    some_distributions(),
    st.sampled_from([0.01, 0.1, 0.5, 3.0]),
    st.sampled_from([0.0, 0.0, 1e-6, 0.05]),
)
def test_the_promise_is_kept(
    distributions: TeamDistributions, epsilon: float, delta: float
) -> None:
    keeps(distributions, epsilon, delta)


@pytest.mark.slow
@pytest.mark.study
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(some_distributions(), st.floats(1e-3, 5.0), st.sampled_from([0.0, 0.0, 1e-9, 1e-3]))
def test_the_promise_is_kept_a_thousand_times(
    distributions: TeamDistributions, epsilon: float, delta: float
) -> None:
    keeps(distributions, epsilon, delta)


@settings(max_examples=25, deadline=None)
@given(some_distributions(), st.sampled_from(["l1", "squared", "change"]))
def test_no_other_way_is_better(distributions: TeamDistributions, loss: str) -> None:
    for other in compared([distributions], 0.5, loss):
        if not 1e-3 < other.leakage < 20:
            continue
        best = protected(Task((distributions,), other.leakage * (1 + 1e-6), loss=loss))
        assert best.loss <= other.loss * (1 + 1e-5) + 1e-6, other.name


def test_nothing_is_changed_where_there_is_nothing_to_hide() -> None:
    observed = distribution({(0, 0): 1.0, (1, 0): 2.0, (3, 2): 1e-12})
    found = protected(Task((distributions_of(observed, observed),), 0.1))
    assert found.unchanged == 1.0
    assert found.loss == 0.0
    assert (found.table == np.eye(3)).all()


# At such an ε the solver gave up on every program, and `protect` had no answer.
@pytest.mark.parametrize(
    ("epsilon", "team", "others"),
    [
        (
            16.851151278130065,
            {(0, 2): 1e-9, (2, 0): 0.31358016092618063, (2, 2): 1e-7, (1, 0): 0.8221504726953189, (2, 1): 0.9665308466188813, (0, 1): 1e-7},
            [{(0, 2): 1e-9, (2, 2): 0.8113698635790813, (1, 0): 1e-5, (0, 1): 1e-5}],
        ),
        (
            19.152636552611945,
            {(2, 2): 0.27016, (3, 2): 0.79081, (3, 0): 0.61880},
            [
                {(3, 2): 0.77116, (0, 0): 1e-7, (1, 1): 1e-20},
                {(3, 2): 1e-20, (3, 0): 1e-12, (1, 1): 1e-30},
                {(2, 2): 0.53007, (3, 2): 0.92636, (0, 0): 0.25678, (3, 0): 1e-20, (1, 1): 0.37199},
            ],
        ),
        (800.0, {(0, 0): 1.0, (1, 0): 1.0}, [{(0, 0): 1.0}]),  # of which there is no e^ε
    ],
)  # fmt: skip
def test_there_is_an_answer_at_a_large_epsilon(
    epsilon: float,
    team: dict[tuple[int, ...], float],
    others: list[dict[tuple[int, ...], float]],
) -> None:
    distributions = distributions_of(distribution(team), *map(distribution, others))
    found = protected(Task((distributions,), epsilon))
    assert found.leakage.interval[1] <= epsilon
    assert found.least <= found.loss < 1e-6  # next to nothing has to be changed
    assert found.unchanged > 1 - 1e-6


@pytest.mark.parametrize("loss", ["l1", "squared", "change", {"picking": 1.0}])
def test_a_constant_keeps_to_what_nothing_else_does(warehouse: Scenario, loss: Loss) -> None:
    found = protect(
        warehouse, 1e-16, loss=loss, teams="this"
    )  # less than distributions are known to
    assert found.leakage.interval == (0.0, 0.0)
    assert found.table.shape == (len(found.seen), 1)
    assert (found.table == 1).all()
    (observed,) = found.distributions
    costs = losses_of(loss, found.counts, observed.team.outcomes, found.seen)
    assert found.loss == pytest.approx((observed.team.probabilities @ costs).min(), rel=1e-9)


def test_a_loss_that_allows_no_constant_is_said() -> None:
    team, other = distribution({(0, 0): 3.0, (1, 0): 1.0}), distribution({(0, 0): 1.0, (1, 0): 3.0})
    truth = {(0, 0): {(0, 0): 0.0}, (1, 0): {(1, 0): 0.0}}
    with pytest.raises(InputError, match="the loss allows nothing that can always be published"):
        protected(Task((distributions_of(team, other),), 0.5, loss=truth))


def test_by_hand() -> None:
    # (1/2, 1/2) against (3/4, 1/4), at ε = ln 1.2, with a = M(1|0) and b = M(0|1) to be small. Two of
    # the four constraints bind: P(1) ≤ 1.2 P'(1) is 2a + b ≥ 1, and P'(0) ≤ 1.2 P(0) is
    # 3a + 7b ≥ 3. They meet at a = 4/11, b = 3/11, where (a + b) / 2 = 7/22.
    team = distribution({(0, 0): 1.0, (1, 0): 1.0})
    other = distribution({(0, 0): 3.0, (1, 0): 1.0})
    found = protected(Task((distributions_of(team, other),), math.log(1.2)))
    assert found.loss == pytest.approx(7 / 22, rel=1e-5)
    assert found.table == pytest.approx(np.array([[7, 4], [3, 8]]) / 11, rel=1e-4)
    assert found.gap < 1e-5


def test_delta_buys_accuracy(warehouse: Scenario) -> None:
    strict, lax = protect(warehouse, 0.2, teams="this"), protect(warehouse, 0.2, 1e-2, teams="this")
    assert lax.loss < strict.loss
    assert lax.profile.delta_interval(0.2)[1] <= 1e-2


def test_several_moments(warehouse: Scenario) -> None:
    found = protect(warehouse, 0.5, at=[5.0, "steady"], teams="this")
    assert [leak.at for leak in found.leakages] == [5.0, "steady"]
    assert all(leak.interval[1] <= 0.5 for leak in found.leakages)
    assert found.loss > protect(warehouse, 0.5, teams="this").loss * 0.5


def test_losses(warehouse: Scenario) -> None:
    weighed = protect(warehouse, 0.5, loss={"picking": 1.0}, teams="this")
    assert weighed.loss < protect(warehouse, 0.5, teams="this").loss
    changed = protect(warehouse, 0.5, loss="change", teams="this")
    assert changed.loss == pytest.approx(1 - changed.unchanged, abs=1e-9)
    assert protect(warehouse, 0.5, loss="squared", teams="this").loss >= changed.loss
    rows = [tuple(row) for row in changed.seen.tolist()]
    table = {y: {z: float(y != z) for z in rows} for y in rows}
    assert protect(warehouse, 0.5, loss=table, teams="this").loss == pytest.approx(
        changed.loss, abs=1e-6
    )


def test_the_bound_is_over_all_that_could_be_published() -> None:
    # Robots pair up with their like: of four, an even number is free. Always to publish 1 tells
    # nothing and costs less than any table that publishes only what can be there.
    pairs = covey.Network(["2 {A} <-> {A,A} @ 1, 1", "2 {B} <-> {B,B} @ 5, 1"])
    whole = Scenario(pairs, covey.Team({"A": 2, "B": 2}), covey.Query({"free": "{A} + {B}"}))
    found = protect(whole, 0.5, loss="squared", teams="this")
    odd = protect(whole, 0.5, loss="squared", publish=[(1,)], teams="this")
    even = protect(whole, 0.5, loss="squared", publish=[(0,), (2,), (4,)], teams="this")
    assert odd.leakage.interval == (0.0, 0.0)
    assert odd.loss == pytest.approx(1.242, abs=5e-4)
    assert even.least == pytest.approx(1.337, abs=5e-4)
    assert found.least <= found.loss <= odd.loss
    assert found.gap < 1e-3  # and what is handed out is as good as it can be
    assert "Nothing that keeps to this costs less than a constant: {free: 1}" in str(found)
    lax = protect(whole, 2.0, loss="squared", teams="this")
    assert "No table for one snapshot of this team that keeps to this costs less" in str(lax)
    assert "of those that publish only what is listed, costs less" in str(even)
    several = protect(whole, 0.5, at=[1.0, "steady"], teams="this")
    assert "for one snapshot of these teams and moments that keeps" in str(several)


@pytest.mark.parametrize("loss", ["l1", "squared", "change", {"driving": 2.0, "picking": 0.5}])
def test_the_bound_holds_where_not_all_could_be_looked_at(
    warehouse: Scenario, loss: Loss, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("covey.remedy.mechanism.problem._CELLS", 10)
    rough = protect(warehouse, 0.2, loss=loss, teams="this")
    assert rough.possible == (loss != "change")  # other counts are as wrong as any error then
    said = "of those that publish only what can be there, costs less" in str(rough)
    assert said == rough.possible
    possible = [tuple(row) for row in rough.seen.tolist()]
    listed = protect(warehouse, 0.2, loss=loss, teams="this", publish=possible)
    assert 0 < rough.least <= listed.loss
    assert rough.least >= listed.least * (1 - 1e-4)


def test_only_what_is_allowed_is_published(warehouse: Scenario) -> None:
    found = protect(warehouse, 0.5, publish=[(5, 2, 1), (3, 3, 1), (7, 1, 1)], teams="this")
    assert {tuple(row) for row in found.published.tolist()} <= {(5, 2, 1), (3, 3, 1), (7, 1, 1)}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"epsilon": 0.0}, "above 0"),
        ({"epsilon": math.nan}, "above 0"),
        ({"epsilon": True}, "above 0"),
        ({"epsilon": 0.5, "delta": 1.0}, "below 1"),
        ({"epsilon": 0.5, "loss": "l2"}, "not known"),
        ({"epsilon": 0.5, "loss": {"walking": 1}}, "not seen"),
        ({"epsilon": 0.5, "loss": {"driving": -1}}, "from 0 on"),
        ({"epsilon": 0.5, "teams": {"robot": 1}}, "not in"),
        ({"epsilon": 0.5, "teams": {"carrier": []}}, "the least and the most"),
        ({"epsilon": 0.5, "teams": None}, "names the team to whoever sees it"),
        ({"epsilon": 0.5, "at": []}, "no moment"),
        ({"epsilon": 0.5, "publish": [(1, 2)]}, "3 counts"),
    ],
)
def test_what_is_wrong_is_said(warehouse: Scenario, more: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        protect(warehouse, **{"teams": "this", **more})  # type: ignore[arg-type]


def test_lost_mass_needs_a_delta() -> None:
    whole = covey.load(EXAMPLES / "task-network.toml")
    limits = covey.Limits(method="projection", tolerance=1e-6)
    with pytest.raises(InputError, match="left out of the distributions"):
        protect(whole, 0.1, limits=limits, teams="this")
    with pytest.raises(InputError, match="a larger one is needed"):
        protect(whole, 0.1, 1e-12, limits=limits, teams="this")
    found = protect(whole, 0.1, 1e-3, limits=limits, teams="this")
    assert found.profile.delta_interval(0.1)[1] <= 1e-3


def test_too_many_outcomes_are_refused(
    monkeypatch: pytest.MonkeyPatch, warehouse: Scenario
) -> None:
    monkeypatch.setattr("covey.remedy.mechanism.seen_rows._MOST_ROWS", 10)
    with pytest.raises(TooLargeError, match="coarser counts"):
        protect(warehouse, 0.5, teams="this")


def test_what_must_not_stand_for_something_never_does(warehouse: Scenario) -> None:
    rows = [tuple(row) for row in protect(warehouse, 0.5, teams="this").seen.tolist()]
    hub = (4, 2, 2)  # all may be published as this, and otherwise only as what is within 2 of them

    def near(y: tuple[int, ...], z: tuple[int, ...]) -> bool:
        return z == hub or sum(abs(a - b) for a, b in zip(y, z, strict=True)) <= 2

    loss = {y: {z: float(y != z) for z in rows if near(y, z)} for y in rows}
    found = protect(warehouse, 0.3, loss=loss, teams="this")
    published = [tuple(row) for row in found.published.tolist()]
    for y, chances in zip(rows, found.table, strict=True):
        assert all(near(y, z) for z, p in zip(published, chances, strict=True) if p > 0)
