"""Dense tables: sums over states within windows, as plain numbers on a grid of forms.

A table holds f(L_1, …, L_k) for whole-numbered linear forms L of the coordinates, each between two
ends, scaled so that the largest is 1. One step multiplies some tables and sums over one coordinate:

    g(axes) = Σ_v ∏_t f_t(L(axes, v)),      every L being a whole combination of the axes and v.

All terms are positive. A sum of n products of t tables errs by at most n + t roundings, relatively,
beyond the errors of the tables, which add up. A table keeps what is above LEAST, and no less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.dynamics.product_form.elimination.poisson_weights import Wide, log_poisson
from covey.dynamics.product_form.elimination.route import Step, combinations
from covey.dynamics.product_form.elimination.tails import Window
from covey.errors import UnsupportedError
from covey.numbers import LEAST, SPACING, Floats, Ints

_ANY = -(2**60), 2**60


@dataclass(frozen=True, eq=False)
class Dense:
    """A table over a grid of forms."""

    forms: Ints  # (forms, coordinates)
    low: Ints  # (forms,): the least value of each
    sizes: Ints  # (forms,)
    data: Floats  # (cells,), the largest is 1
    error: float  # relative, of every cell

    @property
    def strides(self) -> Ints:
        """How far apart in `data` two neighbouring values of each form are."""
        return _strides(self.sizes)


def weights(form: Ints, window: Window, constant: int, log_rate: Wide) -> tuple[Dense, float]:
    """The Poisson weight of a lump of form + constant within its window, and ln of its scale."""
    logs, error = log_poisson(window.low + constant, window.size, log_rate)
    top = float(logs.max())
    with np.errstate(under="ignore"):
        data = np.exp(logs - top)
    data[data < LEAST] = 0.0
    error += SPACING * (2 + float(np.abs(logs).max()))
    forms = form[None] if form.any() else form[None][:0]
    low, sizes = np.full(len(forms), window.low), np.full(len(forms), window.size)
    return Dense(forms, low, sizes, data, error), top


def contracted(step: Step, ends: Sequence[Window], tables: Sequence[Dense]) -> tuple[Dense, float]:
    """The table that a step leaves within the windows of its axes, and ln of its scale."""
    from covey.dynamics.kernels.sparse_rows import contract  # noqa: PLC0415  (compiled: takes a second)

    low = np.array([end.low for end in ends], dtype=np.int64)
    sizes = np.array([end.size for end in ends], dtype=np.int64)
    forms = np.concatenate([table.forms for table in tables])
    widths = np.concatenate([table.sizes for table in tables])
    steps = np.zeros(len(forms), dtype=np.int64)
    if step.over is not None:
        steps = forms[:, step.over].copy()
        forms[:, step.over] = 0
    slopes = combinations(forms, step.axes)  # (forms of tables, axes)
    start = slopes @ low - np.concatenate([table.low for table in tables])
    strides, offset = _places(tables)
    most = 1 + int((widths[steps != 0] // np.abs(steps[steps != 0])).max(initial=0))
    out = np.empty(math.prod(sizes.tolist()))
    contract(
        out,
        sizes,
        (start, slopes, steps, widths),
        (offset + strides @ start, strides @ slopes, strides @ steps),
        np.concatenate([table.data for table in tables]),
        (0, 0) if step.over is None else _ANY,
        most,
    )
    top = float(out.max(initial=0.0))
    if top < LEAST:
        raise UnsupportedError("the weights of these counts are too far apart for windows")
    out /= top
    out[out < LEAST] = 0.0
    error = math.fsum(table.error for table in tables) + SPACING * (most + len(tables) + 4)
    return Dense(step.axes, low, sizes, out, error), math.log(top)


def _places(tables: Sequence[Dense]) -> tuple[Ints, Ints]:
    """Strides of all forms in the data of all tables, (tables, forms), and where each begins."""
    number = sum(len(table.forms) for table in tables)
    strides = np.zeros((len(tables), number), dtype=np.int64)
    offset = np.zeros(len(tables), dtype=np.int64)
    place = 0
    for t, table in enumerate(tables):
        strides[t, place : place + len(table.forms)] = table.strides
        place += len(table.forms)
        offset[t] = sum(len(other.data) for other in tables[:t])
    return strides, offset


def _strides(sizes: Ints) -> Ints:
    return np.cumprod(np.append(sizes, 1)[:0:-1])[::-1]
