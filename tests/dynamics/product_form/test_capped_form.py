"""Gates that keep sums within capacities: the closed form against the chain, and what is none."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.fleet_files import SMALL, limited
from hypothesis import given, settings
from hypothesis import strategies as st

from covey import Limits, Network, ProductForm, Query, Solver, UnsupportedError, loads
from covey.dynamics.product_form.capped_form import CappedForm
from covey.numbers import Ints

PAIRS = "{A} + {H} <-> p{A,H} @ 0.4, 0.5\n{B} + {H} <-> p{B,H} @ 0.2, 0.25\n"
GATED = "{A} <-> q{A} @ [2 * {A} * (q{A} + q{B} < 3)], 0.3\n"
OTHER = "{B} <-> q{B} @ [{B} * (q{A} + q{B} < 3)], 0.2\n"
SEEN = Query(idle="{A} + {B}", full="q{A} >= 2", all="2 q{A} + {H}")
SEEN_OF_A = Query(idle="{A}", away="q{A} + p{A,H}")
SEEN_OF_S = Query(idle="{A}", away="s{A} + p{A,H}")
_RATE = st.floats(-2, 2).map(lambda x: round(10**x, 4))


def _start(network: Network, **counts: int) -> Ints:
    wanted = {f"{{{name}}}": count for name, count in counts.items()}
    return np.array([wanted.get(str(species), 0) for species in network.species])


def _is_the_chains(network: Network, start: Ints, queries: tuple[Query, ...]) -> None:
    form, solver = CappedForm(network), Solver(network, Limits(method="stationary"))
    for query in queries:
        found = form.prepare(start, query).distribution()
        (chain,) = solver.distributions(start, ["steady"], query)
        assert np.array_equal(found.outcomes, chain.outcomes)
        assert found.truncated_mass == 0
        off = np.abs(found.log_probabilities - chain.log_probabilities).max()
        assert off <= min(1e-12, found.log_error + chain.log_error)


@settings(max_examples=25)
@given(
    rates=st.lists(_RATE, min_size=8, max_size=8),
    most=st.integers(2, 8),
    team=st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)),
)
def test_every_outcome_is_that_of_the_chain(
    rates: list[float], most: int, team: tuple[int, int, int]
) -> None:
    """Whether the capacity binds or not; a pair takes two places."""
    a, b, c, d, low, full, pair, part = rates
    places = "q{A} + q{B} + 2 * r{A,A}"
    network = Network(f"""
        {{A}} + {{H}} <-> p{{A,H}} @ {a}, {b}
        {{B}} + {{H}} <-> p{{B,H}} @ {c}, {d}
        {{A}} <-> q{{A}} @ [3 * low * {{A}} * ({places} < most)], {full}
        {{B}} <-> q{{B}} @ [low * ({places} <= {most - 1}) * {{B}} / 2], {full}
        2 {{A}} <-> r{{A,A}} @ [{{A}} * {pair} * ({most - 1} > {places}) * ({{A}} - 1)], {part}
        low = {low}
        most = {most}""")
    start = _start(network, **dict(zip("ABH", team, strict=True)))
    _is_the_chains(network, start, (Query(), SEEN))


@pytest.mark.parametrize("inside", [0, 1, 3])
def test_several_capacities_and_what_is_in_them_at_first(inside: int) -> None:
    network = Network(
        "{A} + {H} <-> p{A,H} @ [{A} * {H} * (p{A,H} + p{B,H} < 2) * (p{A,H} + q{A} <= 2)], 0.5\n"
        "{B} + {H} <-> p{B,H} @ [0.3 * {B} * {H} * (p{A,H} + p{B,H} < 2)], 0.25\n"
        "{A} <-> q{A} @ [20 * {A} * (p{A,H} + q{A} < 3)], 1\n{B} <-> q{B} @ 1, 2"
    )
    start = _start(network, A=4, B=3, H=3)
    start[network.index[next(s for s in network.species if str(s) == "q{A}")]] = inside
    _is_the_chains(network, start, (Query(), SEEN))


@pytest.mark.parametrize("most", [0, 1, 100])
def test_nothing_fits_and_everything_does(most: int) -> None:
    text = PAIRS + GATED.replace("< 3", f"<= {most - 1}") + OTHER.replace("< 3", f"< {most}")
    network = Network(text.replace("<= -1", "< 0"))
    start = _start(network, A=3, B=2, H=1)
    _is_the_chains(network, start, (Query(), SEEN))
    if most == 100:
        free = ProductForm(Network(PAIRS + "{A} <-> q{A} @ 2, 0.3\n{B} <-> q{B} @ 1, 0.2"))
        expected = free.observe(start, SEEN).log_probabilities
        found = CappedForm(network).prepare(start, SEEN).distribution().log_probabilities
        assert found == pytest.approx(expected, abs=1e-12)


def test_a_cycle_in_detailed_balance() -> None:
    gate = "(s{A} + t{A} < 2)"
    network = Network(
        f"{{A}} <-> s{{A}} @ [3 * {{A}} * {gate}], 2\n{{A}} <-> t{{A}} @ [1.5 * {{A}} * {gate}], 2\n"
        "s{A} <-> t{A} @ 1, 2\n" + PAIRS
    )
    _is_the_chains(network, _start(network, A=4, B=1, H=2), (Query(), SEEN_OF_S))


def test_control_says_the_same() -> None:
    network = Network(
        PAIRS + "q: {A} <-> q{A} @ 2, 0.3", control={"q": "0 if charging >= 2"},
        sums={"charging": "q{A}"},
    )  # fmt: skip
    _is_the_chains(network, _start(network, A=4, B=1, H=2), (Query(), SEEN_OF_A))


def test_what_is_left_out_is_bounded() -> None:
    network = Network(PAIRS + GATED.replace("2 *", "200 *") + OTHER)  # the capacity binds
    start = _start(network, A=30, B=20, H=10)
    whole = CappedForm(network).prepare(start, SEEN).distribution()
    found = CappedForm(network).prepare(start, SEEN, tolerance=1e-3).distribution()
    assert 0 < found.truncated_mass <= 1e-3
    listed = dict(zip(map(tuple, found.outcomes.tolist()), found.probabilities, strict=True))
    for row, p in zip(whole.outcomes.tolist(), whole.probabilities, strict=True):
        lower = listed.pop(tuple(row), 0.0)
        assert lower * (1 - 1e-9) <= p <= lower + found.truncated_mass + 1e-9 * p
    assert not listed


@pytest.mark.parametrize(
    "lines",
    [
        GATED + OTHER.replace("q{A} + q{B}", "q{B}"),  # another sum
        GATED + OTHER.replace("< 3", "<= 3"),  # off by one
        GATED + OTHER.replace("q{A} + q{B}", "q{A} + 2 * q{B}"),  # other weights
        GATED + "{B} <-> q{B} @ 1, 0.2",  # one that raises the sum has no gate
        GATED.replace(", 0.3", ", [0.3 * q{A} * (q{A} + q{B} < 3)]") + OTHER,  # a gated reverse
        GATED.replace("{A} *", "min({A}, 2) *") + OTHER,  # no mass action
        GATED.replace("{A} *", "{A} * {A} *") + OTHER,
        GATED.replace("* {A}", "* ({A} + 1)") + OTHER,
        GATED.replace("< 3", "!= 3") + OTHER,
        GATED.replace("(q{A} + q{B} < 3)", "(q{A} + q{B} < {H})") + OTHER,  # a limit that moves
        GATED.replace("(q{A} + q{B} < 3)", "(3 - q{A} - q{B})") + OTHER,  # slower, and no gate
        GATED.replace("(q{A} + q{B} < 3)", "({A} > 3)") + OTHER,  # it lowers what it counts
        GATED.replace(", 0.3", ", 0.3\n{A} -> q{A} @ 1") + OTHER,  # a way around the gate
        GATED + OTHER + "{A} -> s{A} @ 1\ns{A} -> t{A} @ 1\nt{A} -> {A} @ 1",  # no way back
        GATED + OTHER + "{A} <-> s{A} @ 1, 2\ns{A} <-> t{A} @ 1, 1\nt{A} <-> {A} @ 1, 1",  # a cycle
        GATED + OTHER + "q{A} + q{B} <-> v{A,B} @ 1, [v{A,B} * (q{A} + q{B} < 2)]",  # never apart
        "0 <-> {A} @ 1, 1\n" + GATED + OTHER,  # robots come and go
    ],
)
def test_other_gates_are_refused(lines: str) -> None:
    network = Network(PAIRS + lines)
    with pytest.raises(UnsupportedError):
        CappedForm(network).prepare(_start(network, A=3, B=2, H=1), Query())
    if "0 <->" not in lines:
        assert Solver(network).plan(_start(network, A=3, B=2, H=1), "steady").method == "stationary"


def test_a_start_outside_is_refused() -> None:
    network = Network(PAIRS + GATED + OTHER)
    start = _start(network, A=1, B=1, H=1)
    start[[str(s) for s in network.species].index("q{A}")] = 4
    with pytest.raises(UnsupportedError, match=r"outside the capacity q\{A\} \+ q\{B\} ≤ 3"):
        CappedForm(network).prepare(start, Query())


def test_a_fleet_whose_docks_are_a_rate_law() -> None:
    small = {"runner": 9, "lifter": 6, "tug": 3, "dock": 3, "human": 2}
    scenario = loads(limited(small))
    _is_the_chains(scenario.network, np.array(scenario.start), (scenario.query,))
    large = loads(limited(SMALL))
    plan = Solver(large.network).plan(large.start, "steady", large.query)
    assert (plan.method, plan.tolerance, plan.certain) == ("product-form", 0, True)
