"""Mechanisms for random teams: what is published leaks at most ε, and nothing changes in vain.

Rates are up to 1e16 apart, so that distributions have tails of 1e-30 and less; types lack abilities that
others have, so that outcomes are possible for one team only; types may be absent, or all alike.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import covey
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.privacy.snapshot.published import released
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.protect import protect, protected
from tests.conftest import EXAMPLES

rates = st.one_of(st.floats(0.1, 10), st.sampled_from([1e-8, 1e-4, 1e4, 1e8]))
moments = st.one_of(st.just("steady"), st.sampled_from([0.01, 1.0]))
Ability = tuple[tuple[float, float] | None, tuple[float, float] | None]


@st.composite
def abilities(draw: st.DrawFn) -> Ability:
    """The rates of going out and home, and of taking the resource and leaving it; or neither."""
    both = st.one_of(st.none(), st.tuples(rates, rates))
    return draw(both), draw(both)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Up to three types that go out and share a resource, each in its own way or all alike."""
    types = "ABC"[: draw(st.integers(2, 3))]
    same = draw(abilities()) if draw(st.integers(0, 4)) == 0 else None
    lines = []
    for name in types:
        out, take = draw(abilities()) if same is None else same
        # All that there is can be named in the query, whoever can do it.
        lines.append(_reaction(f"{{{name}}}", f"x{{{name}}}", out))
        lines.append(_reaction(f"{{{name}}} + {{R}}", f"{{{name},R}}", take))
    counts = {name: draw(st.integers(0, 2)) for name in types}
    counts = counts if any(counts.values()) else counts | {"A": 1}
    home, away, busy = (
        " + ".join(form.format(t=t) for t in types) for form in ("{{{t}}}", "x{{{t}}}", "{{{t},R}}")
    )
    sums = {"home": home, "out": away, "busy": busy}
    if draw(st.integers(0, 3)) == 0:
        sums = {"home": home, "elsewhere": f"{away} + {busy}"}
    return Scenario(
        covey.Network("\n".join(lines)), covey.Team(counts, {"R": 1}), covey.Query(sums)
    )


def _reaction(one: str, other: str, rates: tuple[float, float] | None) -> str:
    """There and back; where nobody ever goes, the way back alone."""
    if rates is None:
        return f"{other} -> {one} @ 1"
    return f"{one} <-> {other} @ {rates[0]!r}, {rates[1]!r}"


def keeps(scenario: Scenario, at: Moment, epsilon: float) -> None:
    try:
        (distributions,) = covey.team_distributions(scenario, [at])
    except covey.NoStationaryDistributionError:
        return
    found = protected(Task((distributions,), epsilon))
    before, after = found.before[0].interval[1], found.leakage.interval[1]
    assert after <= epsilon
    assert after <= before + 1e-9
    if before <= epsilon:  # there is nothing to hide, and nothing is changed
        assert found.unchanged == 1
        assert found.loss == 0
        assert found.gap == 0
    # By the distribution of what is published alone, whoever made the table.
    published = distributions.shown_by(lambda distribution: released(distribution, found.release))
    assert covey.leakage_of(published).interval[1] <= epsilon


@settings(max_examples=40, deadline=None)
@given(scenarios(), moments, st.sampled_from([0.02, 0.3, 2.0]))
def test_the_promise_is_kept(scenario: Scenario, at: Moment, epsilon: float) -> None:
    keeps(scenario, at, epsilon)


@pytest.mark.slow
@pytest.mark.study
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios(), moments, st.floats(1e-3, 5.0))
def test_the_promise_is_kept_a_thousand_times(
    scenario: Scenario, at: Moment, epsilon: float
) -> None:
    keeps(scenario, at, epsilon)


def test_the_random_teams_are_as_hard_as_they_are_said_to_be() -> None:
    """Tails below 1e-30, and outcomes that only one of two teams can show."""
    lines = "{A} <-> x{A} @ 1e-8, 1e8\nx{B} -> {B} @ 1"
    query = covey.Query(home="{A} + {B}", out="x{A} + x{B}")
    whole = Scenario(covey.Network(lines), covey.Team({"A": 2, "B": 0}), query)
    (distributions,) = covey.team_distributions(whole)
    assert 0 < distributions.team.probabilities.min() < 1e-30
    assert len(distributions.neighbours[0][1]) < len(distributions.team)
    keeps(whole, "steady", 0.1)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_example_has_a_remedy(file: Path) -> None:
    whole = covey.load(file)
    if file.stem == "three-types":  # 24,340 outcomes
        with pytest.raises(covey.TooLargeError, match="coarser counts"):
            protect(whole, 0.5, teams="this")
        return
    delta = 1e-6 if file.stem == "ride-sharing" else 0.0  # infinitely many states: some are cut off
    found = protect(whole, 0.5, delta, teams="this")
    assert found.profile.delta_interval(0.5)[1] <= delta
