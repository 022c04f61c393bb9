"""Profiles: fractions worked out on paper, bounds under lost mass, two other programs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.errors import InputError
from covey.model.team import Neighbour, Team
from covey.privacy.snapshot import divergences
from covey.privacy.snapshot.leakage import leakage
from covey.privacy.snapshot.pair_profile import PairProfile, divergence_profile
from covey.privacy.snapshot.profile import Profile, profile, profile_of
from tests.privacy.small_teams import arriving, finishing, shared_resource

P = np.array([1 / 45, 14 / 45, 30 / 45])  # at (3,0), (2,1), (1,2); the neighbour 1A 2B has
Q = np.array([1 / 25, 10 / 25, 14 / 25])


@pytest.fixture(scope="module")
def resource() -> Profile:
    return profile(shared_resource())


def distribution(*probabilities: float, lost: float = 0.0) -> Distribution:
    logs = np.log(probabilities)
    return Distribution(("y",), np.arange(len(logs))[:, None], logs, 1e-15, lost)


def pair(p: Distribution, q: Distribution) -> PairProfile:
    return divergence_profile(p, q).against(
        Neighbour("A", "B", Team({"A": 0, "B": 1})), Team({"A": 1, "B": 0})
    )


def test_the_first_example(resource: Profile) -> None:
    one = resource.pairs[0]
    assert str(one.neighbour) == "one A turned B"
    # 30/45 − 14/25 is all of p − q that is positive.
    assert one.total_variation == pytest.approx(8 / 75, rel=1e-12)
    epsilon = math.log(1.1)
    forward = 30 / 45 - 1.1 * 14 / 25
    backward = (1 / 25 - 1.1 / 45) + (10 / 25 - 1.1 * 14 / 45)
    assert one.delta(epsilon) == pytest.approx(max(forward, backward), rel=1e-12)
    assert one.success() == pytest.approx(1 / 2 + 8 / 150, rel=1e-12)
    assert one.success(prior=1.0) == pytest.approx(1, rel=1e-14)
    assert one.kl == pytest.approx(max((P * np.log(P / Q)).sum(), (Q * np.log(Q / P)).sum()))
    assert one.renyi(2) == pytest.approx(math.log(max((P**2 / Q).sum(), (Q**2 / P).sum())))
    assert one.renyi(math.inf) == pytest.approx(math.log(1.8), rel=1e-12)
    assert resource.epsilon(0) == leakage(shared_resource()).value
    assert resource.delta(resource.epsilon(0)) == 0


def test_epsilon_inverts_delta(resource: Profile) -> None:
    for epsilon in np.linspace(0, 0.58, 30):
        delta = resource.delta(float(epsilon))
        assert resource.epsilon(delta) == pytest.approx(epsilon, abs=1e-12)
    assert resource.epsilon(resource.total_variation) == 0
    assert resource.epsilon(1) == 0


def test_epsilon_by_hand() -> None:
    # ratios 4, 1, 1/2: δ(ε) = 0.4 − 0.1 e^ε for 1 ≤ e^ε ≤ 4
    one = pair(distribution(0.4, 0.3, 0.3), distribution(0.1, 0.3, 0.6))
    p, q = one.log_probabilities
    assert divergences.HockeyStick(p, q).epsilon(0.2) == pytest.approx(math.log(2), rel=1e-14)
    # the other way round, ratios 2, 1, 1/4: δ(ε) = 0.6 − 0.3 e^ε
    assert divergences.HockeyStick(q, p).epsilon(0.2) == pytest.approx(math.log(4 / 3), rel=1e-14)
    assert one.epsilon(0.2) == pytest.approx(math.log(2), rel=1e-14)


def test_the_trade_off_curve(resource: Profile) -> None:
    one, two = resource.pairs[0].trade_off()
    # Reject where Q/P is largest: (3,0), then (2,1), then (1,2).
    assert one == pytest.approx([0, 1 / 45, 15 / 45, 1], abs=1e-13)
    assert two == pytest.approx([1, 24 / 25, 14 / 25, 0], abs=1e-13)
    assert resource.pairs[0].type_two(8 / 45) == pytest.approx(19 / 25, rel=1e-12)
    # Its largest gap to the blind test is total variation.
    assert (1 - one - two).max() == pytest.approx(resource.pairs[0].total_variation, rel=1e-12)


def test_disjoint_distributions() -> None:
    apart = pair(
        Distribution(("y",), np.array([[0]]), np.zeros(1), 0.0),
        Distribution(("y",), np.array([[1]]), np.zeros(1), 0.0),
    )
    assert apart.total_variation == 1
    assert apart.delta(5.0) == 1
    assert apart.delta(math.inf) == 1
    assert apart.epsilon(0.5) == math.inf
    assert apart.type_two(0.0) == 0
    for alpha in (0.5, 1.0, 2.0, math.inf):
        assert apart.renyi(alpha) == math.inf


def test_equal_distributions() -> None:
    same = pair(distribution(0.25, 0.75), distribution(0.25, 0.75))
    for alpha in (0.5, 1.0, 3.0, math.inf):
        assert same.renyi(alpha) == 0
    assert same.total_variation == same.epsilon(0.0) == 0
    assert same.type_two(0.3) == pytest.approx(0.7)


def test_close_distributions_keep_their_digits() -> None:
    # KL and Rényi divergence of a shift by h are α h²/2 · Σ 1/p + O(h³): 1e-16 here, not noise.
    h = 1e-8
    near = pair(distribution(0.5 + h, 0.5 - h), distribution(0.5, 0.5))
    assert near.kl == pytest.approx(2 * h * h, rel=1e-6)
    for alpha in (0.5, 2.0, 10.0):
        assert near.renyi(alpha) == pytest.approx(2 * alpha * h * h, rel=1e-6)


def test_tails_below_the_smallest_number() -> None:
    deep = Distribution(("y",), np.array([[0], [1]]), np.array([0.0, -2000.0]), 0.0)
    deeper = Distribution(("y",), np.array([[0], [1]]), np.array([0.0, -2500.0]), 0.0)
    assert pair(deep, deeper).epsilon(0) == 500
    assert pair(deep, deeper).renyi(math.inf) == 500
    assert pair(deep, deeper).renyi(6.0) == pytest.approx((6 * -2000 + 5 * 2500) / 5)
    assert pair(deep, deeper).delta(0.0) == 0


def test_renyi_grows_with_its_order(resource: Profile) -> None:
    orders = [0.1, 0.5, 0.999, 1.0, 1.001, 2.0, 10.0, 1e4, math.inf]
    values = [resource.renyi(alpha) for alpha in orders]
    assert values == sorted(values)
    assert resource.renyi(1.0) == pytest.approx(resource.renyi(1 + 1e-9), rel=1e-8)
    assert resource.renyi(1e6) == pytest.approx(resource.renyi(math.inf), rel=1e-4)


def test_lost_mass_is_taken_for_the_worst() -> None:
    true_p, true_q = distribution(0.5, 0.3, 0.15, 0.05), distribution(0.4, 0.3, 0.2, 0.1)
    truth = pair(true_p, true_q)
    # 0.05 and 0.1 of it were lost: the last outcome is not listed at all.
    kept = pair(distribution(0.5, 0.3, 0.15, lost=0.05), distribution(0.4, 0.3, 0.2, lost=0.1))
    assert kept.delta(0.0) == pytest.approx(0.1 + 0.05)
    for epsilon in np.linspace(0, 2, 21):
        low, high = kept.delta_interval(float(epsilon))
        assert low <= truth.delta(float(epsilon)) <= kept.delta(float(epsilon)) <= high + 1e-15
    for delta in (0.1, 0.12, 0.14, 0.2):
        low, high = kept.epsilon_interval(delta)
        assert low <= truth.epsilon(delta) <= kept.epsilon(delta) <= high
    assert kept.epsilon(0.04) == math.inf
    assert kept.kl == kept.renyi(2) == math.inf  # nothing rules it out
    assert truth.renyi(0.5) <= kept.renyi(0.5) < math.inf
    for one in np.linspace(0, 1, 11):
        assert kept.type_two(float(one)) <= truth.type_two(float(one)) + 1e-15
    assert kept.success(0.3) >= truth.success(0.3)


def test_a_projection_certifies_delta() -> None:
    scenario = finishing()
    exact = profile(scenario, 0.7)
    projected = profile(scenario, 0.7, limits=Limits("projection", tolerance=1e-6))
    lost = projected.distributions.team.truncated_mass
    assert 0 < lost < 1e-6
    for epsilon in (0.0, 0.3, 1.0, 3.0):
        low, high = projected.delta_interval(epsilon)
        assert low <= exact.delta(epsilon) <= high
        assert high - low <= 1e-5 * math.exp(epsilon)
    assert projected.epsilon(0) == math.inf
    assert exact.epsilon(1e-3) == pytest.approx(projected.epsilon(1e-3), rel=1e-2)


def test_infinitely_many_states_still_have_a_profile() -> None:
    found = profile(arriving(), 1.0)
    assert 0 < found.delta(0.0) < 1
    assert found.delta(0.1) < found.delta(0.0)


def test_intervals_hold_the_value(resource: Profile) -> None:
    for epsilon in (0.0, 0.2, 0.5):
        low, high = resource.delta_interval(epsilon)
        assert low <= resource.delta(epsilon) <= high
        assert high - low < 1e-11
    for alpha in (0.5, 1.0, 2.0, math.inf):
        low, high = resource.renyi_interval(alpha)
        assert low <= resource.renyi(alpha) <= high
        assert high - low < 1e-11


def test_the_best_guess(resource: Profile) -> None:
    guess = resource.best_guess({"team": 1, "A->B": 1})
    assert guess.success == pytest.approx(np.maximum(P, Q).sum() / 2, rel=1e-12)
    assert guess.blind == 0.5
    assert guess.bits == pytest.approx(math.log2(np.maximum(P, Q).sum()), rel=1e-12)
    assert len(resource.best_guess().prior) == 3
    sure = resource.best_guess({"team": 1})
    assert sure.success == pytest.approx(1)
    assert sure.bits == 0
    assert str(guess) == (
        "One snapshot at steady state: someone who guesses which of 2 teams this is, is right at "
        "most 55.4% of the time; without looking, 50% (0.146 bits)."
    )


def test_it_prints_as_a_sentence(resource: Profile) -> None:
    assert str(resource) == (
        "One snapshot at steady state: an observer tells this team from one with one A turned B at "
        "most 55.4% of the time (50% is guessing). (ε, δ): ε = 0.588 at δ = 1e-6: no event is more "
        "than 1.8 times as likely for one possibility as for the other, plus δ. δ is 0.0717 at ε = 0.1, 0.00337 at ε = 0.5, 0 at "
        "ε = 1."
    )


def test_the_curve(resource: Profile) -> None:
    epsilons, deltas = resource.curve()
    assert len(epsilons) == 21
    assert epsilons[-1] == pytest.approx(math.log(1.8))
    assert (np.diff(deltas) < 0).all()
    assert deltas[-1] == 0
    # Where the leakage is large, the curve ends where δ has come down to next to nothing.
    endless = profile(finishing(), 8.0)
    epsilons, deltas = endless.curve()
    assert 0 < epsilons[-1] < endless.epsilon(0) == pytest.approx(8, rel=1e-8)
    assert deltas[-1] < 1e-5 * deltas[0]
    assert resource.curve([0.0, 0.1])[1].tolist() == [resource.delta(0.0), resource.delta(0.1)]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.delta(-1.0), "epsilon is -1.0: a number that is not negative is expected"),
        (lambda p: p.delta(math.nan), "epsilon is nan"),
        (lambda p: p.epsilon(2.0), "delta is 2.0: a number from 0 to 1 is expected"),
        (lambda p: p.renyi(0.0), "the order is 0.0: a positive number, or inf, is expected"),
        (lambda p: p.type_two(-0.1), "the type I error is -0.1"),
    ],
)
def test_bad_questions(resource: Profile, ask: object, message: str) -> None:
    assert callable(ask)
    with pytest.raises(InputError, match=message):
        ask(resource)


def test_against_dp_accounting(resource: Profile) -> None:
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    grid = 1e-5
    for one in resource.pairs:
        p, q = ({i: float(x) for i, x in enumerate(logs)} for logs in one.log_probabilities)
        bounds = [
            pld.from_two_probability_mass_functions(
                q, p, pessimistic_estimate=pessimistic, value_discretization_interval=grid,
                symmetric=False,
            )
            for pessimistic in (False, True)
        ]  # fmt: skip
        for epsilon in (0.0, 0.05, 0.2, 0.4, 0.55):
            low, high = (bound.get_delta_for_epsilon(epsilon) for bound in bounds)
            assert low - 1e-12 <= one.delta(epsilon) <= high + 1e-12
            assert high - low < 2 * grid
        low, high = (bound.get_epsilon_for_delta(0.01) for bound in bounds)
        assert low - 1e-9 <= one.epsilon(0.01) <= high + 1e-9


def test_against_qif(resource: Profile) -> None:
    qif = pytest.importorskip("qif")
    channel = np.stack([P, Q])
    for prior in (0.5, 0.3):
        weights = np.array([prior, 1 - prior])
        guess = resource.best_guess({"team": prior, "A->B": 1 - prior})
        vulnerability = qif.measure.bayes_vuln.posterior(weights, channel)
        assert guess.success == pytest.approx(vulnerability, rel=1e-12)
        bits = qif.measure.bayes_vuln.min_entropy_leakage(weights, channel)
        assert guess.bits == pytest.approx(bits, abs=1e-12)
        assert resource.pairs[0].success(prior) == pytest.approx(vulnerability, rel=1e-12)


def test_distributions_may_be_given(resource: Profile) -> None:
    only = replace(resource.distributions, neighbours=resource.distributions.neighbours[:1])
    assert profile_of(only).delta(0.1) == resource.pairs[0].delta(0.1)
