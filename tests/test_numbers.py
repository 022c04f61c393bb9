"""Numbers from outside, and rows of whole ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from covey.errors import InputError
from covey.numbers import distinct_rows, finite_number, to_float, whole_number


@given(
    st.sampled_from([2, 5, 1000, 2**40]).flatmap(
        lambda most: arrays(
            np.int64,
            array_shapes(min_dims=2, max_dims=2, max_side=30),
            elements=st.integers(0, most),
        )
    )
)
def test_distinct_rows(rows: np.ndarray) -> None:
    """By places, by keys, or row by row, as large as the numbers are."""
    distinct, group = distinct_rows(rows)
    assert (distinct == np.unique(rows, axis=0)).all()
    assert (distinct[group] == rows).all()


def test_rows_of_nothing_are_all_the_same() -> None:
    distinct, group = distinct_rows(np.zeros((3, 0), dtype=np.int64))
    assert distinct.shape == (1, 0)
    assert group.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "value", [True, None, "1", [1], 10**400, -(10**400), math.inf, math.nan, 2.5, -1]
)
def test_one_gate_for_numbers(value: object) -> None:
    with pytest.raises(InputError, match="x is .*: a number from 0 to 2 is expected"):
        finite_number(value, "x", "a number from 0 to 2", least=0, most=2)
    with pytest.raises(InputError, match="x is .*: a whole number from 0 to 2 is expected"):
        whole_number(value, "x", most=2)


def test_what_passes_the_gate_is_a_double() -> None:
    found = [finite_number(value, "x") for value in (1, 2.5, np.float32(0.5), np.int64(7), -0.0)]
    assert found == [1.0, 2.5, 0.5, 7.0, 0.0]
    assert all(type(one) is float for one in found)
    assert whole_number(4.0, "x") == whole_number(np.int8(4), "x") == 4
    assert to_float("1e999") == math.inf == to_float(10**400)
    assert math.isnan(to_float("x"))
    assert math.isnan(to_float(None))
