"""Rows of whole numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from covey.numbers import distinct_rows


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
