"""The closed form against an independent stationary distribution, and what it refuses."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from covey import InputError, Network, Query, Structure, TooLargeError, UnsupportedError
from covey.dynamics.distribution import Distribution
from covey.dynamics.product_form.elimination.box import whole_box
from covey.dynamics.product_form.elimination.contraction import Contraction
from covey.dynamics.product_form.elimination.convolve import convolve
from covey.dynamics.product_form.elimination.lumped_lattice import find_roots, lump
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.state_space.enumeration import explore

THREE = Network("{1} + {2} <-> {1,2} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1")
SIZES = Query(alone="{1} + {2} + {3}", pairs="{1,2}", triples="{1,2,3}")
MOTIVATING = Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1")
FREE_BUSY = Query(free="{A} + {B}", busy="{A,R} + {B,R}")

State = tuple[int, ...]


def stationary_distribution(network: Network, start: State) -> dict[State, Fraction]:
    """The chain's own stationary distribution, in fractions: states by search, distribution by elimination (GTH)."""
    place, states = {start: 0}, [start]
    jumps: list[dict[int, Fraction]] = []
    for state in states:
        row: dict[int, Fraction] = defaultdict(Fraction)
        for needs, change, rate in zip(
            network.reactants.tolist(),
            network.changes.tolist(),
            network.rate_constants.tolist(),
            strict=True,
        ):
            propensity = Fraction(rate)
            for count, need in zip(state, needs, strict=True):
                propensity *= math.perm(count, need)
            if propensity == 0 or not any(change):
                continue
            after = tuple(a + b for a, b in zip(state, change, strict=True))
            if after not in place:
                place[after] = len(states)
                states.append(after)
            row[place[after]] += propensity
        jumps.append(row)
    leaving = [Fraction(0)] * len(states)
    into: list[dict[int, Fraction]] = [{} for _ in states]
    for last in range(len(states) - 1, 0, -1):
        down = {j: rate for j, rate in jumps[last].items() if j < last}
        leaving[last] = sum(down.values(), Fraction(0))
        for i in range(last):
            if last in jumps[i]:
                into[last][i] = jumps[i].pop(last)
                for j, rate in down.items():
                    if j != i:
                        jumps[i][j] = (
                            jumps[i].get(j, Fraction(0)) + into[last][i] * rate / leaving[last]
                        )
    weights = [Fraction(1)]
    for last in range(1, len(states)):
        flow = sum((weights[i] * rate for i, rate in into[last].items()), Fraction(0))
        weights.append(flow / leaving[last])
    total = sum(weights)
    return {state: weight / total for state, weight in zip(states, weights, strict=True)}


def log_fraction(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def observed(
    network: Network, distribution: dict[State, Fraction], query: Query
) -> dict[State, Fraction]:
    matrix = query.matrix(network)
    seen: dict[State, Fraction] = defaultdict(Fraction)
    for state, weight in distribution.items():
        seen[tuple((matrix @ np.array(state)).tolist())] += weight
    return seen


def assert_equal(found: Distribution, expected: dict[State, Fraction]) -> None:
    assert [tuple(row) for row in found.outcomes.tolist()] == sorted(expected)
    exact = np.array([log_fraction(expected[y]) for y in sorted(expected)])
    error = np.abs(found.log_probabilities - exact).max()
    assert error <= found.log_error + 1e-14 * (1 + np.abs(exact).max())
    assert found.log_error <= 1e-10


RATES = st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0, 7.0])


def coin(draw: st.DrawFn) -> bool:
    return draw(st.booleans())


@st.composite
def balanced(draw: st.DrawFn) -> Network:
    """Compounds built in one way each, out of anything before them; activities in a cycle."""
    lines = []
    pool = [["A"], ["B"], ["C"]]
    for _ in range(draw(st.integers(1, 3))):
        chosen = draw(st.lists(st.sampled_from(pool), min_size=2, max_size=3))
        whole = sorted(member for piece in chosen for member in piece)
        if len(whole) > 4 or whole in pool:
            continue
        pieces = " + ".join("{" + ",".join(piece) + "}" for piece in chosen)
        rates = f"{draw(RATES)}, {draw(RATES)}"
        lines.append(f"{pieces} <-> {{{','.join(whole)}}} @ {rates}")
        pool.append(whole)
    cycles = draw(st.lists(st.sampled_from(pool), max_size=2, unique_by=tuple))
    for number, group in enumerate(cycles):
        members = "{" + ",".join(group) + "}"
        stops = [members, *(f"{name}{number}{members}" for name in ("x", "y")[: 1 + coin(draw)])]
        for here, there in zip(stops, stops[1:] + stops[:1], strict=True):
            lines.append(f"{here} -> {there} @ {draw(RATES)}")
    return Network("\n".join(lines) or "{A} <-> x{A} @ 1, 2")


@st.composite
def questions(draw: st.DrawFn) -> tuple[Network, State, Query]:
    network = draw(balanced())
    start = tuple(
        draw(st.integers(0, 3 if len(s.members) == 1 else 1 if coin(draw) else 0))
        if len(s.members) < 3
        else 0
        for s in network.species
    )
    where = draw(st.lists(st.sampled_from("uvw-"), min_size=len(start), max_size=len(start)))
    sums = {
        name: " + ".join(str(s) for s, w in zip(network.species, where, strict=True) if w == name)
        for name in "uvw"
    }
    return network, start, Query({name: text for name, text in sums.items() if text})


@pytest.mark.slow
@given(questions())
@settings(max_examples=60, deadline=None)
def test_it_is_the_stationary_distribution_of_the_markov_chain(
    question: tuple[Network, State, Query],
) -> None:
    network, start, query = question
    form = ProductForm(network)
    reached = form.log_normaliser(start)
    count = form.observe(start, Query()).states
    assert count is not None
    if count > 150:
        return
    distribution = stationary_distribution(network, start)
    assert count == len(distribution)
    assert_equal(form.observe(start, Query()), distribution)
    assert_equal(form.observe(start, query), observed(network, distribution, query))
    state, weight = next(iter(distribution.items()))
    assert float(form.log_weight(state)) - reached == pytest.approx(log_fraction(weight), abs=1e-10)


@st.composite
def reversible(draw: st.DrawFn) -> Network:
    """Any reversible reactions among four plain species: most are no lattice to rely on."""
    sides = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 2), min_size=1, max_size=2)
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        left, right = (" + ".join(f"{n} {s}" for s, n in draw(sides).items()) for _ in range(2))
        lines.append(f"{left} <-> {right} @ 1, 1")
    return Network("\n".join(lines))


@pytest.mark.slow
@given(reversible(), st.lists(st.integers(0, 3), min_size=4, max_size=4))
@settings(max_examples=200, deadline=None)
def test_where_it_answers_every_lattice_point_is_reachable(
    network: Network, counts: list[int]
) -> None:
    start = np.array(counts[: len(network.species)])
    part = Structure(network).live(start.tolist())
    try:
        roots = find_roots(part) if part else None
    except UnsupportedError:
        return
    if roots is None or not roots.needs.any(axis=1).all():
        return
    lattice = lump(network, np.zeros(len(start)), roots, start, Query())
    found = convolve(lattice, whole_box(lattice, None))
    reached = explore(network, start, max_states=10_000).states
    assert sorted(map(tuple, found.outcomes.tolist())) == sorted(map(tuple, reached.tolist()))
    assert found.states in (len(reached), None)


def test_the_motivating_example() -> None:
    form = ProductForm(MOTIVATING)
    distribution = form.observe([2, 1, 2, 0, 0], FREE_BUSY)
    assert distribution.outcomes.tolist() == [[1, 2], [2, 1], [3, 0]]
    assert distribution.probabilities * 45 == pytest.approx([30, 14, 1], rel=1e-13)
    other = form.observe([1, 2, 2, 0, 0], FREE_BUSY)
    assert other.probabilities * 25 == pytest.approx([14, 10, 1], rel=1e-13)
    assert (distribution.states, distribution.method, distribution.truncated_mass) == (
        5,
        "product form",
        0,
    )


def smoothed(distributions: list[Distribution], nu: float) -> float:
    """The paper's smoothed leakage of the first team against the others."""
    tables = [
        dict(
            zip(
                map(tuple, distribution.outcomes.tolist()),
                distribution.probabilities.tolist(),
                strict=True,
            )
        )
        for distribution in distributions
    ]
    return max(
        abs(math.log((tables[0].get(y, 0) + nu) / (other.get(y, 0) + nu)))
        for other in tables[1:]
        for y in tables[0].keys() | other.keys()
    )


@pytest.mark.slow
def test_the_papers_first_case_study() -> None:
    form = ProductForm(THREE)
    team = np.array([220, 220, 200, 0, 0])
    moves = [np.eye(5, dtype=int)[j] - np.eye(5, dtype=int)[i] for i in range(3) for j in range(3)]
    distributions = [form.observe(team + move, SIZES) for move in moves if move.any()]
    distributions.insert(0, form.observe(team, SIZES))
    assert smoothed(distributions, 1e-10) == pytest.approx(13.254008, abs=1e-6)
    assert smoothed(distributions, 1e-6) == pytest.approx(4.061047, abs=1e-6)
    assert distributions[0].log_error <= 1e-10
    assert distributions[0].log_probabilities.min() < -1900
    assert set(map(tuple, distributions[0].outcomes.tolist())) != set(
        map(tuple, distributions[1].outcomes.tolist())
    )


def test_tails_below_the_smallest_float_are_exact() -> None:
    found = ProductForm(THREE).observe([220, 220, 200, 0, 0], SIZES)
    place = {tuple(y): i for i, y in enumerate(found.outcomes.tolist())}
    lgamma = math.lgamma

    def log_weight(p: int, t: int) -> float:
        counts = [220 - p - t, 220 - p - t, 200 - t, p, t]
        return -sum(lgamma(n + 1) for n in counts)

    # Two states far apart: their ratio needs no normaliser.
    ratio = found.log_probabilities[place[640, 0, 0]] - found.log_probabilities[place[40, 0, 200]]
    assert ratio == pytest.approx(log_weight(0, 0) - log_weight(0, 200), rel=1e-13)


def test_a_window_bounds_the_exact_distribution_from_below_and_above() -> None:
    form = ProductForm(THREE)
    exact = form.observe([60, 50, 40, 0, 0], SIZES)
    part = form.observe([60, 50, 40, 0, 0], SIZES, tolerance=1e-6)
    assert len(part) < len(exact)
    assert 0 < part.truncated_mass <= 1e-6
    truth = dict(zip(map(tuple, exact.outcomes.tolist()), exact.probabilities, strict=True))
    for y, p in zip(map(tuple, part.outcomes.tolist()), part.probabilities, strict=True):
        assert p <= truth[y] * (1 + 1e-11)
        assert truth[y] <= (p + part.truncated_mass) * (1 + 1e-11)
    assert part.probabilities.sum() >= 1 - 1e-6


def test_a_huge_team_within_a_window() -> None:
    distribution = ProductForm(THREE).observe(
        [20_000, 20_000, 18_000, 0, 0], SIZES, tolerance=1e-12
    )
    assert distribution.truncated_mass <= 1e-12
    assert distribution.log_error <= 1e-10
    assert 1 - 1e-12 <= distribution.probabilities.sum() <= 1 + 1e-13
    assert distribution.mean["triples"] == pytest.approx(17_990.85, abs=0.01)
    # Ratios of two outcomes need no normaliser: they are exact to rounding.
    mp.dps = 40
    logs = []
    for i in (0, len(distribution) // 2, len(distribution) - 1):
        _, p, t = (int(n) for n in distribution.outcomes[i])
        counts = [20_000 - p - t, 20_000 - p - t, 18_000 - t, p, t]
        logs.append(-sum((mp.loggamma(n + 1) for n in counts), mp.mpf(0)))
        ratio = distribution.log_probabilities[i] - distribution.log_probabilities[0]
        assert abs(ratio - float(logs[-1] - logs[0])) <= 2 * distribution.log_error
    with pytest.raises(TooLargeError, match=r"rows.*give a tolerance"):
        ProductForm(THREE).observe([20_000, 20_000, 18_000, 0, 0], SIZES)


def test_moments() -> None:
    form, start = ProductForm(THREE), [5, 4, 3, 0, 0]
    distribution = form.observe(start, Query())
    mean, variance = form.moments(start)
    assert mean == pytest.approx(distribution.mean, rel=1e-12)
    assert variance == pytest.approx(distribution.variance, rel=1e-11)


def test_robots_that_come_and_go_are_poisson() -> None:
    form = ProductForm(Network("0 <-> {A} @ 6, 2\n{A} <-> w{A} @ 1, 2"))
    distribution = form.observe([0, 0], Query(all="{A} + w{A}"))
    counts = distribution.outcomes[:, 0]
    exact = counts * math.log(4.5) - 4.5 - np.array([math.lgamma(n + 1) for n in counts])
    assert 0 < distribution.truncated_mass <= 1e-12
    assert (
        np.abs(
            distribution.log_probabilities + math.log1p(distribution.truncated_mass) - exact
        ).max()
        <= 1e-12
    )
    assert form.log_normaliser([3, 1]) == pytest.approx(4.5, rel=1e-13)


def test_visitors_beside_a_closed_team() -> None:
    # A's choose between work and rest, however many visitors join them: binomial with c = 1 : 3·2.
    form = ProductForm(Network("0 <-> {V} @ 2, 1\n{A} + {V} <-> {A,V} @ 3, 1"))
    distribution = form.observe([5, 0, 0], Query(busy="{A,V}", waiting="{V}"))
    busy, weight = distribution.marginal("busy")
    exact = [math.comb(5, n) * 6.0**n / 7**5 for n in busy]
    assert weight == pytest.approx(exact, rel=1e-9)
    assert distribution.mean["waiting"] == pytest.approx(2, rel=1e-9)


def test_types_without_robots_and_idle_species() -> None:
    form = ProductForm(THREE)
    distribution = form.observe([3, 2, 0, 0, 0], SIZES)
    assert distribution.outcomes.tolist() == [[1, 2, 0], [3, 1, 0], [5, 0, 0]]
    still = form.observe([3, 0, 4, 0, 0], SIZES)
    assert (still.outcomes.tolist(), still.log_probabilities.tolist()) == ([[7, 0, 0]], [0.0])
    assert form.log_normaliser([3, 0, 0, 0, 0]) == pytest.approx(-math.log(6))
    inert = form.observe([2, 2, 7, 0, 0], Query(pairs="{1,2}"))
    assert inert.outcomes[:, 0].tolist() == [0, 1, 2]


@pytest.mark.slow
def test_keys_of_many_sums_need_several_words() -> None:
    text = "\n".join(f"a{i}{{T{i}}} <-> b{i}{{T{i}}} @ 1, 1" for i in range(60))
    network = Network(text + "\n" + "\n".join(f"{{A}} <-> c{i}{{A}} @ 1, 1" for i in range(50)))
    start = [3 if str(s) == "{A}" else 0 for s in network.species]
    distribution = ProductForm(network).observe(start)
    assert len(distribution) == math.comb(53, 3)
    assert distribution.probabilities.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("network", "start", "reason"),
    [
        (Network("{A} -> w{A} @ 1"), [1, 0], "weakly reversible"),
        (
            Network("{1} + {2} <-> {1,2} @ 1, 1\n{2} + {3} <-> {2,3} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 2\n{1} + {2,3} <-> {1,2,3} @ 1, 1"),
            [1] * 6,
            "not complex-balanced",
        ),
        (Network("2 {A} <-> {A,A} @ 1, 1", kinetics="power"), [2, 0], r"2 \{A\} -> \{A,A\} takes several"),
        (Network("2 a <-> 2 b @ 1, 1"), [3, 0], "not certain that every state"),
        (Network("2 a <-> 0 @ 1, 1"), [3], "not certain that every state"),
    ],
)  # fmt: skip
def test_refusals_say_why(network: Network, start: list[int], reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        ProductForm(network).observe(start)


def _of_models(many: int, robots: int) -> tuple[Network, list[int], Query]:
    """Models that share people and docks, all seen alike."""
    lines: list[str] = []
    places: dict[str, int] = {}
    for i in range(1, many + 1):
        lines.append(f"{{m{i}}} + {{h}} <-> pick{{h,m{i}}} @ {0.004 / i:.6f}, {0.5 / i:.6f}")
        lines.append(f"{{m{i}}} + {{d}} <-> charge{{d,m{i}}} @ {0.0004 * i:.6f}, 0.033")
        places |= {f"{{m{i}}}": robots, f"pick{{h,m{i}}}": 0, f"charge{{d,m{i}}}": 0}
    network = Network("\n".join(lines))
    places |= {"{h}": 20, "{d}": 24}
    seen = {
        name: " + ".join(place for place in places if place.startswith(name))
        for name in ("pick", "charge")
    }
    return network, [places[str(species)] for species in network.species], Query(**seen)


def test_ten_models_are_summed_by_what_is_seen_of_them() -> None:
    """Unseen, their states are too entangled for the weight of all of them to be had."""
    network, start, query = _of_models(10, 18)
    found = ProductForm(network).observe(start, query, tolerance=1e-9)
    assert found.truncated_mass <= 1e-9
    assert sum(found.probabilities) == pytest.approx(1, abs=1e-9)
    few, start, query = _of_models(3, 18)
    whole = ProductForm(few).observe(start, query)
    windows = ProductForm(few).observe(start, query, tolerance=1e-9)
    known = dict(zip(map(tuple, whole.outcomes.tolist()), whole.probabilities, strict=True))
    for outcome, less in zip(windows.outcomes.tolist(), windows.probabilities, strict=True):
        assert less * (1 - 1e-9) <= known[tuple(outcome)] <= less + windows.truncated_mass + 1e-15


def test_all_states_weigh_the_same_seen_or_not() -> None:
    """Either sum says what is left out of windows: the cheaper is taken."""
    network, start, query = _of_models(3, 18)
    log_c, roots = ProductForm(network).log_c, find_roots(Structure(network))
    seen, unseen = (lump(network, log_c, roots, np.array(start), one) for one in (query, None))
    both = [Contraction(lattice, -40.0).run()[0].log_total for lattice in (seen, unseen)]
    assert both[0] == pytest.approx(both[1], abs=1e-9)


def test_the_route_of_one_team_is_right_for_another() -> None:
    network, start, query = _of_models(3, 18)
    other = [count - 1 if count == 18 else count for count in start]
    form = ProductForm(network)
    form.observe(start, query, tolerance=1e-9)
    after, alone = (
        one.observe(other, query, tolerance=1e-9) for one in (form, ProductForm(network))
    )
    assert after.outcomes.tolist() == alone.outcomes.tolist()
    assert after.probabilities == pytest.approx(alone.probabilities, rel=1e-9)


def test_an_oversized_elimination_is_refused_before_it_starts() -> None:
    text = "\n".join(f"{{A}} <-> c{i}{{A}} @ 1, 1" for i in range(30))
    with pytest.raises(TooLargeError, match=r"tables of up to .* rows"):
        ProductForm(Network(text)).observe([100] + [0] * 30)


@pytest.mark.parametrize("tolerance", [0.0, 1.0, -1e-3])
def test_a_tolerance_is_a_probability(tolerance: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        ProductForm(THREE).observe([1, 1, 1, 0, 0], tolerance=tolerance)


def test_states_are_checked() -> None:
    with pytest.raises(InputError, match="one for each of the 5 species"):
        ProductForm(THREE).log_weight([1, 2])
