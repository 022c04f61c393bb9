"""A noisy observer: what is reported is not what is there, but drawn from it.

    P(z) = Σ_y C(z|y) P(y)

for a channel C that knows only y. Two kinds: every robot is seen with probability r, which thins
each count by itself, C(z|y) = Π_i Binomial(z_i; y_i, r_i); or any table of distributions, an
outcome's own for each outcome. The same channel after both distributions never tells them better
apart, so leakage and profile can only fall (data processing).

C has rows that add up to one, so lost mass stays what it was, P(z) ≤ P_true(z) ≤ P(z) + lost;
log_error grows by the rounding of ln C. The identity is r = 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.distribution import Distribution
from covey.errors import InputError, TooLargeError, UnsupportedError, did_you_mean
from covey.model.observation.query import Query
from covey.numbers import SPACING, Floats, Ints, is_number
from covey.privacy.snapshot.output_distributions import TeamDistributions

Outcome = tuple[int, ...]
Table = Mapping[Any, Mapping[Any, float]]  # by outcomes; a Mapping's keys know no subtypes
Channel = Callable[[Distribution], Distribution]
# What an observer reports: the probability of seeing a robot, a table, or a distribution for each
# distribution.
Reporting = float | Mapping[str, float] | Table | Channel

_MAX_ROWS = 20_000_000


def thin(distribution: Distribution, r: float | Mapping[str, float]) -> Distribution:
    """The distribution of what is seen where each robot of a count is seen with some probability.

    A count of species that hold several robots is thinned as a count: each such group is seen or
    missed.

    Args:
        distribution: What is there.
        r: The probability of being seen: one number, or one for some of the counts by name; the
            others are seen wholly.
    """
    thinned = distribution
    for name, chance in _chances(distribution.names, r).items():
        thinned = _thin_column(thinned, distribution.names.index(name), chance)
    return thinned


def through(
    distribution: Distribution, channel: Table, names: tuple[str, ...] | None = None
) -> Distribution:
    """The distribution of what is reported, by a table.

    Args:
        distribution: What is there.
        channel: For every outcome of the distribution, as a tuple of counts in the order of
            `distribution.names`, what it is reported as: {reported outcome: probability}. The
            probabilities add up to one.
        names: What reported outcomes count; by default the same. They may be of another length.
    """
    named = distribution.names if names is None else tuple(names)
    rows: list[Outcome] = []
    logs: list[float] = []
    for outcome, log in zip(
        distribution.outcomes.tolist(), distribution.log_probabilities.tolist(), strict=True
    ):
        row = _row(tuple(outcome), channel, named)
        rows.extend(row)
        logs.extend(log + math.log(chance) for chance in row.values())
    return _merged(distribution, named, np.array(rows), np.array(logs), 4 * SPACING)


def seen_through(distributions: TeamDistributions, channel: Reporting | None) -> TeamDistributions:
    """The distributions of what a noisy observer reports, for `leakage_of` and `profile_of`.

    Args:
        distributions: The distributions of what is there.
        channel: A probability of being seen as for `thin`, a table as for `through`, or a function
            from distribution to distribution; None where all that is there is seen.
    """
    if channel is None:
        return distributions
    check_thinned(distributions.scenario.query, channel)
    return distributions.shown_by(lambda distribution: reported(distribution, channel))


def reports_of(
    channel: Reporting, names: tuple[str, ...], outcomes: Ints
) -> list[tuple[Ints, Floats]]:
    """For every outcome, what it is reported as, and with which probabilities."""
    found = []
    for outcome in outcomes:
        distribution = reported(
            Distribution.merge(names, outcome[None], np.zeros(1), log_error=0.0), channel
        )
        found.append((distribution.outcomes, distribution.probabilities))
    return found


def reported(distribution: Distribution, channel: Reporting) -> Distribution:
    """The distribution of what a noisy observer reports of one team."""
    if callable(channel):
        return channel(distribution)
    if _is_table(channel):
        return through(distribution, channel)  # type: ignore[arg-type]
    return thin(distribution, channel)  # type: ignore[arg-type]


def _is_table(channel: Reporting) -> bool:
    return isinstance(channel, Mapping) and any(isinstance(key, tuple) for key in channel)


def check_thinned(query: Query, r: Reporting | None) -> None:
    """That counts are thinned whose robots are each in one count, once; other channels may be."""
    if r is None or query.is_plain or callable(r) or _is_table(r):
        return
    shared = {name for names in query.overlaps.values() for name in names}
    for name, one in query.sums.items():
        chance = r.get(name, 1.0) if isinstance(r, Mapping) else r
        if chance != 1 and (one.threshold or one.is_weighted or name in shared):
            raise UnsupportedError(
                f"{name} = {one} is no plain count of robots by itself, of which each could be "
                "missed: give a table of what is reported, or observe counts without weights, "
                "thresholds and overlaps",
                key=f"observe.{name}",
            )


def _thin_column(distribution: Distribution, column: int, chance: float) -> Distribution:
    """Every outcome as many times as its count can be seen: 0, 1, …, y."""
    if chance == 1:
        return distribution
    outcomes, logs = distribution.support
    counts = outcomes[:, column]
    if chance == 0:
        rows = outcomes.copy()
        rows[:, column] = 0
        return _merged(
            distribution, distribution.names, rows, logs, 0.0, distribution.support_known
        )
    size = int(counts.sum()) + len(counts)
    if size > _MAX_ROWS:
        raise TooLargeError(
            f"thinning {distribution.names[column]} takes {size:,} rows, and at most "
            f"{_MAX_ROWS:,} are "
            "allowed: take a smaller team or a coarser query",
            states=size,
        )
    source = np.repeat(np.arange(len(counts)), counts + 1)
    begin = np.cumsum(counts + 1) - (counts + 1)
    seen = np.arange(len(source)) - begin[source]  # 0, 1, …, y for each source
    missed = counts[source] - seen
    factorial = _log_factorials(int(counts.max(initial=0)))
    log_chance = (
        (factorial[counts[source]] - factorial[seen] - factorial[missed])
        + seen * math.log(chance)
        + missed * math.log1p(-chance)
    )
    rows = outcomes[source]
    rows[:, column] = seen
    largest = float(factorial[-1]) + float(counts.max(initial=0)) * max(
        -math.log(chance), -math.log1p(-chance)
    )
    return _merged(
        distribution,
        distribution.names,
        rows,
        logs[source] + log_chance,
        8 * SPACING * (largest + 1),
        distribution.support_known,
    )


def _log_factorials(most: int) -> Floats:
    """`ln 0!, ln 1!, …`, each right to a few units in its last place."""
    return np.array([math.lgamma(n + 1) for n in range(most + 1)])


def _merged(
    distribution: Distribution,
    names: tuple[str, ...],
    rows: NDArray[np.int64],
    logs: Floats,
    error: float,
    complete: bool = False,
) -> Distribution:
    return Distribution.merge(
        names,
        rows,
        logs,
        log_error=distribution.log_error + error,
        truncated_mass=distribution.truncated_mass,
        method=distribution.method,
        why=distribution.why,
        states=distribution.states,
        complete=complete,
    )


def _chances(names: tuple[str, ...], r: float | Mapping[str, float]) -> dict[str, float]:
    given = r if isinstance(r, Mapping) else dict.fromkeys(names, r)
    for name, chance in given.items():
        if name not in names:
            hint = did_you_mean(name, names) or f" What is seen: {', '.join(names[:8])}."
            raise InputError(f"{name!r:.40} is not seen here.{hint}")
        if not is_number(chance) or not 0 <= chance <= 1:
            raise InputError(
                f"the probability of seeing a robot of {name} is {chance!r:.40}: a number from 0 "
                "to 1 is expected"
            )
    return {name: float(chance) for name, chance in given.items()}


def _row(outcome: Outcome, channel: Table, names: tuple[str, ...]) -> dict[Outcome, float]:
    """What an outcome is reported as, checked; rows are made to add up to one exactly."""
    if outcome not in channel:
        raise InputError(
            f"the channel has no row for {outcome}: one is needed for every outcome, as "
            "{(2, 1): {(2, 1): 0.9, (1, 1): 0.1}, …}"
        )
    row = channel[outcome]
    for report, chance in row.items():
        if len(report) != len(names) or any(count < 0 for count in report):
            raise InputError(
                f"the channel reports {outcome} as {report!r:.40}: {len(names)} counts are "
                f"expected, of {', '.join(names[:8])}"
            )
        if not 0 <= chance <= 1:
            raise InputError(f"the channel reports {outcome} as {report} with probability {chance}")
    total = math.fsum(row.values())
    if not abs(total - 1) <= 1e-9:
        raise InputError(
            f"the channel's row for {outcome} adds up to {total:.6g}: 1 is expected, or some "
            "report is missing"
        )
    return {report: chance / total for report, chance in row.items() if chance > 0}
