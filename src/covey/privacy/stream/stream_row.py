"""What a number of snapshots tells of two teams: one row of a stream's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.stream.confidence import Bounded, largest


@dataclass(frozen=True)
class StreamRow:
    """What so many snapshots together tell of a team and a neighbour, or of the worst of them.

    Attributes:
        snapshots: How many.
        total_variation: Of the distributions of all that is seen in them.
        delta: δ for every ε that was asked for.
        distinguishing_mass: The probability of seeing what the other team cannot show; of both
            directions the larger.
        learning: Nats a snapshot, on average, by which what the team shows speaks for it, as long
            as the neighbour could show the same; an estimate where paths were drawn.
        leakage: The largest |ln P/P'|, where all that can be seen was summed over; else None.
    """

    snapshots: int
    total_variation: Bounded
    delta: tuple[Bounded, ...]
    distinguishing_mass: Bounded
    learning: float
    leakage: Bounded | None

    @property
    def bayes_success(self) -> Bounded:
        """How often the best guess between the two is right."""
        return Bounded(*map(binary_success, self.total_variation))


def nothing_told(snapshots: int, epsilons: int, coin: float = 0.0) -> StreamRow:
    """What so many snapshots tell of a neighbour that shows what the team shows: nothing.

    But with the probability of a coin, tossed once for all, the truth is shown: then no total
    variation or δ is above that.
    """
    most = Bounded(coin, 0.0, coin)
    return StreamRow(snapshots, most, (most,) * epsilons, most, 0.0, None if coin else most)


def worst_of(rows: Sequence[StreamRow]) -> StreamRow:
    """The most that is told after as many snapshots, of any neighbour; figure by figure."""
    leakages = [row.leakage for row in rows if row.leakage is not None]
    return StreamRow(
        rows[0].snapshots,
        largest([row.total_variation for row in rows]),
        tuple(largest(level) for level in zip(*(row.delta for row in rows), strict=True)),
        largest([row.distinguishing_mass for row in rows]),
        max(row.learning for row in rows),
        largest(leakages) if leakages else None,
    )


def never_falling(rows: Sequence[StreamRow]) -> tuple[StreamRow, ...]:
    """The same rows, knowing that more snapshots never tell less.

    A bound from below holds for all later rows too, and one from above for all earlier ones.
    """
    variation = _rising([row.total_variation for row in rows])
    settled = _rising([row.distinguishing_mass for row in rows])
    levels = [_rising(level) for level in zip(*(row.delta for row in rows), strict=True)]
    return tuple(
        replace(
            row,
            total_variation=variation[i],
            delta=tuple(level[i] for level in levels),
            distinguishing_mass=settled[i],
        )
        for i, row in enumerate(rows)
    )


def _rising(figures: Sequence[Bounded]) -> list[Bounded]:
    values, lowers, uppers = np.array(figures).T
    lowers = np.maximum.accumulate(lowers)
    uppers = np.minimum.accumulate(uppers[::-1])[::-1]
    uppers = np.maximum(lowers, uppers)  # they cross only where one of them fails
    values = np.clip(np.maximum.accumulate(values), lowers, uppers)
    return list(map(Bounded, values.tolist(), lowers.tolist(), uppers.tolist()))
