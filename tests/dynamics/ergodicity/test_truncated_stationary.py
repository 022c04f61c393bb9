"""The steady state on a window, against distributions on paper, the closed form and the whole chain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from covey import Distribution, Limits, Network, Query, Solver
from covey.dynamics.state_space.conserved_points import ClassPoints
from covey.dynamics.state_space.truncated_chain import TruncatedChain
from covey.dynamics.stationary.limit import stationary
from covey.errors import CoveyError, NoStationaryDistributionError, TooLargeError, UnsupportedError
from covey.model.structure.structure import Structure
from covey.paper.scenarios import task_network, three_types

UNEQUAL = (0.2, 0.5, 0.8), (0.8, 0.5, 0.2)
QUEUE = "0 -> A @ {arrive}\nA + S -> B @ 4\nB -> S @ 1"


def window(
    network: Network, start: list[int], tolerance: float = 1e-9, query: Query | None = None
) -> Distribution:
    solver = Solver(network, Limits("window", tolerance=tolerance))
    return solver.distributions(start, ["steady"], query)[0]


def holds(distribution: Distribution, true: dict[tuple[int, ...], float]) -> bool:
    """The promise of a distribution that leaves something out: p <= q <= p + lost for every outcome."""
    found = dict(
        zip(
            map(tuple, distribution.outcomes.tolist()),
            distribution.probabilities.tolist(),
            strict=True,
        )
    )
    slack = 1 + distribution.log_error + 1e-12
    pairs = [(found.get(y, 0.0), true.get(y, 0.0)) for y in found.keys() | true.keys()]
    below = all(p <= q * slack + 1e-300 for p, q in pairs)
    return below and all(q <= p * slack + distribution.truncated_mass for p, q in pairs)


def poisson(mean: float, most: int) -> dict[tuple[int, ...], float]:
    return {(k,): math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(most)}


@pytest.mark.parametrize("mean", [0.3, 8.0, 900.0])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-9, 1e-12])
def test_arrivals_that_leave_by_themselves_are_poisson(mean: float, tolerance: float) -> None:
    distribution = window(Network(f"0 -> X @ {mean}\nX -> 0 @ 1"), [0], tolerance)
    assert distribution.method == "window"
    assert distribution.truncated_mass <= tolerance * 1.001
    assert holds(distribution, poisson(mean, 3000))


def test_births_against_one_server_for_each_are_geometric() -> None:
    """Births at 1 + x, deaths at 2 x: P(x) = 2^-(x+1)."""
    distribution = window(Network("0 -> X @ 1\nX -> 2 X @ 1\nX -> 0 @ 2"), [3])
    assert holds(distribution, {(k,): 0.5 ** (k + 1) for k in range(200)})


def test_only_states_of_the_right_parity() -> None:
    distribution = window(Network("0 -> 2 X @ 1\n2 X -> 0 @ 0.1"), [1])
    assert (distribution.outcomes % 2 == 1).all()
    # Births at 1 from x to x + 2, deaths at 0.1 x (x - 1) back: detailed balance.
    weights, w = {}, 1.0
    for x in range(1, 99, 2):
        weights[x,] = w
        w *= 1 / (0.1 * (x + 2) * (x + 1))
    total = sum(weights.values())
    assert holds(distribution, {x: w / total for x, w in weights.items()})


def test_a_queue_with_a_server() -> None:
    """Against the chain with at most 400 waiting, which is left out with probability 1e-18."""
    network = Network(QUEUE.format(arrive=0.9))
    distribution = window(network, [0, 0, 1])
    a, busy = np.arange(400), (0, 1)
    states = np.array([[n, b, 1 - b] for n in a for b in busy])
    chain = TruncatedChain.of(network, states)
    start = np.zeros(len(chain))
    start[0] = 1.0
    result = stationary(chain.returning(0), start)
    true = zip(map(tuple, chain.states.tolist()), result.probabilities.tolist(), strict=True)
    assert holds(distribution, {x: p * (1 + 1e-10) for x, p in true})
    assert distribution.mean["B"] == pytest.approx(0.9, abs=1e-8)


def test_a_complex_balanced_network_against_its_closed_form() -> None:
    scenario = three_types((30, 30, 25), (0.01, 1.0, 0.02, 1.0))
    distribution = window(scenario.network, list(scenario.start), query=scenario.query)
    exact = Solver(scenario.network, Limits("product-form"))
    (closed,) = exact.distributions(scenario.start, ["steady"], scenario.query)
    assert holds(
        distribution,
        dict(zip(map(tuple, closed.outcomes.tolist()), closed.probabilities, strict=True)),
    )


@pytest.mark.parametrize("tolerance", [1e-1, 1e-4, 1e-9])
def test_the_task_network_against_the_whole_chain(tolerance: float) -> None:
    scenario = task_network((6, 5, 7), *UNEQUAL)
    distribution = window(scenario.network, list(scenario.start), tolerance)
    (whole,) = Solver(scenario.network, Limits("stationary")).distributions(
        scenario.start, ["steady"]
    )
    assert len(distribution) < len(whole) or tolerance < 1e-8
    assert holds(
        distribution,
        dict(zip(map(tuple, whole.outcomes.tolist()), whole.probabilities, strict=True)),
    )


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_random_networks_in_windows_that_are_too_small(data: st.DataObject) -> None:
    """Ten robots that pair up, at any rates: the bound holds however much is left out."""
    rate = st.floats(0.05, 20.0)
    rates = [data.draw(rate) for _ in range(6)]
    lines = ["a{1} <-> b{1}", "a{1} + {2} <-> c{1,2}", "c{1,2} + b{1} -> a{1} + b{1} + {2}"]
    shown = [f"{rates[0]!r}, {rates[1]!r}", f"{rates[2]!r}, {rates[3]!r}", repr(rates[4])]
    network = Network("\n".join(f"{line} @ {r}" for line, r in zip(lines, shown, strict=True)))
    start = [data.draw(st.integers(1, 8)) if str(s) in {"a{1}", "{2}"} else 0
             for s in network.species]  # fmt: skip
    try:
        distribution = window(network, start, data.draw(st.sampled_from([0.3, 0.05, 1e-3])))
    except UnsupportedError:  # no proof was found, and so nothing is claimed
        return
    (whole,) = Solver(network, Limits("stationary")).distributions(start, ["steady"])
    assert holds(
        distribution,
        dict(zip(map(tuple, whole.outcomes.tolist()), whole.probabilities, strict=True)),
    )


@given(st.floats(0.5, 20.0), st.floats(0.5, 20.0), st.floats(0.02, 5.0), st.floats(0.1, 2.0))
@settings(max_examples=15, deadline=None)
def test_open_networks_that_pair_up_keep_their_balance(
    a: float, b: float, meet: float, leave: float
) -> None:
    """In the steady state as many arrive as leave, of A less B, which meetings do not change."""
    network = Network(
        f"0 -> {{A}} @ {a!r}\n0 -> {{B}} @ {b!r}\n{{A}} + {{B}} -> 0 @ {meet!r}\n"
        f"{{A}} -> 0 @ {leave!r}\n{{B}} -> 0 @ {leave!r}"
    )
    try:
        distribution = window(network, [0, 0])
    except (TooLargeError, UnsupportedError):
        assume(False)  # what cannot be proved, or does not fit, is refused
    assert distribution.mean["{A}"] - distribution.mean["{B}"] == pytest.approx(
        (a - b) / leave, abs=1e-5
    )


def test_the_engine_chooses_a_window_by_itself() -> None:
    scenario = task_network((100, 100, 100), *UNEQUAL)
    plan = Solver(scenario.network).plan(scenario.start, "steady", scenario.query)
    assert (plan.method, plan.states, plan.tolerance) == ("window", 25_803_942_711, 1e-9)
    assert "drift condition of degree 3" in plan.why


def test_a_window_that_finds_no_proof_says_so_where_all_states_fit() -> None:
    """There is nothing to allow more of, then."""
    network = Network("2 x + y -> 3 x @ 1\n2 y + x -> 3 y @ 0.93\nx <-> y @ 10, 10")
    solver = Solver(network, Limits("window"))
    refusal = solver.plan([60, 0], "steady").refusal
    assert refusal is not None
    assert refusal.message.endswith("Leave the method out")
    assert not isinstance(refusal, TooLargeError)


@pytest.mark.parametrize("tolerance", [1e-3, pytest.param(1e-9, marks=pytest.mark.study)])
def test_a_large_team(tolerance: float) -> None:
    scenario = task_network((100, 100, 100), *UNEQUAL)
    solver = Solver(scenario.network, Limits(tolerance=tolerance))
    distribution = solver.distributions(scenario.start, ["steady"], scenario.query)[0]
    assert distribution.method == "window"
    assert distribution.truncated_mass <= tolerance
    assert distribution.log_error < 1e-9
    # Every robot explores or waits, alone or in twos.
    explore, wait, twos = (distribution.mean[name] for name in ("exploring", "waiting", "in_twos"))
    assert explore + wait + 2 * twos == pytest.approx(300, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("0 -> X @ 1", NoStationaryDistributionError, "no reaction takes any away"),
        (QUEUE.format(arrive=2), NoStationaryDistributionError, "A - S grows on average by at least 0.999 per"),
        ("0 -> {A} @ 3\n0 -> {B} @ 2\n{A} + {B} -> 0 @ 1", NoStationaryDistributionError,
         "more arrive than can leave.*{A} - {B} grows on average by at least 0.999 per"),
        ("0 -> {A} @ 2\n0 -> {B} @ 2\n{A} + {B} -> 0 @ 1", UnsupportedError,
         "no proof was found.*degree 1 to 3.*helps if"),
        (QUEUE.format(arrive=1), UnsupportedError, "no telling where to look"),
    ],
)  # fmt: skip
def test_what_does_not_settle_is_refused_with_the_reason(
    text: str, error: type[CoveyError], words: str
) -> None:
    network = Network(text)
    start = [int(str(species) == "S") for species in network.species]
    solver = Solver(network)
    plan = solver.plan(start, "steady")
    assert plan.method is None
    with pytest.raises(error, match=f"(?s){words}") as caught:
        solver.distributions(start, ["steady"])
    assert plan.why == caught.value.message
    assert "time instead" not in plan.why


def test_a_refusal_says_the_same_again_beside_a_cluster() -> None:
    import distributed  # noqa: F401  (once it is loaded, copies of an error share what they hold)

    network = Network(QUEUE.format(arrive=2))
    start = [int(str(species) == "S") for species in network.species]
    solver = Solver(network)
    first, second = (solver.plan(start, "steady").why for _ in range(2))
    assert first == second
    assert first.count("infinitely many states") == 1


def test_a_window_that_does_not_fit_says_what_it_reached() -> None:
    network = Network(
        "0 -> {A} @ 30\n0 -> {B} @ 20\n{A} + {B} -> 0 @ .1\n{A} -> 0 @ 1\n{B} -> 0 @ 1"
    )
    solver = Solver(network, Limits(max_states=900))
    with pytest.raises(TooLargeError, match="more than 900 states") as caught:
        solver.distributions([0, 0], ["steady"])
    assert caught.value.states is not None
    assert caught.value.states > 900


def test_power_kinetics_have_no_polynomial_rates() -> None:
    network = Network("0 -> X @ 4\n2 X -> 0 @ 0.5", kinetics="power")
    with pytest.raises(UnsupportedError, match="2 X → 0|2 X -> 0"):
        Solver(network).distributions([0], ["steady"])


def test_species_that_nothing_moves_stay_as_they_are() -> None:
    network = Network("0 -> X @ 4\n2 X -> 0 @ 0.5\nP + Q -> Q + 2 P @ 1")
    distribution = Solver(network).distributions([0, 3, 0], ["steady"])[0]
    assert [str(species) for species in network.species] == ["P", "Q", "X"]
    distribution = Solver(network).distributions([3, 0, 0], ["steady"])[0]
    assert set(distribution.outcomes[:, 0].tolist()) == {3}


def test_points_within_a_budget_are_all_of_them() -> None:
    scenario = task_network((4, 3, 5))
    structure, network = Structure(scenario.network), scenario.network
    usual = np.array([4.0, 3, 5, 0, 0, 0, 0, 0, 0])
    points = ClassPoints(network.changes, structure.conservation_matrix, scenario.start, usual)
    costs = [np.arange(20.0) for _ in points.free]
    listed = points.within(costs, 100.0, 10**6)
    (whole,) = Solver(network).distributions(scenario.start, ["steady"])
    assert {*map(tuple, listed.tolist())} == {*map(tuple, whole.outcomes.tolist())}
    few = points.within(costs, 3.0, 10**6)
    assert {*map(tuple, few.tolist())} == {
        tuple(row) for row in listed.tolist() if sum(row[i] for i in points.free) <= 3
    }
    with pytest.raises(TooLargeError, match="more than 10 states"):
        points.within(costs, 3.0, 10)
