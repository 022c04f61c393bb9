"""Compiled: the small transport problem that couples two chains, for one pair of states or many.

    minimise Σ_rs c_rs m_rs,      m_rs ≥ 0,      Σ_s m_rs ≤ left_r,      Σ_r m_rs ≤ right_s

Nothing has to be carried, so that only what has a negative cost is. By shortest augmenting paths:
the path from a row with something left, there and back between rows and columns, to a column with
room, that costs least; as much as fits goes along it, until no path costs less than nothing. Each
path is found by Bellman and Ford's rule, as ways back give back what was paid. For the six or
twenty reactions of a network that is a few microseconds.

Rows and columns are the reactions of the real team and of the reference (`remedy.stand_in`). Sums
and differences are all that is done to numbers: with NUMBA_DISABLE_JIT=1 `transport` also takes
arrays of fractions, and is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from covey.dynamics.kernels.njit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from covey.numbers import Floats


_NOTHING = 1e-12  # of the largest cost: a path that costs so little less than nothing gains nothing
_CRUMB = 1e-12  # of a rate: what rounding leaves of it


@njit(cache=True, nogil=True)
def transport(
    costs: NDArray[Any],
    left: NDArray[Any],
    right: NDArray[Any],
    out: NDArray[Any],
    reached: NDArray[Any],
    back: NDArray[np.int64],
) -> None:
    """Fill `out` (rows, columns) with what is carried; `left` and `right` become what remains.

    `reached` (rows + columns,) and `back` (rows + columns,) are room to work in.
    """
    rows, columns = costs.shape
    largest = costs[0, 0] * 0
    for r in range(rows):
        for s in range(columns):
            out[r, s] = costs[0, 0] * 0
            largest = max(largest, -costs[r, s])
    if largest <= 0:
        return
    enough = largest * _NOTHING
    for _ in range(8 * (rows + columns) * (rows + columns)):
        end = _cheapest(costs, left, right, out, reached, back, enough)
        if end < 0 or reached[rows + end] >= -enough:
            return
        # How much fits: what is left at the beginning, at the end, and on every way back.
        amount, node, length = right[end], rows + end, 0
        while back[node] >= 0 and length <= rows + columns:
            length += 1
            before = back[node]
            if node < rows:  # a way back, from a column to a row
                amount = min(amount, out[node, before - rows])
            node = before
        if length > rows + columns:  # by rounding it leads around for ever: see less exactly
            enough = 100 * enough
            continue
        amount = min(amount, left[node])
        left[node] -= amount
        right[end] -= amount
        node = rows + end
        while back[node] >= 0:
            before = back[node]
            if node < rows:
                out[node, before - rows] -= amount
            else:
                out[before, node - rows] += amount
            node = before


@njit(cache=True, nogil=True)
def _cheapest(
    costs: NDArray[Any],
    left: NDArray[Any],
    right: NDArray[Any],
    out: NDArray[Any],
    reached: NDArray[Any],
    back: NDArray[np.int64],
    enough: float,
) -> int:
    """The column at the end of the cheapest path, -1 where there is none; `back` leads along it.

    A way counts as shorter if it is so by `enough`: by rounding, a round trip that costs nothing
    may seem to become ever shorter.
    """
    rows, columns = costs.shape
    far = costs[0, 0] * 0 + 1e300
    for node in range(rows + columns):
        reached[node], back[node] = far, -1
    for r in range(rows):
        if left[r] > 0:
            reached[r] = costs[0, 0] * 0
    for _ in range(rows + columns):
        better = False
        for r in range(rows):
            if reached[r] == far:
                continue
            for s in range(columns):
                length = reached[r] + costs[r, s]
                if length < reached[rows + s] - enough and back[r] != rows + s:
                    reached[rows + s], back[rows + s], better = length, r, True
        for s in range(columns):
            if reached[rows + s] == far:
                continue
            for r in range(rows):
                if out[r, s] > 0 and back[rows + s] != r:
                    length = reached[rows + s] - costs[r, s]
                    if length < reached[r] - enough:
                        reached[r], back[r], better = length, rows + s, True
        if not better:
            break
    end = -1
    for s in range(columns):
        near = reached[rows + s] < (far if end < 0 else reached[rows + end])
        if right[s] > 0 and near:
            end = s
    return end


@njit(cache=True, nogil=True)
def by_gain(
    costs: NDArray[Any], left: NDArray[Any], right: NDArray[Any], out: NDArray[Any]
) -> None:
    """The same greedily: what gains most first, as much as fits; at times not the best."""
    rows, columns = costs.shape
    out[:] = costs[0, 0] * 0
    while True:
        least, first, then = -_NOTHING, -1, -1
        for r in range(rows):
            if left[r] > 0:
                for s in range(columns):
                    if right[s] > 0 and costs[r, s] < least:
                        least, first, then = costs[r, s], r, s
        if first < 0:
            return
        amount = min(left[first], right[then])
        out[first, then] += amount
        left[first] -= amount
        right[then] -= amount


@njit(cache=True, nogil=True)
def couple(
    potential: Floats,
    rates: Floats,
    into: NDArray[np.int64],
    reference_rates: Floats,
    reference_into: NDArray[np.int64],
    which: NDArray[np.int32],
    carried: Floats,
    greedily: bool,
) -> float:
    """Set the best coupling of all pairs of states, or the greedy one; what all of them gain by it.

    A pair has the number i · m + j, for the state i of the real team and the state j of the
    reference. `potential` is h, (states, m). `rates` and `into`, (states, reactions), are how fast
    each reaction is and where it leads; likewise those of the reference. Of a pair, `which[p]` has
    the numbers r · reactions + s of what is coupled, and `carried[p]` how fast; then comes a -1. A
    coupling is kept where another would not gain by h.
    """
    m, reactions = reference_rates.shape
    room = which.shape[1]
    rows, columns = np.empty(reactions, np.int64), np.empty(reactions, np.int64)
    left, right = np.empty(reactions), np.empty(reactions)
    costs, out = np.empty((reactions, reactions)), np.empty((reactions, reactions))
    reached, back = np.empty(2 * reactions), np.empty(2 * reactions, np.int64)
    gained = 0.0
    for pair in range(which.shape[0]):
        i, j = pair // m, pair % m
        here, a, b = potential[i, j], 0, 0
        for r in range(reactions):
            if rates[i, r] > 0.0:
                rows[a], left[a] = r, rates[i, r]
                a += 1
            if reference_rates[j, r] > 0.0:
                columns[b], right[b] = r, reference_rates[j, r]
                b += 1
        if a == 0 or b == 0:
            which[pair, 0] = -1
            continue
        for p in range(a):
            x = into[i, rows[p]]
            for q in range(b):
                w = reference_into[j, columns[q]]
                costs[p, q] = potential[x, w] - potential[x, j] - potential[i, w] + here
        before = 0.0
        for place in range(room):
            if which[pair, place] < 0:
                break
            r, s = which[pair, place] // reactions, which[pair, place] % reactions
            x, w = into[i, r], reference_into[j, s]
            step = potential[x, w] - potential[x, j] - potential[i, w] + here
            before += carried[pair, place] * step
        if greedily:
            by_gain(costs[:a, :b], left, right, out[:a, :b])
        else:
            transport(costs[:a, :b], left, right, out[:a, :b], reached, back)
        after = 0.0
        for p in range(a):
            for q in range(b):
                after += costs[p, q] * out[p, q]
        if after >= before - 1e-9 * (1e-3 - before):
            continue
        gained += before - after
        place = 0
        for p in range(a):
            for q in range(b):
                least = _CRUMB * min(rates[i, rows[p]], reference_rates[j, columns[q]])
                if out[p, q] > least and place < room - 1:  # less is a coupling, too
                    which[pair, place] = rows[p] * reactions + columns[q]
                    carried[pair, place] = out[p, q]
                    place += 1
        which[pair, place] = -1
    return gained


@njit(cache=True, nogil=True)
def transitions(
    rates: Floats,
    into: NDArray[np.int64],
    reference_rates: Floats,
    reference_into: NDArray[np.int64],
    which: NDArray[np.int32],
    carried: Floats,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    speeds: Floats,
) -> int:
    """Fill in the transitions of the coupled chain, and give their number.

    What is not coupled the real team and the reference do by themselves.
    """
    m, reactions = reference_rates.shape
    left, right, found = np.empty(reactions), np.empty(reactions), 0
    for pair in range(which.shape[0]):
        i, j = pair // m, pair % m
        left[:], right[:] = rates[i], reference_rates[j]
        for place in range(which.shape[1]):
            if which[pair, place] < 0:
                break
            r, s = which[pair, place] // reactions, which[pair, place] % reactions
            left[r] -= carried[pair, place]
            right[s] -= carried[pair, place]
            sources[found], speeds[found] = pair, carried[pair, place]
            targets[found] = into[i, r] * m + reference_into[j, s]
            found += 1
        for r in range(reactions):
            if left[r] > _CRUMB * rates[i, r]:
                sources[found], speeds[found], targets[found] = pair, left[r], into[i, r] * m + j
                found += 1
            if right[r] > _CRUMB * reference_rates[j, r]:
                sources[found], speeds[found] = pair, right[r]
                targets[found] = i * m + reference_into[j, r]
                found += 1
    return found
