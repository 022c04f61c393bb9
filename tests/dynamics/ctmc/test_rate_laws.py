"""Distributions of their own in every solver: against mass action, queues on paper, and 50 digits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import covey
from covey import CoveyWarning, InputError, Limits, Network, Query, Reaction, Scenario, Team
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.dynamics.ssa.simulation import event_log, trajectories
from covey.dynamics.state_space.relabelling import interchangeable
from covey.errors import CoveyError, UnsupportedError
from covey.model.io.sbml.seen import mass_action_term
from covey.model.observation.adversary import Moment
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import Term, applied
from covey.model.structure.reachability import reach
from covey.model.structure.structure import Structure
from tests.property.strategies import networks


def in_brackets(network: Network) -> Network:
    """The same network with every rate written out as a distribution."""
    reactions = [
        Reaction(r.reactants, r.products, RateLaw(_only_where_there(r, network)))
        for r in network.reactions
    ]
    return Network(reactions, network.rates, network.kinetics)


def _only_where_there(reaction: Reaction, network: Network) -> Term:
    """Mass action as a distribution; the paper's power law alone would take what is not there."""
    factors = [mass_action_term(reaction, network)]
    for species, n in reaction.reactants:
        if n > 1 and network.kinetics == "power":
            count: Term = str(species) if species.is_plain else species
            factors.append(applied(">=", count, float(n)))
    return applied("*", *factors) if len(factors) > 1 else factors[0]


def close(one: covey.Distribution, other: covey.Distribution) -> None:
    assert one.outcomes.tolist() == other.outcomes.tolist()
    slack = one.log_error + other.log_error + 1e-11
    assert np.abs(one.log_probabilities - other.log_probabilities).max() <= slack


def apart(one: covey.Distribution, other: covey.Distribution) -> float:
    """Half the sum of what their probabilities differ by."""
    first, second = (
        dict(
            zip(
                map(tuple, distribution.outcomes.tolist()),
                np.exp(distribution.log_probabilities),
                strict=True,
            )
        )
        for distribution in (one, other)
    )
    return float(sum(abs(first.get(y, 0) - second.get(y, 0)) for y in {*first, *second}) / 2)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(networks(3, kinds=("typed", "plain")), st.data())
def test_mass_action_in_brackets_is_mass_action(network: Network, data: st.DataObject) -> None:
    counts = st.lists(
        st.integers(0, 3), min_size=len(network.species), max_size=len(network.species)
    )
    start = np.array(data.draw(counts))
    plain = Solver(network, Limits(max_states=3_000))
    assume(plain.reach(start).finite and (plain.reach(start).states or 10**9) <= 400)
    own = Solver(in_brackets(network), Limits(max_states=3_000))
    assert own.reach(start).states == plain.reach(start).states
    moments: list[Moment] = [0.3, "steady"]
    for one, other in zip(
        plain.distributions(start, moments), own.distributions(start, moments), strict=True
    ):
        close(one, other)
    part = Limits(method="projection", tolerance=1e-9)
    one, other = (
        Solver(n, part).distributions(start, [0.3])[0] for n in (network, in_brackets(network))
    )
    assert apart(one, other) <= 1e-8
    ends = trajectories(own.network, start, times=[0.3], samples=400, seed=3)[:, 0]
    p = np.exp(one.log_probabilities)
    mean = p @ one.outcomes
    deviation = np.sqrt(p @ (one.outcomes - mean) ** 2)
    rare = 3 * one.outcomes.max(axis=0) / 400  # one path with what hardly ever happens
    assert (np.abs(ends.mean(axis=0) - mean) <= 6 * deviation / 20 + rare + 1e-8).all()


def test_mass_action_in_brackets_gives_the_same_leakage() -> None:
    text = "{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 2"
    team, query = Team({"A": 3, "B": 2}, {"R": 2}), Query(free="{A} + {B}", busy="{A,R} + {B,R}")
    for at in (0.7, "steady"):
        found = []
        for network in (Network(text), in_brackets(Network(text))):
            scenario = Scenario(network, team, query, covey.Adversary(at=at))
            found.append(covey.leakage(scenario))
        assert math.isclose(found[0].value, found[1].value, rel_tol=1e-9)
        assert found[0].neighbour == found[1].neighbour
    assert "rate law of its own" in Solver(network).plan(scenario.start, "steady").why


def test_simulated_paths_follow_the_distribution() -> None:
    """Many paths against the exact distribution, and every path refused by neither."""
    network = Network("{A} <-> w{A} @ [2 * min({A}, 3 - w{A})], [w{A}^1.5 / (1 + {A})]")
    start = np.array([6, 0])
    (distribution,) = Solver(network).distributions(start, [0.8])
    ends = trajectories(network, start, times=[0.8], samples=20_000, seed=5)[:, 0]
    exact = dict(
        zip(
            map(tuple, distribution.outcomes.tolist()),
            np.exp(distribution.log_probabilities),
            strict=True,
        )
    )
    seen = [tuple(row) for row in ends.tolist()]
    assert set(seen) <= set(exact)
    for outcome, p in exact.items():
        assert abs(seen.count(outcome) / 20_000 - p) <= 5 * math.sqrt(p * (1 - p) / 20_000) + 1e-9


def test_compiled_and_plain_paths_are_the_same() -> None:
    network = Network(
        "{A} <-> w{A} @ [2 * min({A}, 3 - w{A}) * (w{A} != 5)], [w{A}^1.5 / (1 + {A})]\n"
        "{A} -> {A} + p @ [max(0, 2 - p / 4) * ({A} == 2 * 2) * ({A} >= 1)]"
    )
    start = np.array([6, 0, 0])
    log = event_log(network, start, 40.0, seed=2)  # in plain Python, as it is short
    trajectories(network, start, times=[40.0], samples=500, seed=9)  # loads the compiled kernel
    again = event_log(network, start, 40.0, seed=2)
    assert len(log.times) > 20
    assert log.times.tolist() == again.times.tolist()
    assert log.reactions.tolist() == again.reactions.tolist()


def _queue(servers: int, room: int, arrive: float, serve: float) -> list[float]:
    """M/M/c/K by its textbook formula: p_n ∝ a^n / n! up to c, then (a/c)^(n−c) times that."""
    a = arrive / serve
    weights = [
        a**n / math.factorial(n) if n <= servers
        else a**servers / math.factorial(servers) * (a / servers) ** (n - servers)
        for n in range(room + 1)
    ]  # fmt: skip
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("servers", [1, 3, 7])
def test_a_queue_with_few_servers(servers: int) -> None:
    network = Network(
        "0 -> {J} @ [arrive * ({J} < 12)]\n{J} -> 0 @ [serve * min({J}, servers)]",
        rates={"arrive": 2.5, "serve": 0.9, "servers": float(servers)},
    )
    (distribution,) = Solver(network).distributions(np.array([0]), ["steady"])
    expected = _queue(servers, 12, 2.5, 0.9)
    assert distribution.outcomes[:, 0].tolist() == list(range(13))
    assert np.abs(distribution.log_probabilities - np.log(expected)).max() <= 1e-11


def test_an_endless_queue_at_a_time() -> None:
    """Infinitely many states, by projection; the mean of M/M/∞ is that of a formula."""
    network = Network("0 -> {J} @ 3\n{J} -> 0 @ [1 * {J}]")
    solver = Solver(network)
    plan = solver.plan(np.array([0]), 2.0)
    assert (plan.method, solver.reach(np.array([0])).grows) == ("projection", network.species[0])
    (distribution,) = solver.distributions(np.array([0]), [2.0])
    mean = 3 * (1 - math.exp(-2))
    expected = [
        -mean + n * math.log(mean) - math.lgamma(n + 1) for n in distribution.outcomes[:, 0]
    ]
    assert abs(np.exp(expected) - np.exp(distribution.log_probabilities)).sum() <= 1e-5
    with pytest.raises(UnsupportedError, match="has a rate law of its own"):
        solver.distributions(np.array([0]), ["steady"])


def test_thresholds_in_fifty_digits() -> None:
    """Two species and a threshold, against e^{Kt} of a generator written down by hand."""
    network = Network(
        "{A} <-> w{A} @ [a * {A} * (w{A} < 3) + {A} * (w{A} >= 3) / 7], [w{A} / (1 + w{A})]",
        rates={"a": 0.7},
    )
    total, time = 5, 2.5
    (distribution,) = Solver(network).distributions(np.array([total, 0]), [time])
    with mpmath.workdps(50):
        generator = mpmath.zeros(total + 1)  # by how many wait
        rate = mpmath.mpf(0.7)
        for w in range(total + 1):
            up = rate * (total - w) if w < 3 else mpmath.mpf(total - w) / 7
            down = mpmath.mpf(w) / (1 + w)
            for to, speed in ((w + 1, up), (w - 1, down)):
                if speed:
                    generator[to, w] += speed
                    generator[w, w] -= speed
        exact = mpmath.expm(generator * time, method="taylor")
        expected = [float(mpmath.log(exact[w, 0])) for w in range(total + 1)]
    found = dict(
        zip(distribution.outcomes[:, 1].tolist(), distribution.log_probabilities, strict=True)
    )
    assert (
        max(abs(found[w] - expected[w]) for w in range(total + 1)) <= distribution.log_error + 1e-12
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{A} -> w{A} @ [1.5 - w{A}]", "is -0.5, which is negative in the state 2 {A}, 2 w{A}"),
        ("{A} -> w{A} @ [5]", r"is 5, though there is not enough of {A} to take in the state 4 w{A}"),
        ("{A} -> w{A} @ [{A} / w{A}]", "is no finite number in the state 4 {A}: a division by 0"),
        ("2 {A} -> 2 w{A} @ [{A}]\n{A} -> w{A} @ 1",
         "is 1, though there is not enough of 2 {A} to take in the state 1 {A}, 3 w{A}"),
    ],
)  # fmt: skip
def test_what_is_no_rate_is_refused_with_its_state(text: str, message: str) -> None:
    network, start = Network(text), np.array([4, 0])
    tries: list[Callable[[], object]] = [
        lambda: Solver(network).distributions(start, [1.0]),
        lambda: Solver(network).distributions(start, ["steady"]),
        lambda: Solver(network, Limits(method="projection")).distributions(start, [50.0]),
        lambda: trajectories(network, start, times=[200.0], samples=200, seed=1),
    ]
    for attempt in tries:
        with pytest.raises(InputError) as caught:
            attempt()
        if attempt is not tries[-1] or "though" not in message or "2 {A}" not in message:
            assert message in str(caught.value)
        assert caught.value.key == "network.reactions"


def test_states_that_are_not_reached_may_have_no_rate() -> None:
    network = Network("{A} <-> w{A} @ [2 * min({A}, 3 - w{A})], 1")
    start = np.array([9, 0])
    assert reach(Structure(network), start.tolist()).states == 4
    (distribution,) = Solver(network).distributions(start, [1.0])
    assert distribution.outcomes[:, 1].max() == 3


def test_what_steps_aside() -> None:
    network = Network("{A} <-> w{A} @ [2 * {A}], 1")
    structure = Structure(network)
    assert not structure.complex_balanced
    assert "rate law of its own" in structure.complex_balanced.why
    solver = Solver(network)
    for form in (solver.closed_form, solver.linear):
        assert isinstance(form, UnsupportedError)
        assert "rate law of its own" in form.message
    with pytest.raises(UnsupportedError, match="has a rate law of its own"):
        _ = network.A
    for method in ("product-form", "linear", "window"):
        with pytest.raises(CoveyError, match="rate law of its own"):
            Solver(network, Limits(method=method)).distributions(np.array([3, 0]), ["steady"])


@pytest.mark.parametrize(
    ("distributions", "alike"),
    [
        (("2 * {A} / (1 + w{A} + w{B})", "2 * {B} / (1 + w{B} + w{A})"), True),
        (("2 * {A} / (1 + w{A})", "2 * {B} / (1 + w{B})"), True),
        (("2 * {A} / (1 + w{A})", "2 * {B} / (1 + w{A})"), False),
        (("a * {A}", "b * {B}"), True),
        (("2 * {A}", "3 * {B}"), False),
    ],
)
def test_types_are_alike_only_where_their_distributions_are(
    distributions: tuple[str, str], alike: bool
) -> None:
    network = Network(
        f"{{A}} <-> w{{A}} @ [{distributions[0]}], 1\n{{B}} <-> w{{B}} @ [{distributions[1]}], 1\na = 2\nb = 2"
    )
    assert (interchangeable(network) == [["A", "B"]]) is alike


def test_folded_by_symmetry_or_not() -> None:
    """Enough states for folding: the same distribution as one state at a time."""
    lines = [
        f"{{{x}}} <-> w{{{x}}} @ [min({{{x}}}, 4) / (1 + w{{A}} + w{{B}} + w{{C}})], 1"
        for x in "ABC"
    ]
    network = Network(lines)
    start = np.array([14, 14, 14, 0, 0, 0])
    solver = Solver(network)
    assert len(solver._folding(start)) == 6
    folded = solver.distributions(start, [0.5])[0]
    chain = solver.chain(start)
    whole = transient(chain.generator, chain.start, [0.5])
    assert folded.states is not None
    assert folded.states < len(chain.lattice)
    rows = {
        tuple(s): p
        for s, p in zip(chain.lattice.states.tolist(), whole.log_probabilities[0], strict=True)
    }
    found = [rows[tuple(s)] for s in folded.outcomes.tolist()]
    assert np.abs(np.array(found) - folded.log_probabilities).max() <= 1e-9


def test_rates_in_distributions_are_varied() -> None:
    network = Network("{A} <-> w{A} @ [a * min({A}, 2)], 1\n{B} <-> w{B} @ 1, 1", rates={"a": 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        scenario = Scenario(
            network, Team({"A": 3, "B": 2}), Query(busy="w{A} + w{B}"), covey.Adversary(at=1.0),
            initial={"A": "{A}", "B": "{B}"},
        )  # fmt: skip
        found = covey.sweep(scenario, {"rates.a": [0.5, 1.0, 2.0]})
    values = found.values.ravel().tolist()
    assert len(set(values)) == 3
    names = [effect.change.knob for effect in covey.sensitivity(scenario).effects]
    assert "rates.a" in names


def test_a_distribution_may_stand_still_at_other_rates() -> None:
    """How many states there are depends on a rate here: a solver must not keep the number."""
    network = Network("{A} <-> w{A} @ [{A} * (w{A} < most)], 1", rates={"most": 2.0})
    solver, start = Solver(network), np.array([5, 0])
    assert solver.reach(start).states == 3
    assert solver.at_rates(network.with_rates({"most": 4.0})).reach(start).states == 5


def test_growth_is_shown_by_mass_action_alone() -> None:
    capped = Network("0 -> {J} @ [3 * ({J} < 8)]\n{J} -> 0 @ 1")
    found = reach(Structure(capped), [0])
    assert (found.states, found.finite) == (9, True)
    assert reach(Structure(Network("0 -> {J} @ 3\n{J} -> 0 @ [min({J}, 2)]")), [0]).finite is False
