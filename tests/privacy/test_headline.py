"""The headline: what is said first, and that nothing that hardly ever happens is."""

from __future__ import annotations

import math

import pytest

from covey import Adversary, Network, Query, Scenario, Team, leakage, profile
from covey.dynamics.limits import Limits
from covey.privacy.headline import RARE, OverTime, Quantity, level, spoken
from covey.words import certainty, percent
from tests.privacy.small_teams import arriving, finishing, flipping, shared_resource


def rare() -> Scenario:
    """Types alike, but that an A can break down, once in 1e40: seen broken, it was an A."""
    network = Network("{A} -> x{A} @ 1\n{B} -> x{B} @ 1\nx{A} -> y{A} + wreck @ 1e-40")
    query = Query(home="{A} + {B}", out="x{A} + x{B} + y{A}", wrecks="wreck")
    return Scenario(network, Team({"A": 1, "B": 0}), query, Adversary(at=1.0))


def test_a_case_that_never_happens_does_not_lead() -> None:
    found = leakage(rare())
    assert math.isinf(found.value)
    assert max(found.probability) < RARE
    first, compared, one, epsilon, worst = map(spoken, found.headline().sentences)
    assert first.startswith(
        "Low, for one snapshot: someone who takes it cannot tell one A from a B"
    )
    assert compared.startswith("Compared: this team, and the same with one A turned B.")
    assert one == "One snapshot at time 1 tells nothing: right 50% of the time."
    assert epsilon == "(ε, δ): ε = 0 at δ = 1e-6."
    assert "so it proves a robot's type (leakage ∞); in practice that never happens (" in worst
    assert str(found).startswith(first)


def test_a_case_that_does_happen_is_said_with_its_probability() -> None:
    found = leakage(finishing(1, 0), 1.0)
    worst = spoken(found.headline().sentences[-1])
    assert f"its probability is {max(found.probability):.3g}" in worst


def test_snapshots_that_follow_come_second() -> None:
    later = OverTime("One snapshot every hour", ((10, 0.635), (480, 0.99987)))
    said = [spoken(s) for s in leakage(shared_resource()).headline(over_time=later).sentences]
    assert said[0] == (
        "High: someone who takes 480 snapshots tells one A from a B at most 99.99% of the time (50% "
        "is guessing)."
    )
    assert said[3] == (
        "One snapshot every hour: right at most 63.5% of the time after 10, 99.99% after 480."
    )
    assert len(said) == 6


@pytest.mark.parametrize(
    ("success", "word"),
    [(0.5, "Low"), (0.599, "Low"), (0.6, "Moderate"), (0.799, "Moderate"), (0.8, "High")],
)
def test_the_verdict_is_a_word_by_stated_thresholds(success: float, word: str) -> None:
    assert level(success) == word
    later = OverTime("One snapshot every hour", ((480, success),), every=1.0, unit="hour")
    said = leakage(shared_resource()).headline(over_time=later)
    assert said.level == word
    assert spoken(said.verdict).startswith(
        f"{word}: someone who takes 480 snapshots, one every hour, "
    )


def test_what_many_snapshots_compare_is_said_where_it_is_something_else() -> None:
    later = OverTime("", ((9, 0.7),), neighbour="one B turned A", told="one B from an A")
    said = leakage(shared_resource()).headline(over_time=later)
    assert " tells one B from an A at most 70%" in spoken(said.verdict)
    assert "one A turned B; after many snapshots, with one B turned A." in spoken(said.sentences[1])


def test_every_number_is_what_its_name_says() -> None:
    found = leakage(shared_resource())
    known = {"leakage": found, "profile": profile(shared_resource()), "exp": math.exp}
    figures = [
        part for s in found.headline(1e-3).sentences for part in s if isinstance(part, Quantity)
    ]
    assert len(figures) == 7
    for figure in figures:
        assert figure.value == pytest.approx(eval(figure.name, known), rel=1e-12), figure.name


def test_epsilon_and_settled_are_from_above() -> None:
    found = profile(arriving(), 1.0, limits=Limits("projection"))
    lost = found.distributions.computed.truncated_mass
    assert lost > 0
    assert found.distinguishing_mass >= lost
    assert found.bayes_success >= (1 + found.total_variation) / 2
    assert "or were left out of the computation" in found.says(delta=0.0)
    endless = profile(finishing(1, 0), 1.0)
    assert endless.distinguishing_mass == pytest.approx(endless.delta(math.inf))


def test_the_epsilon_that_is_asked_for_is_said() -> None:
    text = profile(shared_resource()).says((0.3,), 0.01)
    assert text.endswith("δ is 0.0101 at ε = 0.3.")
    assert "(ε, δ): ε = 0.3" in text


def test_a_smoothed_leakage_says_so() -> None:
    assert "(leakage 0.0" in str(leakage(shared_resource(), smoothing=1.0))
    assert ", smoothed by 1)" in str(leakage(shared_resource(), smoothing=1.0))


def test_nothing_is_said_to_be_nothing() -> None:
    said = [spoken(s) for s in leakage(flipping(2, 1, fast=1.0), 0.5).headline().sentences]
    assert "cannot tell" in said[0]
    assert said[4] == "Worst case: no observation shifts the odds on a robot's type (leakage 0)."


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.548, "54.8%"),
        (0.5, "50%"),
        (0.50004, "50.004%"),
        (1.0, "100%"),
        (0.99996, "99.996%"),
        (0.9, "90.0%"),
    ],
)
def test_shares_never_round_to_a_coin_or_to_certainty(share: float, text: str) -> None:
    assert percent(share) == text


def test_an_observer_who_misses_robots_learns_less() -> None:
    exact = leakage(shared_resource())
    noisy = leakage(shared_resource(), seen={"busy": 0.3, "free": 0.5})
    assert noisy.profile.bayes_success < exact.profile.bayes_success
    assert profile(shared_resource(), seen=1.0).bayes_success == pytest.approx(
        exact.profile.bayes_success
    )


def test_how_certain_a_leakage_is() -> None:
    assert certainty((0.5, 0.5 + 1e-12)) == "the leakage is certain to within 1e-12"
