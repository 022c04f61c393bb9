"""Methods in the order of their merit: the first that can is the plan, and the next where it fails."""

from __future__ import annotations

import pytest

from covey import Limits, Network, Solver, TooLargeError, UnsupportedError
from covey.dynamics.limits import METHODS
from covey.dynamics.planner import AT_A_TIME, STEADY, UNDER_A_TIMETABLE
from covey.dynamics.prepared_network import PreparedNetwork
from covey.dynamics.product_form.product_form import Prepared

PAIRS = Network("{A} + {B} <-> {A,B} @ 1, 2")


def test_every_method_that_can_be_asked_for_is_one() -> None:
    assert {method.name for method in (*STEADY, *AT_A_TIME, *UNDER_A_TIMETABLE)} == set(METHODS)
    assert len(set(STEADY)) == len(STEADY)  # values: the sums in part are another method


def refused(*args: object, **more: object) -> None:
    raise TooLargeError("the tables do not fit")


def test_a_closed_form_that_fails_leaves_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Solver(PAIRS)
    assert solver.plan([3, 2, 0], "steady").method == "product-form"
    form = solver.closed_form
    assert not isinstance(form, UnsupportedError)
    monkeypatch.setattr(type(form), "prepare", lambda *_, **__: Prepared(refused, certain=True))  # type: ignore[arg-type]
    (found,) = solver.distributions([3, 2, 0], ["steady"])
    assert (found.method, found.why) == ("stationary", "no closed form: the tables do not fit")
    with pytest.raises(TooLargeError, match="the tables do not fit"):
        Solver(PAIRS, Limits("product-form")).distributions([3, 2, 0], ["steady"])


def test_states_that_do_not_fit_after_all_are_projected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PreparedNetwork, "chain", refused)
    solver = Solver(PAIRS)
    assert solver.plan([3, 2, 0], 1.0).method == "transient"
    both = solver.distributions([3, 2, 0], [1.0, 0.5])
    assert {(one.method, one.why) for one in both} == {
        ("projection", "the states do not fit in memory")
    }
    with pytest.raises(TooLargeError, match="the tables do not fit"):
        Solver(PAIRS, Limits("transient")).distributions([3, 2, 0], [1.0])


def test_a_method_answers_at_its_moments_only() -> None:
    with pytest.raises(
        UnsupportedError, match='"window" answers only for the steady state .*, not at 2'
    ):
        Solver(PAIRS, Limits("window")).distributions([3, 2, 0], [2.0])
    with pytest.raises(UnsupportedError, match='"transient" answers only at a time'):
        Solver(PAIRS, Limits("transient")).distributions([3, 2, 0], ["steady"])
