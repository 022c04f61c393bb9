"""The distribution of what a mechanism publishes, of the distribution of what is there.

    P(z) = Σ_y table[y, z] P(y)

Rows add up to one, so lost mass stays what it was: it is published too, as something or other that
the table can publish. The same table after two distributions never tells them better apart. A table
that publishes one thing only publishes it for certain, whatever the distribution: nothing is lost
or rounded.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.errors import TooLargeError, UnsupportedError
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.numbers import SPACING

_MAX_ROWS = 20_000_000


def as_published(scenario: Scenario, distribution: Distribution, team: Team) -> Distribution:
    """The distribution of what is published of a team, of which `distribution` is there."""
    table = scenario.release.of_one_snapshot
    return distribution if table is None else released(distribution, table.for_team(team.types))


def surely_watched(scenario: Scenario, what: str) -> Scenario:
    """What is watched, where no coin decides that: with one, only a bound is known.

    Args:
        scenario: The team and its release.
        what: What is asked for: "a posterior".
    """
    shown = scenario.release.stand_in
    if shown is not None and shown.truth:
        raise UnsupportedError(
            f"{what} is not computed where a coin decides between the stand-in and the truth: "
            f"total variation is at most {shown.truth:g}, for any number of snapshots"
        )
    return scenario.watched


def with_coin(shown: Distribution, own: Distribution, truth: float) -> Distribution:
    """The distribution of what shows `own` with a probability, by a coin, and else `shown`."""
    if truth == 0:
        return shown
    logs = [shown.log_probabilities + np.log1p(-truth), own.log_probabilities + np.log(truth)]
    return Distribution.merge(
        shown.names,
        np.concatenate([shown.outcomes, own.outcomes]),
        np.concatenate(logs),
        log_error=max(shown.log_error, own.log_error) + 4 * SPACING,
        truncated_mass=(1 - truth) * shown.truncated_mass + truth * own.truncated_mass,
        method=shown.method,
        why=shown.why,
        states=shown.states,
    )


def released(distribution: Distribution, table: ReleaseTable) -> Distribution:
    """The distribution of what a table publishes."""
    table.check_counts(distribution.names)
    if len(table.published) == 1:
        return Distribution(
            distribution.names, table.published, np.zeros(1), log_error=0.0,
            method=distribution.method, why=distribution.why, states=distribution.states,
        )  # fmt: skip
    rows, _ = table.rows_of(distribution.outcomes)
    begin, column, log_shares = table.entries
    counts = np.diff(begin)[rows]  # of entries, for each outcome
    size = int(counts.sum())
    if size > _MAX_ROWS:
        raise TooLargeError(
            f"publishing {len(distribution):,} outcomes through the mechanism takes {size:,} "
            "rows, and at "
            f"most {_MAX_ROWS:,} are allowed: take a smaller team or a coarser query",
            states=size,
        )
    source = np.repeat(np.arange(len(distribution)), counts)
    within = np.arange(size) - np.repeat(np.cumsum(counts) - counts, counts)
    entry = np.repeat(begin[rows], counts) + within
    return Distribution.merge(
        distribution.names,
        table.published[column[entry]],
        distribution.log_probabilities[source] + log_shares[entry],
        # Of the sum of a row, of a division and a logarithm.
        log_error=distribution.log_error + SPACING * (len(table.published) + 8),
        truncated_mass=distribution.truncated_mass,
        method=distribution.method,
        why=distribution.why,
        states=distribution.states,
    )
