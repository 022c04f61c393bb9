"""What is seen on average, against closed forms; quick or not at all."""

import re

import numpy as np
import pytest

import covey
from covey.dynamics.mean_counts import Means, means
from covey.dynamics.solver import Solver
from covey.model.observation.adversary import Moment


def found(text: str, start: dict[str, int], at: Moment = "steady", **sums: str) -> Means:
    network = covey.Network(text)
    first = np.array([start.get(str(species).strip("{}"), 0) for species in network.species])
    return means(Solver(network), first, at, covey.Query(sums))


@pytest.mark.parametrize(
    ("gate", "method"), [("(c{A} < 2)", "product-form"), ("min(2 - c{A}, 1)", "stationary")]
)
def test_few_states_are_exact(gate: str, method: str) -> None:
    # Engset: each of 6 goes at 1/480 while one of 2 places is free, and stays 30.
    distribution = f"{{A}} -> c{{A}} @ [{{A}} / 480 * {gate}]\nc{{A}} -> {{A}} @ [c{{A}} / 30]"
    seen = found(distribution, {"A": 6}, charging="c{A}")
    ratio = 30 / 480
    weights = [1, 6 * ratio, 15 * ratio**2]
    mean = (weights[1] + 2 * weights[2]) / sum(weights)
    assert dict(seen.counts) == pytest.approx({"charging": mean})
    assert (seen.exact, seen.method, seen.why) == (True, method, "")
    assert seen.sentence() == f"On average at steady state: charging {mean:.4g}."


def test_independent_robots_are_exact_however_many() -> None:
    seen = found(
        "{A} <-> c{A} @ 1, 3\n{B} <-> c{B} @ 2, 2", {"A": 40_000, "B": 10_000}, c="c{A} + c{B}"
    )
    assert (seen.exact, seen.method) == (True, "mean-field")
    assert seen.counts["c"] == pytest.approx(40_000 / 4 + 10_000 / 2, rel=1e-9)


def test_the_mean_field_is_called_an_approximation() -> None:
    seen = found("2 {A} -> w{A,A} @ 1\nw{A,A} -> 2 {A} @ 2", {"A": 400_000}, at=0.001, w="w{A,A}")
    assert (seen.exact, seen.method) == (False, "mean-field")
    assert "mean field, an approximation" in seen.sentence()
    assert seen.keys()["exact"] is False


@pytest.mark.parametrize(
    ("text", "start", "at", "why"),
    [
        ("A -> 2 A @ 1", {"A": 1}, "steady", "no steady state|rest|beyond"),  # grows for ever
        # jumps, on more states than are solved here
        (
            "{A} <-> w{A} @ 1, [5 * w{A} * (w{A} > 20)]\n{B} <-> w{B} @ 1, [5 * w{B} * (w{A} > 20)]",
            {"A": 100, "B": 100},
            "steady",
            "does not follow rate laws that jump",
        ),
    ],
)  # fmt: skip
def test_what_would_take_long_is_left_out(
    text: str, start: dict[str, int], at: Moment, why: str
) -> None:
    seen = found(text, start, at)
    assert re.search(why, seen.why)
    assert seen.keys() == {"at": at, "counts": None, "exact": None, "method": None, "why": seen.why}
    assert "was not computed" in seen.sentence()


def test_a_stiff_chain_is_not_waited_for() -> None:
    """1e12 events by time 2: products with the generator would take hours."""
    seen = found("{A} <-> c{A} @ [{A} * (c{A} < 3) * 1e12], 1e12", {"A": 5}, at=2.0, c="c{A}")
    assert seen.method != "transient"
