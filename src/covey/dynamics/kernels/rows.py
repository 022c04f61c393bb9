"""A chain as compiled code reads it: by rows, or by groups of eight rows (see `row_groups`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Floats


class Rows(NamedTuple):
    """A chain by rows, that is by incoming transitions."""

    indptr: NDArray[np.unsignedinteger]  # (states + 1,): where rows begin
    indices: NDArray[np.uint32]  # (transitions,): where a transition comes from
    numbers: NDArray[Any]  # (transitions,): of its rate
    rates: Floats


class Groups(NamedTuple):
    """A chain by groups of up to eight rows, and single rows; both ascend."""

    first: NDArray[np.uint32]  # (groups,): their first rows
    indptr: NDArray[np.unsignedinteger]  # (groups + 1,): where entries begin
    sources: NDArray[np.uint32]  # (entries,): where what leads to the first row comes from
    numbers: NDArray[np.uint16]  # (entries,): of the eight rates
    rates: Floats  # eight for every number
    single: NDArray[np.uint32]
