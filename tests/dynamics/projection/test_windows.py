"""Windows of the closed form: what they leave out is bounded, and known before they are summed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import covey
from covey import Limits, Network, Query
from covey.dynamics.distribution import Distribution
from covey.dynamics.methods import product_form
from covey.dynamics.product_form import truncation
from covey.dynamics.product_form.elimination.contraction import Contraction
from covey.dynamics.product_form.elimination.coordinates import coordinates
from covey.dynamics.product_form.elimination.lumped_lattice import LumpedLattice
from covey.dynamics.product_form.elimination.tails import Tails
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.product_form.truncation import PoissonWindows, Windows, sums
from covey.dynamics.solver import Solver
from tests.cli import test_sizes as text
from tests.dynamics.product_form.test_product_form import (
    FREE_BUSY,
    MOTIVATING,
    SIZES,
    THREE,
    State,
    questions,
)

TOLERANCES = st.floats(-12, -3).map(lambda exponent: 10.0**exponent)
DEPOT = Network(
    """
    {carrier} + {picker} <-> pick{carrier,picker} @ 0.02, 1
    {carrier} + {forklift} <-> lift{carrier,forklift} @ 0.03, 1
    {carrier} + {dock} <-> charge{carrier,dock} @ 0.05, 0.5
    {picker} + {dock} <-> charge{picker,dock} @ 0.04, 0.5
    {forklift} + {dock} <-> charge{forklift,dock} @ 0.06, 0.5
    """
)
SEEN = Query(
    driving="{carrier} + {picker} + {forklift}",
    working="pick{carrier,picker} + lift{carrier,forklift}",
    charging="charge{carrier,dock} + charge{picker,dock} + charge{forklift,dock}",
)


def depot(**robots: int) -> list[int]:
    return [robots.get(str(species).strip("{}"), 0) for species in DEPOT.species]


def lattices(
    network: Network, start: State, query: Query
) -> tuple[LumpedLattice | None, LumpedLattice | None]:
    form = ProductForm(network)
    state = np.array(start)
    return form._lattice(state, query), form._lattice(state, None)


def assert_within(part: Distribution, whole: Distribution, tolerance: float) -> None:
    """P ≤ p_true ≤ p + lost for every outcome, and no more is lost than is allowed."""
    assert part.truncated_mass <= tolerance
    exact = {tuple(y): p for y, p in zip(whole.outcomes.tolist(), whole.probabilities, strict=True)}
    found = {tuple(y): p for y, p in zip(part.outcomes.tolist(), part.probabilities, strict=True)}
    assert found.keys() <= exact.keys()
    slack = math.exp(part.log_error + whole.log_error)
    for y, p in exact.items():
        assert found.get(y, 0.0) <= p * slack
        assert p <= (found.get(y, 0.0) + part.truncated_mass) * slack
    # All that is missing, together.
    assert sum(exact.values()) - sum(found.values()) <= part.truncated_mass + 1e-10


@given(questions(), TOLERANCES)
@settings(max_examples=60, deadline=None)
def test_a_window_of_any_network_bounds_its_distribution(
    question: tuple[Network, State, Query], tolerance: float
) -> None:
    network, start, query = question
    form = ProductForm(network)
    part = form.observe(start, query, tolerance=tolerance)
    assert_within(part, form.observe(start, query), tolerance)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize(
    ("network", "start", "query"),
    [
        (THREE, [60, 50, 40, 0, 0], SIZES),
        (THREE, [9, 80, 5, 0, 0], Query(pairs="{1,2}")),
        (MOTIVATING, [50, 30, 40, 0, 0], FREE_BUSY),
        (DEPOT, depot(carrier=20, picker=14, forklift=7, dock=5), SEEN),
    ],
)
def test_a_contraction_bounds_the_exact_distribution(
    network: Network, start: list[int], query: Query, tolerance: float
) -> None:
    form = ProductForm(network)
    named = [str(species) for species in network.species]
    assert len(named) == len(start)
    lattice, unseen = lattices(network, tuple(start), query)
    assert lattice is not None
    assert unseen is not None
    how = sums(lattice, unseen, tolerance, 10**7, None)
    assert isinstance(how, Windows)
    part = form.observe(start, query, tolerance=tolerance)
    assert part.truncated_mass == pytest.approx(how.lost, rel=1e-2)  # known beforehand
    assert_within(part, form.observe(start, query), tolerance)


def test_tails_bound_what_is_beyond_them() -> None:
    start = depot(carrier=20, picker=14, forklift=7, dock=5)
    lattice, _ = lattices(DEPOT, tuple(start), SEEN)
    assert lattice is not None
    tails = Tails(lattice)
    log_weight = Contraction(lattice, -60.0).run()[0].log_total
    distribution = ProductForm(DEPOT).observe(start, SEEN)
    seen = lattice.seen_of_free.T
    offset = lattice.inert + lattice.totals @ lattice.seen_of_pivots
    for column, (row, at) in enumerate(zip(seen, offset.tolist(), strict=True)):
        counts = distribution.outcomes[:, column] - at
        reach = int(counts.min()), int(counts.max())
        for log_tail in (-3.0, -8.0, -14.0):
            window = tails.window(row, reach, log_tail + log_weight)
            beyond = distribution.probabilities[
                (counts < window.low) | (counts > window.high)
            ].sum()
            lost = math.exp(window.log_lost - log_weight)
            assert beyond <= lost * (1 + 1e-9)
            assert lost <= 2 * math.exp(log_tail) * (1 + 1e-9)
            # And it is not idle: a few standard deviations of the distribution that it is for.
            wide = 2 * tails.spread(row) * math.sqrt(-2 * (log_tail + log_weight)) + 3
            assert window.size <= min(wide, reach[1] - reach[0] + 1)


def test_coordinates_keep_every_count_and_what_is_seen() -> None:
    start = depot(carrier=20, picker=14, forklift=7, dock=5)
    lattice, _ = lattices(DEPOT, tuple(start), SEEN)
    assert lattice is not None
    choices = list(coordinates(lattice))
    assert len(choices) > 1
    z = np.array([3, 1, 2, 4, 5])
    for choice in choices:
        u = choice.matrix @ z
        counts = choice.lumps @ u + choice.constants
        assert (counts[lattice.free] == z).all()
        assert (lattice.needs.T @ counts == lattice.totals).all()
        assert (choice.seen @ u + choice.offset == counts @ lattice.seen).all()
        assert round(abs(np.linalg.det(choice.matrix))) == 1
        assert not choice.seen[:, choice.summed].any()


def test_what_has_no_whole_coordinates_is_eliminated() -> None:
    # Seen: 2 x + 3 y, in which no count has the coefficient 1.
    network = Network("2 {A} <-> x{A,A} @ 1, 1\n3 {B} <-> y{B,B,B} @ 1, 1")
    query = Query(seen="{A} + {B}")
    start = (8, 9, *[0] * (len(network.species) - 2))
    lattice, unseen = lattices(network, start, query)
    assert lattice is not None
    assert unseen is not None
    assert not list(coordinates(lattice))
    assert isinstance(sums(lattice, unseen, 1e-6, 10**7, None), PoissonWindows)
    form = ProductForm(network)
    assert_within(form.observe(start, query, tolerance=1e-6), form.observe(start, query), 1e-6)


def half_a_depot() -> covey.Scenario:
    return covey.loads(text.depot(1)).with_(
        {"types.carrier": 30, "types.picker": 20, "types.forklift": 10, "resources.dock": 7}
    )


def test_what_a_window_says_of_privacy_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = half_a_depot()
    (distributions,) = covey.team_distributions(scenario, ["steady"])
    exact, worst = covey.profile_of(distributions), covey.leakage_of(distributions)
    monkeypatch.setattr(product_form, "_QUICK", 0.0)
    for tolerance in (1e-4, 1e-12):
        (distributions,) = covey.team_distributions(
            scenario, ["steady"], Limits(tolerance=tolerance)
        )
        found = covey.profile_of(distributions)
        assert 0 < found.distributions.computed.truncated_mass <= tolerance
        for epsilon in (0.0, 0.05, 0.2):
            low, high = found.delta_interval(epsilon)
            assert low <= exact.delta(epsilon) * (1 + 1e-9)
            assert exact.delta(epsilon) <= high * (1 + 1e-9)
            assert high - low <= 3 * tolerance + 1e-9
        low, high = covey.leakage_of(distributions).interval
        assert 0 < low <= worst.value <= high == math.inf


def test_a_plan_within_windows_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = half_a_depot()
    exact = Solver(scenario.network).plan(scenario.start, "steady", scenario.query)
    assert exact.tolerance == 0
    assert "all but" not in exact.why
    monkeypatch.setattr(product_form, "_QUICK", 0.0)
    for tolerance, said in ((None, "1e-12"), (1e-7, "1e-07")):
        solver = Solver(scenario.network, Limits(tolerance=tolerance))
        plan = solver.plan(scenario.start, "steady", scenario.query)
        (distribution,) = solver.distributions(scenario.start, ["steady"], scenario.query)
        assert plan.certain
        assert (distribution.method, distribution.why) == (plan.method, plan.why)
        assert f"for all but {said} of the probability" in plan.why
        assert 0 < distribution.truncated_mass <= plan.tolerance == (tolerance or 1e-12)
        assert distribution.states is None


def test_every_outcome_is_summed_after_all_where_no_window_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = half_a_depot()
    monkeypatch.setattr(product_form, "_QUICK", 0.0)

    def refused(*args: object) -> None:
        raise covey.TooLargeError("too large")

    monkeypatch.setattr(truncation, "Contraction", refused)
    monkeypatch.setattr(truncation, "window_box", refused)
    solver = Solver(scenario.network)
    plan = solver.plan(scenario.start, "steady", scenario.query)
    assert (plan.method, plan.tolerance) == ("product-form", 0.0)


def test_every_method_has_a_tolerance_of_its_own() -> None:
    assert Limits().tolerance_of("product-form") == 1e-12
    assert Limits().tolerance_of("projection") == 1e-9
    assert Limits(tolerance=0.1).tolerance_of("product-form") == 0.1
