"""Rates from events: counts over exposures, and what to do where a count is shared (see `fit`)."""

from __future__ import annotations

import math

import numpy as np

from covey.errors import InputError
from covey.numbers import Floats
from covey.study.fit.profile_likelihood import Profile
from covey.study.fit.tally import Tally
from covey.study.fit.task import Estimate, Task, check_separable

_NOTHING = 1e-9  # expected events at a rate that is as good as 0


def fit_events(task: Task, tally: Tally) -> list[Estimate]:
    """Every parameter: its events over its exposure."""
    n, seen = len(task.names), [r for r in range(len(task.parameter)) if r not in tally.unseen]
    exposure, counts = np.zeros(n), np.zeros(n)
    np.add.at(exposure, [task.parameter[r] for r in seen], tally.exposure[seen])
    able = {
        choice: {task.parameter[r] for r in choice if r not in tally.unseen}
        for choice in tally.counts
    }
    for choice, times in tally.counts.items():
        if len(able[choice]) == 1:
            counts[next(iter(able[choice]))] += times
    rows, times_of = [], []  # of events of several parameters: how much each would do
    for (choice, state), times in tally.shared.items():
        if len(able[choice]) > 1:
            row, there = np.zeros(n), np.array([state], dtype=np.int64)
            for r in choice:
                row[task.parameter[r]] += tally.propensity(r, there)[0]
            rows.append(row)
            times_of.append(times)
    found = [
        Estimate(k / e if e > 0 else math.nan, _garwood(k, e, task.confidence), given, int(k), e)
        for k, e, given in zip(counts.tolist(), exposure.tolist(), task.given, strict=True)
    ]
    if rows:
        shared = np.array(rows), np.array(times_of, dtype=float)
        _fit_shared(task, found, shared, counts, exposure)
    return found


def _garwood(count: float, exposure: float, confidence: float) -> tuple[float, float]:
    """The interval of a Poisson rate: quantiles of χ²/2, that is of a gamma variable."""
    from scipy.special import gammaincinv  # noqa: PLC0415

    if not exposure > 0:
        return 0.0, math.inf
    tail = (1 - confidence) / 2
    low = float(gammaincinv(count, tail)) if count else 0.0
    return low / exposure, float(gammaincinv(count + 1, 1 - tail)) / exposure


def _fit_shared(
    task: Task,
    found: list[Estimate],
    shared: tuple[Floats, Floats],
    counts: Floats,
    exposure: Floats,
) -> None:
    """Replaces the estimates of parameters that some event may or may not have been due to."""
    among = np.flatnonzero(shared[0].any(axis=0))
    rows, which = np.unique(shared[0][:, among], axis=0, return_inverse=True)
    times = np.bincount(which.ravel(), weights=shared[1])
    n, e = counts[among], exposure[among]
    names = [task.names[p] for p in among]
    if not e.all():
        raise InputError(f"{names[int(e.argmin())]} has events, but no time passes before any")
    check_separable(names, np.vstack([rows * np.sqrt(times)[:, None], e]))

    def likelihood(logs: Floats) -> tuple[float, Floats]:
        rates = np.exp(logs)
        parts = rows * rates
        total = parts.sum(axis=1)
        value = times @ np.log(total) + n @ logs - rates @ e
        return float(value), (times / total) @ parts + n - rates * e

    most = counts.sum() + times.sum()
    start = np.log((n + times.sum() / len(among)) / e)
    low, high = np.log(_NOTHING / e), np.log((10 * most + 100) / e)
    fitted = Profile(likelihood, low, high, task, infinite=1.0).estimates(start)
    for p, (value, interval) in zip(among, fitted, strict=True):
        share = value * exposure[p]  # at the maximum, the expected number of events
        found[p] = Estimate(value, interval, found[p].given, share, found[p].exposure)
