"""When somebody looks: how many snapshots there are, and after how many to say something."""

from __future__ import annotations

from collections.abc import Iterable

from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.validation import check_time
from covey.errors import InputError
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.numbers import is_whole

MOST_SNAPSHOTS = 100_000
_FIRST_SHOWN = (1, 2, 5, 10)


def schedule(
    scenario: Scenario,
    every: float | None,
    until: float | None,
    at: Moment | None,
    marks: Iterable[int] | None,
) -> Schedule:
    """The snapshots that were asked for; what is None is as the scenario says."""
    moment: Moment = scenario.adversary.at if at is None else at
    if moment != "steady":
        moment = check_time(moment)
    step = scenario.release.every if every is None else check_time(every, "every")
    span = scenario.release.until if until is None else check_time(until, "until")
    if step is None or span is None:
        raise InputError(
            "how often somebody looks, and for how long, is not said: a time between snapshots and "
            "one until which they go on are expected, or every and until in the scenario's "
            "[release]",
            key="release",
        )
    if not 0 < step <= span:
        raise InputError(
            f"a snapshot every {step:g} until {span:g} makes none: every must be above 0, and "
            "until at least as long",
            key="release.every",
        )
    count = span / step
    if count > MOST_SNAPSHOTS:
        raise InputError(
            f"a snapshot every {step:g} until {span:g} makes {count:,.0f} of them: at most "
            f"{MOST_SNAPSHOTS:,} can be followed",
            key="release.every",
        )
    return Schedule(moment, step, _marks(marks, int(count * (1 + 1e-12))))


def densest(
    scenario: Scenario, until: float | None, shortest: float | None, usual: int
) -> tuple[float, int]:
    """How long snapshots go on, and how many there are at most, where that is yet to be chosen.

    What is None is as the scenario says; where no shortest time between snapshots is known, there
    are as many as usual.
    """
    span = scenario.release.until if until is None else check_time(until, "until")
    if not span:
        raise InputError(
            "how long it goes on is not said: a time is expected, or until in the scenario's "
            "[release]",
            key="release.until",
        )
    least = scenario.release.every if shortest is None else check_time(shortest, "every")
    if least is None:
        return span, usual
    if not 0 < least <= span or span / least > MOST_SNAPSHOTS:
        raise InputError(
            f"snapshots until {span:g} are to be {least:g} apart at least: a time above 0 and up "
            f"to {span:g} is expected, with at most {MOST_SNAPSHOTS:,} snapshots",
            key="release.every",
        )
    return span, int(span / least * (1 + 1e-12))


def _marks(given: Iterable[int] | None, count: int) -> tuple[int, ...]:
    """After how many snapshots something is said: the first and the last always.

    By default 1, 2, 5, 10, and all, half of them, a quarter, … down to twice ten.
    """
    listed = {1, count}
    if given is None:
        listed |= {n for n in _FIRST_SHOWN if n < count}
        while count >= 2 * _FIRST_SHOWN[-1]:
            listed.add(count)
            count //= 2
        return tuple(sorted(listed))
    for n in given:
        if not is_whole(n) or not 1 <= n <= count:
            raise InputError(
                f"{n!r:.40} snapshots were asked for: whole numbers from 1 to {count:,} are "
                "expected"
            )
        listed.add(int(n))
    return tuple(sorted(listed))
