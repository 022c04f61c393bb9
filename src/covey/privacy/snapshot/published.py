"""The law of what a mechanism publishes, of the law of what is there.

    P(z) = Σ_y table[y, z] P(y)

Rows add up to one, so lost mass stays what it was: it is published too, as something or other that
the table can publish. The same table after two laws never tells them better apart. A table that
publishes one thing only publishes it for certain, whatever the law: nothing is lost or rounded.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.errors import TooLargeError
from covey.model.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.numbers import SPACING

_MAX_ROWS = 20_000_000


def as_published(scenario: Scenario, law: Distribution) -> Distribution:
    """The law of what the scenario publishes, where `law` is that of what is there."""
    table = scenario.release.of_one_snapshot
    return law if table is None else released(law, table)


def released(law: Distribution, table: ReleaseTable) -> Distribution:
    """The law of what a table publishes."""
    table.check_counts(law.names)
    if len(table.published) == 1:
        return Distribution(
            law.names, table.published, np.zeros(1), log_error=0.0, method=law.method,
            why=law.why, states=law.states,
        )  # fmt: skip
    rows, _ = table.rows_of(law.outcomes)
    place, column = np.nonzero(table.table)  # every entry of the table, row by row
    begin = np.searchsorted(place, np.arange(len(table.seen) + 1))
    counts = np.diff(begin)[rows]  # of entries, for each outcome
    size = int(counts.sum())
    if size > _MAX_ROWS:
        raise TooLargeError(
            f"publishing {len(law):,} outcomes through the mechanism takes {size:,} rows, and at "
            f"most {_MAX_ROWS:,} are allowed: take a smaller team or a coarser query",
            states=size,
        )
    source = np.repeat(np.arange(len(law)), counts)
    within = np.arange(size) - np.repeat(np.cumsum(counts) - counts, counts)
    entry = np.repeat(begin[rows], counts) + within
    chances = table.table[place[entry], column[entry]]
    totals = table.table.sum(axis=1)[place[entry]]
    return Distribution.merge(
        law.names,
        table.published[column[entry]],
        law.log_probabilities[source] + np.log(chances / totals),
        # Of the sum of a row, of a division and a logarithm.
        log_error=law.log_error + SPACING * (len(table.published) + 8),
        lost_mass=law.lost_mass,
        method=law.method,
        why=law.why,
        states=law.states,
    )
