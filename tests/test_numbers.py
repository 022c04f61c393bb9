"""Numbers from outside, and rows of whole ones."""

import ast
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import covey
from covey.errors import InputError
from covey.numbers import (
    distinct_rows,
    finite_number,
    number_of,
    to_float,
    whole_number,
    whole_of,
)


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


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (4, 4), ("4", 4), (" -4 ", -4), (4.0, 4), ("4.0", 4), ("1e3", 1000), (np.int8(4), 4),
        ("9" * 300, int("9" * 300)), (True, None), (None, None), ("", None), (2.5, None),
        ("2.5", None), ("nan", None), (math.inf, None), (10**400, None), ("9" * 5000, None),
        ([4], None), ("4 5", None),
    ],
)  # fmt: skip
def test_a_whole_number_however_it_is_written(value: object, number: int | None) -> None:
    assert whole_of(value) == number


def test_a_text_is_a_number_or_none() -> None:
    assert (number_of("1e999"), number_of(" 2 "), number_of("x")) == (math.inf, 2.0, None)


OWN = {  # what the system says, and what covey itself wrote or computed
    "dynamics/memory.py", "numbers.py", "paper/workspace.py",
}  # fmt: skip


def test_every_text_becomes_a_number_here() -> None:
    """Nobody else tries `float` or `int` and sees whether that fails."""
    source = Path(covey.__file__).parent
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if any(_tried(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == OWN


def _tried(tree: ast.AST) -> Iterator[bool]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            caught = " ".join(ast.unparse(one.type) for one in node.handlers if one.type)
            calls = (call for line in node.body for call in ast.walk(line))
            names = {ast.unparse(call.func) for call in calls if isinstance(call, ast.Call)}
            yield "ValueError" in caught and bool(names & {"float", "int", "Decimal", "Fraction"})
