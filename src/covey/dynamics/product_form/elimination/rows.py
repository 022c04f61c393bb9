"""Rows of whole numbers with weights: joined where they agree, added up where they are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Floats, Ints

CHUNK = 1 << 20  # rows that are written at once
WORD = 2**62  # what one whole number holds


class StepTooLargeError(Exception):
    """One step would write this many rows; whoever knows the whole problem says it in words."""

    def __init__(self, rows: float) -> None:
        super().__init__(rows)
        self.rows = rows


def chunks(counts: Ints) -> list[slice]:
    """Runs of rows that write about as many rows as fit."""
    if counts.sum() <= CHUNK:
        return [slice(0, len(counts))]
    number = np.cumsum(counts) // CHUNK
    edges = np.flatnonzero(np.diff(number)) + 1
    return [slice(int(a), int(b)) for a, b in zip([0, *edges], [*edges, len(counts)], strict=True)]


def join(left: Ints, right: Ints, limit: int) -> tuple[Ints, Ints]:
    """All pairs of a left and a right row that are equal, as two arrays of row numbers."""
    codes = pack([np.concatenate(pair) for pair in zip(left.T, right.T, strict=True)])
    code = np.zeros(len(left) + len(right), dtype=np.int64)
    if len(codes) == 1:
        code = codes[0]
    elif codes:
        _, inverse = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
        code = inverse.ravel().astype(np.int64)
    ours, theirs = code[: len(left)], code[len(left) :]
    order = np.argsort(theirs, kind="stable")
    ordered = theirs[order]
    first = np.searchsorted(ordered, ours)
    counts = np.searchsorted(ordered, ours, side="right") - first
    if counts.sum() > limit:
        raise StepTooLargeError(int(counts.sum()))
    rows = np.repeat(np.arange(len(left)), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, order[first[rows] + within]


def add_runs(logs: Floats, first: NDArray[np.integer]) -> tuple[Floats, int]:
    """The logarithm of the sum of each run of weights, and the length of the longest run."""
    if len(first) == len(logs):
        return logs, 1
    lengths = np.diff(np.append(first, len(logs)))
    top = np.maximum.reduceat(logs, first)
    with np.errstate(under="ignore"):
        sums = np.add.reduceat(np.exp(logs - np.repeat(top, lengths)), first)
    return top + np.log(sums), int(lengths.max())


def pack(columns: list[Ints]) -> list[Ints]:
    """As few columns as hold the same information; in the same order."""
    packed: list[Ints] = []
    room = 0
    for column in columns:
        if not len(column):
            return columns[:1]
        low, span = int(column.min()), int(column.max()) - int(column.min()) + 1
        if span == 1:
            continue
        if packed and room * span < WORD:
            packed[-1] = packed[-1] * span + (column - low)
            room *= span
        else:
            packed.append(column - low)
            room = span
    return packed
