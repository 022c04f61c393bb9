"""Tables for elimination: sums over states, by what is still open and what was seen so far.

A table holds f(L_1(z), …, L_k(z); y): ln of a sum of positive weights, for values of k linear forms
L of the variables z that are still there, and for the part y of the observation that the
eliminated variables have contributed. The forms are linearly independent. Two steps are all:

    product   f·g, joined where the forms of both agree, observations added
    sum_out   Σ_v w(v) f(…, L_j, …; y), with L_j = a_j v + (a form without v), y moved by v's part

Whatever forms become dependent (equal, or zero) when v leaves them gives an equation on their
values; it selects rows, or fixes v. This is bucket elimination [1] on linear forms, and for one
form the convolution algorithm of closed queueing networks [2].

`error` bounds the rounding of every row's logarithm, common factors apart.

[1] R. Dechter, Bucket elimination, Artificial Intelligence 113, 1999.
[2] J. P. Buzen, Computational algorithms for closed queueing networks, Comm. ACM 16, 1973.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from covey.dynamics.product_form.elimination.order import REMEMBERED, SMALL
from covey.dynamics.product_form.elimination.rows import (
    StepTooLargeError,
    add_runs,
    chunks,
    join,
    pack,
)
from covey.model.structure.exact_algebra import integer_kernel
from covey.numbers import SPACING, Floats, Ints


@dataclass(frozen=True, eq=False)
class Variable:
    """What is to be summed over: v = 0, 1, …, each with its weight and its part of y."""

    number: int
    logs: Floats  # (values,): ln w(v)
    error: float
    part: Ints  # (words,): what one of it adds to the keys


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of values of the forms and keys of observations, with ln of their weight."""

    forms: Ints  # (forms, variables)
    values: Ints  # (rows, forms)
    keys: Ints  # (rows, words)
    logs: Floats  # (rows,), the largest is 0
    shift: float  # what was taken off the logs to make it so
    error: float
    gone: frozenset[int] = frozenset()  # the variables that were summed over

    def __len__(self) -> int:
        return len(self.logs)


def product(left: Table, right: Table, limit: int) -> Table:
    """The product of two tables, over all their forms."""
    if len(left) < len(right):
        left, right = right, left
    priority = [1] * len(left.forms) + [0] * len(right.forms)
    relations, kept = dependencies(np.vstack([left.forms, right.forms]), priority)
    ours, theirs = relations[:, : len(left.forms)], relations[:, len(left.forms) :]
    rows, others = join(left.values @ ours.T, right.values @ -theirs.T, limit)
    fresh = [i - len(left.forms) for i in kept if i >= len(left.forms)]
    # Where only one of them has seen anything yet, no two rows of the product are alike.
    merge = bool(left.keys.any() and right.keys.any())
    return _tidy(
        np.vstack([left.forms, right.forms[fresh]]),
        np.hstack([left.values[rows], right.values[others][:, fresh]]),
        left.keys[rows] + right.keys[others],
        left.logs[rows] + right.logs[others],
        left.shift + right.shift,
        left.error + right.error,
        left.gone | right.gone,
        merge=merge,
    )


def sum_out(table: Table, variable: Variable, most_left: Ints, limit: int) -> Table:
    """The table summed over one variable; `most_left`: the largest value of every other one."""
    step, rest, relations, kept = _split(table, variable)
    rows, low, high = _extents(table, variable, most_left, relations)
    counts = np.maximum(high - low + 1, 0)
    if counts.sum() > limit:
        raise StepTooLargeError(int(counts.sum()))
    parts = []
    for chunk in chunks(counts):
        source = np.repeat(np.arange(chunk.start, chunk.stop), counts[chunk])
        first = np.cumsum(counts[chunk]) - counts[chunk]
        taken = np.arange(len(source)) - np.repeat(first, counts[chunk]) + low[source]
        source = rows[source]
        parts.append(
            _tidy(
                rest[kept],
                (table.values[source] - taken[:, None] * step)[:, kept],
                table.keys[source] + taken[:, None] * variable.part,
                table.logs[source] + variable.logs[taken],
                table.shift,
                table.error + variable.error,
                table.gone | {variable.number},
            )
        )
    return parts[0] if len(parts) == 1 else _stack(parts)


def written_rows(table: Table, variable: Variable, most_left: Ints) -> Ints:
    """How many rows each row of the table becomes in `sum_out`: (rows,)."""
    _, _, relations, _ = _split(table, variable)
    rows, low, high = _extents(table, variable, most_left, relations)
    counts = np.zeros(len(table), dtype=np.int64)
    counts[rows] = np.maximum(high - low + 1, 0)
    return counts


def _split(table: Table, variable: Variable) -> tuple[Ints, Ints, Ints, list[int]]:
    """The forms as step · v + rest, with the relations among the rests and those to keep."""
    step = table.forms[:, variable.number]
    rest = table.forms.copy()
    rest[:, variable.number] = 0
    return step, rest, *dependencies(rest)


def _extents(
    table: Table, variable: Variable, most_left: Ints, relations: Ints
) -> tuple[Ints, Ints, Ints]:
    """The rows that satisfy the relations for some v, with the least and the largest such v."""
    step = table.forms[:, variable.number]
    fixed = table.values @ relations.T  # (rows, relations), which must be slope · v
    slope = relations @ step
    rows = np.flatnonzero((fixed[:, slope == 0] == 0).all(axis=1))
    most = table.forms @ most_left - step * most_left[variable.number]
    low, high = _range(table.values[rows], step, most, len(variable.logs))
    if slope.any():
        low, high = _solve(fixed[rows][:, slope != 0], slope[slope != 0], low, high)
    return rows, low, high


def _range(values: Ints, step: Ints, most: Ints, size: int) -> tuple[Ints, Ints]:
    """The least and largest v in every row: no form may fall below 0 or stay above its most."""
    low = np.zeros(len(values), dtype=np.int64)
    high = np.full(len(values), size - 1, dtype=np.int64)
    for column in np.flatnonzero(step):
        high = np.minimum(high, values[:, column] // step[column])
        low = np.maximum(low, -((most[column] - values[:, column]) // step[column]))
    return low, high


def _solve(fixed: Ints, slope: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """The range of v in every row, where equations fixed = slope · v leave one value or none."""
    taken = fixed[:, 0] // slope[0]
    fits = (fixed == taken[:, None] * slope).all(axis=1) & (low <= taken) & (taken <= high)
    return taken, np.where(fits, taken, taken - 1)


def dependencies(forms: Ints, priority: Sequence[int] | None = None) -> tuple[Ints, list[int]]:
    """All relations u with Σ u_j L_j = 0, and which forms to keep so that none is left.

    Forms of high priority are kept rather than others.
    """
    wanted = None if priority is None else tuple(priority)
    find = _dependencies if forms.size <= SMALL else _dependencies.__wrapped__
    relations, kept = find(forms.astype(np.int64).tobytes(), forms.shape, wanted)
    return relations, list(kept)


@lru_cache(maxsize=REMEMBERED)
def _dependencies(
    raw: bytes, shape: tuple[int, int], priority: tuple[int, ...] | None
) -> tuple[Ints, tuple[int, ...]]:
    forms = np.frombuffer(raw, dtype=np.int64).reshape(shape)
    equations = [
        {int(j): int(forms[j, column]) for j in np.flatnonzero(forms[:, column])}
        for column in np.flatnonzero(forms.any(axis=0))
    ]
    kernel = integer_kernel(equations, len(forms), priority)
    relations = np.zeros((len(kernel.vectors), len(forms)), dtype=np.int64)
    for row, vector in enumerate(kernel.vectors):
        for j, n in vector.items():
            relations[row, j] = n
    relations.setflags(write=False)
    return relations, tuple(sorted(unknown for _, unknown in kernel.pivots))


def _stack(parts: list[Table]) -> Table:
    """One table of several with the same forms."""
    top = max(part.shift for part in parts)
    return _tidy(
        parts[0].forms,
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.logs + (part.shift - top) for part in parts]),
        top,
        max(part.error for part in parts) + SPACING * max(abs(part.shift - top) for part in parts),
        parts[0].gone,
    )


def _tidy(
    forms: Ints,
    values: Ints,
    keys: Ints,
    logs: Floats,
    shift: float,
    error: float,
    gone: frozenset[int],
    merge: bool = True,
) -> Table:
    """A table with one row for each value and key, scaled; its error counts this rounding too."""
    size = float(np.abs(logs).max(initial=0.0))
    codes = pack([*values.T, *keys.T]) if merge else []
    terms = 1
    if codes and len(logs):
        # Rows come in runs, each in order already: a merge sort takes a third less time for all.
        order = np.argsort(codes[0], kind="stable") if len(codes) == 1 else np.lexsort(codes[::-1])
        new = np.zeros(len(order), dtype=np.bool_)
        for code in codes:
            ordered = code[order]
            new[1:] |= ordered[1:] != ordered[:-1]
        new[0] = True
        first = np.flatnonzero(new)
        values, keys = values[order[first]], keys[order[first]]
        logs, terms = add_runs(logs[order], first)
    elif merge and len(logs) > 1:  # nothing tells the rows apart
        values, keys = values[:1], keys[:1]
        logs, terms = add_runs(logs, np.zeros(1, dtype=np.int64))
    top = float(logs.max(initial=-np.inf)) if len(logs) else 0.0
    error += SPACING * (3 * size + (min(747.0, 0.4 * terms) + terms + 3 if terms > 1 else 0.0))
    return Table(forms, values, keys, logs - top, shift + top, error, gone)


def point_table(logs: Floats, low: int, form: Ints, words: int, error: float) -> Table:
    """The table of one form that takes the values low, low + 1, … with these weights."""
    values = np.arange(low, low + len(logs), dtype=np.int64)[:, None]
    forms = form[None, :]
    if not form.any():  # the form is 0 whatever the variables are
        values, forms, logs = values[:1, :0], forms[:0], logs[-low : 1 - low]
    top = float(logs.max())
    keys = np.zeros((len(logs), words), dtype=np.int64)
    return Table(forms, values, keys, logs - top, top, error + SPACING * math.fabs(top))
