"""Linear networks: exact distributions at any time, for any number of robots, without a lattice.

If every reaction has at most one robot on either side, robots move independently of each other [1].
Of the n_s robots that start at the species s, each is at j with the probability P_s(j) of one robot
(`one_robot`), and those that arrive are Poisson counts besides. So disjoint sums of species are
sums of independent multinomials and Poisson counts (`convolution`), at a time as in the end.
Weights, overlaps and thresholds are functions of such sums (`Query.classes`).

Groups that robots lead between, and from which nobody disappears unseen, hold a fixed number of
them: one of these groups is left out, and is what the others leave of that number.

Which way. Every outcome is computed while they are few; otherwise all but a tolerance, within
windows (`truncated_convolution`). Either way most robots, a number of each species that many teams
have in common, make a table that is kept, and the others are added one by one: neighbours share
that table. It depends on the team alone, never on what was asked before.

[1] T. Jahnke, W. Huisinga, Solving the chemical master equation for monomolecular reaction systems
    analytically, J. Math. Biol. 54 (2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.monomolecular.convolution import (
    Kinds,
    Table,
    add,
    arrival_windows,
    arrivals,
)
from covey.dynamics.monomolecular.observed_robots import SeenRobots, see
from covey.dynamics.monomolecular.one_robot import OneRobot, Whereabouts
from covey.dynamics.monomolecular.truncated_convolution import Windows
from covey.errors import TooLargeError
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import LOST, Ints
from covey.words import rounded

DEFAULT_TOLERANCE = 1e-12  # of all windows together
_MOST_CELLS = 3_000_000  # of a table, some 50 bytes each in all
_MOST_WORK = 3e8  # terms added one robot at a time, some 3 ns each
_MOST_SPREAD = 6e9  # the same within windows, some 0.3 ns each
_FEWEST, _EVERY = 5, 16  # the common part of n robots is the largest 5, 21, 37, … up to n
_KEPT = 6  # common tables


@dataclass(frozen=True, eq=False)
class PreparedSum:
    """The distribution of one team under one query at a moment, ready to be summed."""

    distribution: Callable[[], Distribution]
    why: str
    whole: bool  # whether every outcome will be there


class LinearForm:
    """The distributions of a linear network; `UnsupportedError` where robots need each other.

    Args:
        network: A network whose reactions have at most one robot on either side.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.robot = OneRobot(network)
        self._tables: dict[object, Table] = {}

    def prepare(
        self,
        start: Ints,
        at: Moment,
        query: Query,
        tolerance: float = DEFAULT_TOLERANCE,
        guest: Whereabouts | None = None,
    ) -> PreparedSum:
        """All but the sums: whatever is too large, or has no distribution, is refused here.

        Args:
            start: How many there are of each species.
            at: A time, or "steady".
            query: What is seen.
            tolerance: The probability that windows may leave out.
            guest: Where one robot more is.
        """
        if not query.is_plain:
            return self._of_classes(query, start, at, tolerance, guest)
        seen = see(self.robot, start, at, query, guest)
        tail = tolerance / max(2 * int((seen.means > 0).sum()), 1)
        common = np.where(seen.kinds.counts < _FEWEST, 0, seen.kinds.counts - _over(seen.kinds))
        edges = arrival_windows(seen.means, tail)
        shape = [last - first + 1 for first, last in edges]
        shape = [size + more for size, more in zip(shape, seen.reach.tolist(), strict=True)]
        cells = math.prod(shape)
        terms = (seen.kinds.parts > 0).sum(axis=1)
        work = int(seen.kinds.counts @ terms) * cells // 2  # exact: cells may be beyond any float
        key = (at, seen.key, tuple(zip(seen.species, common.tolist(), strict=True)), tolerance)
        if cells <= _MOST_CELLS and work <= _MOST_WORK:
            lost = tolerance if (seen.means > 0).any() else 0.0

            def whole() -> Table:
                return add(arrivals(seen.means, tail), seen.kinds.with_counts(common))

            arrived = sum(last for _, last in edges)
            return self._prepared(seen, common, (lost, arrived), (key, whole))
        if len(seen.free) > 2:
            raise _too_large(cells)
        windows = Windows(seen.kinds.with_counts(common), seen.means, tolerance)
        left = int((seen.kinds.counts - common).sum())
        cells = math.prod(size + left for size in windows.shape)
        if cells > _MOST_CELLS or windows.work > _MOST_SPREAD:
            raise _too_large(cells, windows.work)
        return self._prepared(seen, common, (tolerance, windows.arrived), (key, windows.solve))

    def _of_classes(
        self, query: Query, start: Ints, at: Moment, tolerance: float, guest: Whereabouts | None
    ) -> PreparedSum:
        """By the counts of species that look alike."""
        plain, weights = query.classes
        found = self.prepare(start, at, plain, tolerance, guest)

        def distribution() -> Distribution:
            return found.distribution().shown_as(
                tuple(query.sums), lambda counts: query.compared(counts @ weights)
            )

        return replace(found, distribution=distribution)

    def _prepared(
        self,
        seen: SeenRobots,
        common: Ints,
        cut: tuple[float, int],
        table: tuple[object, Callable[[], Table]],
    ) -> PreparedSum:
        """`cut` is what windows leave out, and how many that arrived they let in at the most."""
        lost, arrived = cut
        share = (
            "every outcome"
            if not lost
            else f"all but {rounded(lost, '.1e', 'up')} of the probability"
        )
        why = f"robots move independently: a convolution over them, {share}"

        def distribution() -> Distribution:
            rest = seen.kinds.with_counts(seen.kinds.counts - common)
            return _distribution(seen, add(self._common(*table), rest), lost, arrived, why)

        return PreparedSum(distribution, why, whole=not lost)

    def _common(self, key: object, make: Callable[[], Table]) -> Table:
        """The table of the common robots, made once; the few that were asked for last are kept."""
        table = self._tables.pop(key, None)
        if table is None:
            while len(self._tables) >= _KEPT:
                del self._tables[next(iter(self._tables))]
            table = make()
        self._tables[key] = table
        return table


def _over(kinds: Kinds) -> Ints:
    """How many robots of each kind are above the common number."""
    return np.asarray((kinds.counts - _FEWEST) % _EVERY)


def _distribution(
    seen: SeenRobots, table: Table, lost: float, arrived: int, why: str
) -> Distribution:
    rows, logs, reading = table.outcomes()
    outcomes = seen.outcomes(rows)
    if len(seen.free) < outcomes.shape[1] or table.skewed:
        order = np.lexsort(outcomes.T[::-1])
        outcomes, logs = outcomes[order], logs[order]
    # P[y] of those that arrived: m^y is off by y times the error of ln m, and e^−m by m times.
    error = table.error + seen.robots_error
    error += seen.means_error * (arrived + float(seen.means.sum()))
    return Distribution(
        seen.names,
        outcomes,
        logs,
        log_error=error + reading,
        truncated_mass=lost + seen.lost * LOST,
        method="linear",
        why=why,
    )


def _too_large(cells: int, work: float = 0.0) -> TooLargeError:
    much = f"{cells:,} outcomes or more"
    if cells <= _MOST_CELLS:
        much += f", and {work:.0e} sums"
    return TooLargeError(
        f"robots move independently here, but there are {much} to compute, where "
        f"{_MOST_CELLS:,} and {_MOST_SPREAD:.0e} are allowed. Observe fewer sums, or take a "
        "smaller team"
    )
