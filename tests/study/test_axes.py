"""Axes: what a range means, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from covey.errors import InputError, TooLargeError
from covey.study.sweep.axes import Axis, Design, check_axes, parse_axis, read_axes
from tests.privacy.small_teams import shared_resource


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("types.A=1:4", (1, 2, 3, 4)),
        ("types.A=1:10:4", (1, 5, 9)),
        ("resources.R = 2 : 3", (2, 3)),
        ("types.A=7", (7,)),
        ("types.A=1,5,2", (1, 5, 2)),
        ("rates.take=0.2:2:10", (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)),
        ("rates.take=1:2:5", (1.0, 1.25, 1.5, 1.75, 2.0)),
        ("rates.take=1:3", (1, 2, 3)),
        ("rates.take=0.5:2:1", (0.5,)),
        ("rates.take=1e-3:2e-3:2", (0.001, 0.002)),
        ("adversary.at=0.5,10,steady", (0.5, 10, "steady")),
        ("network.kinetics=falling,power", ("falling", "power")),
    ],
)
def test_ranges(text: str, values: tuple[object, ...]) -> None:
    found = parse_axis(text).values
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_values_that_are_tied() -> None:
    axis = parse_axis("rates.k3, rates.k13=0.5:1:2")
    assert axis == Axis(("rates.k3", "rates.k13"), (0.5, 1.0), (0.5, 1.0))
    assert axis.name == "rates.k3"
    assert Design((axis,)).changes(1) == {"rates.k3": 1.0, "rates.k13": 1.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("types.A", "'types.A' is no axis: NAME=RANGE is expected, such as types.A=1:20"),
        ("A=1:3", "'A' cannot be varied: a dotted name is expected, such as types.A"),
        ("types.A=1:x", "types.A has 'x' in its range: a number is expected"),
        ("types.A=3:1", "types.A runs from 3 down to 1: the smaller is expected first"),
        ("types.A=1:2.5", "types.A counts robots: whole numbers are expected, a:b or a:b:step"),
        ("types.A=1:9:0", "types.A counts robots: whole numbers are expected, a:b or a:b:step"),
        ("rates.k=0:1:2.5", "rates.k is to have 2.5 values: a whole number from 1 to 1,000,000 is"),
        ("types.A=1:2:3:4", "types.A has 4 numbers between colons: 2 or 3 are expected"),
        ("types.A=1,2,1", "types.A has 1 twice: once is expected"),
        ("types.A=", "types.A has '': finite numbers or words are expected"),
        ("types.A=true", "types.A has True: finite numbers or words are expected"),
        ("rates.k=1:1e999999999:3", "rates.k has '1e999999999' in its range: a number is expected"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_axis(text)
    assert caught.value.message.startswith(message)


def test_from_python() -> None:
    axes = {
        "types.A": range(1, 3),
        "rates.a,rates.b": np.linspace(0, 1, 3),
        ("rates.c", "rates.d"): [np.float64(1.5), np.int64(2)],
        "resources.R": "1:3",
    }
    found = read_axes(axes)
    assert [axis.values for axis in found] == [(1, 2), (0.0, 0.5, 1.0), (1.5, 2), (1, 2, 3)]
    assert found[2].names == ("rates.c", "rates.d")
    assert all(type(value) in (int, float) for axis in found for value in axis.values)
    with pytest.raises(InputError, match=r"rates.a has nan: finite numbers or words are expected"):
        read_axes({"rates.a": [1.0, float("nan")]})
    with pytest.raises(InputError, match="rates.a has no values"):
        read_axes({"rates.a": []})


def test_a_grid_has_every_combination() -> None:
    design = Design(read_axes(["types.A=1:3", "rates.take=0.5:1:2"]))
    assert len(design) == 6
    assert [design.values(cell) for cell in range(3)] == [(1, 0.5), (1, 1.0), (2, 0.5)]


def test_a_sample_is_drawn_from_the_ranges() -> None:
    axes = read_axes(["types.A=1:3", "rates.take=0.5:2", "adversary.at=1,steady"])
    design = Design(axes, sample=300, seed=1)
    team, rates, moments = design.columns
    assert set(team) == {1, 2, 3}
    assert all(0.5 <= float(rate) <= 2 for rate in rates)
    assert len(set(rates)) == 300
    assert set(moments) == {1, "steady"}
    longer = Design(axes, sample=500, seed=1)
    assert [column[:300] for column in longer.columns] == design.columns
    assert Design(axes, sample=300, seed=2).columns != design.columns


def test_designs_that_are_refused() -> None:
    with pytest.raises(InputError, match="there is nothing to vary"):
        Design(())
    with pytest.raises(InputError, match=r"types.A is varied twice"):
        Design(read_axes(["types.A=1:2", "types.B,types.A=1:2"]))
    with pytest.raises(InputError, match=r"rates.take has two ends: say how many values"):
        Design(read_axes(["rates.take=0.5:2"]))
    with pytest.raises(TooLargeError, match="the sweep has 4,000,000 cells; at most 1,000,000"):
        Design(read_axes(["types.A=1:2000", "types.B=1:2000"]))
    with pytest.raises(TooLargeError, match="types.A has 2,000,000 values: at most 1,000,000"):
        parse_axis("types.A=1:2000000")
    with pytest.raises(TooLargeError, match=r"types.A has 1000000\S+ values: at most 1,000,000"):
        parse_axis("types.A=0:" + "9" * 40)  # more than 64 bits hold
    with pytest.raises(TooLargeError, match=r"types.A has 1,000,000,000 values"):
        parse_axis("types.A=1:1000000000")
    with pytest.raises(InputError, match="a sample has at least 1 cell"):
        Design(read_axes(["types.A=1:2"]), sample=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("types.Q=1:2", "types.Q is in no reaction"),
        ("rates.tak=1:2:3", "there is no rate tak to set"),
        ("types.A=-3:3", "types.A is -3: it must not be negative"),
        ("adversary.at=1,never", "adversary.at is 'never': a time or"),
        ("robots.A=1:2", "robots.A cannot be set"),
    ],
)
def test_names_and_values_are_checked_before_anything_runs(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_axes(shared_resource(), Design(read_axes([text])))
