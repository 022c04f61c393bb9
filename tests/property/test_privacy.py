"""Distributions that leakage and profiles keep, on small random teams, and their values in 50 digits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey import Network, Query, Scenario, Team
from covey.model.observation.adversary import Moment
from covey.privacy.inference.posterior import infer
from covey.privacy.prior import name_of
from covey.privacy.snapshot.channel import seen_through, thin
from covey.privacy.snapshot.divergences import aligned
from covey.privacy.snapshot.leakage import leakage, leakage_of
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.privacy.snapshot.profile import profile, profile_of
from covey.privacy.stream.joint_distributions import first_snapshots, joint_distributions
from tests.privacy.small_teams import turned

pytestmark = pytest.mark.slow  # hundreds of random cases

rates = st.floats(0.1, 10, allow_subnormal=False)
moments = st.one_of(st.just("steady"), st.floats(0.05, 3))
_DIGITS = 1e-40  # what 50 digits leave of a sum that is zero
few = settings(max_examples=15, deadline=None)


@dataclass(frozen=True)
class Case:
    """Robots that go out and come home, share a resource, and meet; by type, with its rates."""

    counts: tuple[int, ...]
    out: tuple[float, ...]
    home: tuple[float, ...]
    take: tuple[float, ...]
    meet: float
    any_two: bool = False  # whether robots meet whatever their types

    def scenario(self, names: str = "ABC", *, coarse: bool = False) -> Scenario:
        used = names[: len(self.counts)]
        lines = [
            f"{{{t}}} <-> x{{{t}}} @ {self.out[i]!r}, {self.home[i]!r}\n"
            f"{{{t}}} + {{R}} <-> {{{t},R}} @ {self.take[i]!r}, 1"
            for i, t in enumerate(used)
        ]
        if self.meet and self.any_two:  # n (n − 1) ways in all, for n robots out
            lines += [f"2 x{{{t}}} -> 2 {{{t}}} @ {self.meet!r}" for t in used]
            lines.append(f"x{{A}} + x{{B}} -> {{A}} + {{B}} @ {2 * self.meet!r}")
        elif self.meet:  # irreversible: not complex-balanced
            one, two = sorted(names[:2])
            lines.append(f"x{{{one}}} + x{{{two}}} -> {{{one}}} + {{{two}}} @ {self.meet!r}")
        home, out, busy = (
            " + ".join(form.format(t=t) for t in sorted(used))
            for form in ("{{{t}}}", "x{{{t}}}", "{{{t},R}}")
        )
        query = Query(home=f"{home} + {out}") if coarse else Query(home=home, out=out, busy=busy)
        team = Team({t: self.counts[used.index(t)] for t in sorted(used)}, {"R": 1})
        return Scenario(Network("\n".join(lines)), team, query)


@st.composite
def cases(draw: st.DrawFn, types: int = 2, most: int = 2) -> Case:
    def each() -> tuple[float, ...]:
        return tuple(draw(rates) for _ in range(types))

    counts = tuple(draw(st.integers(0, most)) for _ in range(types))
    counts = counts if any(counts) else (1, *counts[1:])
    return Case(counts, each(), each(), each(), draw(st.one_of(st.just(0.0), rates)))


@given(cases(types=3), moments)
@few
def test_leakage_is_not_negative(case: Case, at: Moment) -> None:
    found = leakage(case.scenario(), at)
    assert found.value >= 0
    assert found.interval[0] <= found.value <= found.interval[1]
    assert all(pair.interval[0] <= pair.value <= pair.interval[1] for pair in found.pairs)


@given(cases(), moments)
@few
def test_a_team_and_its_neighbour_may_be_swapped(case: Case, at: Moment) -> None:
    scenario = case.scenario()
    for pair in leakage(scenario, at).pairs:
        there = scenario.with_(
            {f"types.{n}": c for n, c in turned(pair.neighbour).team.types.items()}
        )
        found = leakage(there, at)
        back = next(p for p in found.pairs if turned(p.neighbour).team.types == scenario.team.types)
        assert back.value == pytest.approx(pair.value, rel=1e-9, abs=1e-12)
        # What shows most from here shows as much from there, where others may show as much, too.
        distribution = dict(found.distributions.neighbours)[back.neighbour]
        outcomes, ours, theirs = aligned(found.distributions.team, distribution)
        seen = [pair.observation[name] for name in distribution.names]
        (row,) = np.flatnonzero((outcomes == seen).all(axis=1))
        shift = abs(ours[row] - theirs[row])
        assert shift == pytest.approx(pair.value, rel=1e-9, abs=1e-12)


@given(cases(types=1), st.integers(0, 2), moments)
@few
def test_types_that_behave_alike_leak_nothing(case: Case, more: int, at: Moment) -> None:
    twins = Case(
        (case.counts[0], more), case.out * 2, case.home * 2, case.take * 2, case.meet, True
    )
    found = leakage(twins.scenario(), at)
    assert found.interval[0] == 0
    assert found.value <= 1e-8


@given(cases(types=3), st.permutations("ABC"), moments)
@settings(max_examples=12, deadline=None)
def test_relabelling_types_permutes_the_result(case: Case, order: list[str], at: Moment) -> None:
    plain, renamed = case.scenario(), case.scenario("".join(order))
    if case.meet:  # the meeting types are written in their order, not as they are renamed
        case = Case(case.counts, case.out, case.home, case.take, 0.0)
        plain, renamed = case.scenario(), case.scenario("".join(order))
    new = dict(zip("ABC", order, strict=True))
    values = {p.neighbour.key: p.value for p in leakage(renamed, at).pairs}
    for pair in leakage(plain, at).pairs:
        own = turned(pair.neighbour)
        key = new[own.from_type], new[own.to_type]
        assert values[key] == pytest.approx(pair.value, rel=1e-8, abs=1e-10)


@given(cases(), moments, st.lists(st.floats(0, 0.1), min_size=2, max_size=5))
@few
def test_more_smoothing_never_shows_more(case: Case, at: Moment, smoothings: list[float]) -> None:
    (distributions,) = team_distributions(case.scenario(), [at])
    for one, other in zip(
        [leakage_of(distributions, nu) for nu in sorted(smoothings)],
        sorted(smoothings)[1:],
        strict=False,
    ):
        assert leakage_of(distributions, other).value <= one.value + 1e-15


@given(cases(), moments, st.floats(0, 1), st.floats(0, 3))
@few
def test_a_coarser_or_noisier_query_never_leaks_more(
    case: Case, at: Moment, seen: float, epsilon: float
) -> None:
    (distributions,) = team_distributions(case.scenario(), [at])
    (coarse,) = team_distributions(case.scenario(coarse=True), [at])
    dim = seen_through(distributions, seen)
    dimmer = seen_through(dim, lambda distribution: thin(distribution, {"out": 0.5}))
    for less, more in ((coarse, distributions), (dim, distributions), (dimmer, dim)):
        assert leakage_of(less).value <= leakage_of(more).value + 1e-9
        assert profile_of(less).delta(epsilon) <= profile_of(more).delta(epsilon) + 1e-10
        assert profile_of(less).renyi(2.0) <= profile_of(more).renyi(2.0) + 1e-9
        assert (
            profile_of(less).best_guess().success <= profile_of(more).best_guess().success + 1e-10
        )


@given(cases(), st.floats(0.05, 1), st.floats(0.05, 1))
@settings(max_examples=10, deadline=None)
def test_another_snapshot_never_leaks_less(case: Case, first: float, later: float) -> None:
    both = joint_distributions(case.scenario(), [first, first + later], stationary=False)
    one = first_snapshots(both, 1, 2)
    assert leakage_of(one).value <= leakage_of(both).value + 1e-9
    assert profile_of(one).total_variation <= profile_of(both).total_variation + 1e-9


@given(cases(), moments, st.lists(st.floats(0, 5), min_size=2, max_size=6))
@few
def test_delta_falls_to_nothing_at_the_leakage(
    case: Case, at: Moment, epsilons: list[float]
) -> None:
    found = profile(case.scenario(), at)
    listed = sorted(epsilons)
    deltas = [found.delta(epsilon) for epsilon in listed]
    assert deltas == sorted(deltas, reverse=True)
    worst = leakage(case.scenario(), at).value
    assert found.epsilon(0.0) == worst
    assert found.delta(worst) == 0 or math.isinf(worst)
    for epsilon, delta in zip(listed, deltas, strict=True):
        if 1e-12 < delta < found.total_variation:
            assert found.epsilon(delta) == pytest.approx(epsilon, rel=1e-7, abs=1e-9)
        # δ(ε) is the gap of the trade-off curve to the line of sensitivity −e^ε.
        for pair in found.pairs[:1]:
            one, two = pair.trade_off()
            gaps = [1 - two - math.exp(epsilon) * one, 1 - one - math.exp(epsilon) * two]
            assert max(float(gap.max()) for gap in gaps) == pytest.approx(
                pair.delta(epsilon), abs=1e-10
            )


@given(cases(), moments)
@settings(max_examples=8, deadline=None)
def test_beliefs_average_to_the_prior(case: Case, at: Moment) -> None:
    scenario = case.scenario()
    (distributions,) = team_distributions(scenario, [at])
    neighbour, distribution = distributions.neighbours[0]
    name = name_of(neighbour)
    outcomes, ours, theirs = aligned(distributions.team, distribution)
    mean = 0.0
    for row, p, q in zip(outcomes.tolist(), np.exp(ours), np.exp(theirs), strict=True):
        seen = dict(zip(distribution.names, row, strict=True))
        found = infer(scenario, seen, at=at, prior={"team": 1, name: 1})
        mean += (p + q) / 2 * found.posterior["team"]
    assert mean == pytest.approx(0.5, rel=1e-8)


def _exact_distribution(
    scenario: Scenario, team: Team, at: Moment
) -> dict[tuple[int, ...], mpmath.mpf]:
    """P(y) in 50 digits, from the reactions themselves: a dense exponential, or a solved K p = 0."""
    network = scenario.network
    states = [tuple(scenario.start_of(team).tolist())]
    moves: list[tuple[int, int, mpmath.mpf]] = []
    for i, state in enumerate(states):  # grows on the way
        for needs, change, rate in zip(
            network.reactants.tolist(),
            network.changes.tolist(),
            network.rate_constants,
            strict=True,
        ):
            ways = math.prod(math.perm(x, n) for x, n in zip(state, needs, strict=True))
            if ways:
                there = tuple(x + c for x, c in zip(state, change, strict=True))
                if there not in states:
                    states.append(there)
                moves.append((i, states.index(there), mpmath.mpf(float(rate)) * ways))
    K = mpmath.zeros(len(states))
    for i, j, rate in moves:
        K[j, i] += rate
        K[i, i] -= rate
    if at == "steady":
        right = mpmath.zeros(len(states), 1)
        right[0] = 1
        for i in range(len(states)):
            K[0, i] = 1  # one balance follows from the others; this says that all is one
        p = mpmath.lu_solve(K, right)
    else:
        p = mpmath.expm(K * mpmath.mpf(at))[:, 0]
    distribution: dict[tuple[int, ...], mpmath.mpf] = {}
    for x, weight in zip(np.array(states) @ scenario.query.matrix(network).T, p, strict=True):
        distribution[tuple(x.tolist())] = (
            distribution.get(tuple(x.tolist()), mpmath.mpf(0)) + weight
        )
    return distribution


@given(cases(most=1), moments)
@settings(max_examples=12, deadline=None)
def test_intervals_hold_the_value_in_50_digits(case: Case, at: Moment) -> None:
    scenario = case.scenario()
    found, shape = leakage(scenario, at), profile(scenario, at)
    with mpmath.workdps(50):
        ours = _exact_distribution(scenario, scenario.team, at)
        for pair, profiled in zip(found.pairs, shape.pairs, strict=True):
            theirs = _exact_distribution(scenario, turned(pair.neighbour).team, at)
            assert set(ours) == set(theirs)
            value = max(abs(mpmath.log(ours[y] / theirs[y])) for y in ours)
            assert pair.interval[0] <= value <= pair.interval[1]
            for epsilon in (0.0, 0.1, 1.0):
                scale = mpmath.exp(mpmath.mpf(epsilon))
                delta = max(
                    mpmath.fsum(max(0, a[y] - scale * b[y]) for y in ours)
                    for a, b in ((ours, theirs), (theirs, ours))
                )
                low, high = profiled.delta_interval(epsilon)
                assert low <= delta <= high
            for alpha in (0.5, 2.0):
                order = mpmath.mpf(alpha)
                divergence = max(
                    mpmath.log(mpmath.fsum(a[y] ** order * b[y] ** (1 - order) for y in ours))
                    / (order - 1)
                    for a, b in ((ours, theirs), (theirs, ours))
                )
                low, high = profiled.renyi_interval(alpha)
                assert low <= divergence + _DIGITS
                assert divergence <= high
            average = max(
                mpmath.fsum(a[y] * mpmath.log(a[y] / b[y]) for y in ours)
                for a, b in ((ours, theirs), (theirs, ours))
            )
            low, high = profiled.renyi_interval(1.0)
            assert low <= average + _DIGITS
            assert average <= high
