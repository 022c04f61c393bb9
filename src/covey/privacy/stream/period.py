"""How often may it be published, so that an observer is right at most so often in the end?

The same span with more snapshots in it tells more: certainly where the fewer are among the more,
and all but always otherwise. So the number of snapshots is halved in on, each judged by its own
stream; and the one that is found is judged once more, by paths that had no part in finding it.
Should that fail, fewer snapshots are tried. The k-th such try may be wrong with probability (1 −
c)/2^k, so that all of them together are with 1 − c at most: c is the confidence of the answer,
however many tries it took, and no single try's.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import count as count_from

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.executors import Workers
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.privacy.snapshot.channel import Reporting
from covey.privacy.stream.confidence import confidence_of_try
from covey.privacy.stream.problem import ACCURACY, Sampling, StreamProblem
from covey.privacy.stream.schedule import densest, schedule
from covey.privacy.stream.stream import Stream, stream_by
from covey.showing import Showing
from covey.words import lasting, percent

_FINEST = 1000  # snapshots in the span at most, where no shortest time between them is given


@dataclass(frozen=True)
class Period(Showing):
    """The shortest time between snapshots that keeps to a target, of those that were tried.

    Attributes:
        until: How long the snapshots go on.
        target: How often an observer may be right in the end.
        stream: What snapshots so far apart tell; its bound is below the target. Its confidence is
            that of the whole search.
        tried: Times between snapshots that were tried, with the bound on how often an observer is
            right in the end; each by itself with that confidence.
    """

    until: float
    target: float
    stream: Stream
    tried: tuple[tuple[float, float], ...]

    @property
    def every(self) -> float:
        """The time between snapshots."""
        return self.stream.every

    def __str__(self) -> str:
        count, right = self.stream.snapshots[-1], self.stream.bayes_success[-1]
        span = lasting(self.every, self.stream.unit)
        sure = f" ({self.stream.sampled})" if self.stream.sampled else ""
        return (
            f"Publish one snapshot every {span}, {count:,} in all: someone who has seen "
            f"{'it' if count == 1 else 'them all'} is right {percent(right.value)} of the time, at "
            f"most {percent(right.upper, 'up')}{sure}. The target was {percent(self.target)}."
        )


def period(
    scenario: Scenario,
    until: float | None = None,
    *,
    guess: float,
    shortest: float | None = None,
    at: Moment | None = None,
    seen: Reporting | None = None,
    accuracy: float = ACCURACY,
    confidence: float = 0.95,
    seed: int = 0,
    cores: int | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Period:
    """How often may a team be looked at, so that an observer is right at most so often in the end?

    Args:
        scenario: The team, its network, and what is seen of it.
        until: How long the snapshots go on; by default as the scenario's [release] says.
        guess: How often an observer may be right, from 0.5 to 1.
        shortest: The shortest time between snapshots that is of use; by default that of [release],
            else a thousandth of `until`.
        at: When the first snapshot is: a time, or "steady"; by default when the adversary looks.
        seen: What is reported of what is there, as `stream` takes it.
        accuracy: How near total variations are to be known.
        confidence: With which the answer holds, between 0 and 1.
        seed: Of the paths.
        cores: Threads to compute on; by default one on each core.
        executor: Who draws paths, such as a Dask cluster's; by default threads of this process.
        workers: How many the executor has.
        limits: How to compute: which method for one snapshot, on how many states.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    _check_guess(guess)
    hired = None if executor is None else Workers.of(executor, workers)
    span, most = densest(scenario, until, shortest, _FINEST)
    solver, tried = Solver(scenario.network, limits), dict[int, Stream]()

    def judged(count: int, sure: float, own_seed: int) -> Stream:
        looks = schedule(scenario, span / count, span, at, [count])
        sampling = Sampling(accuracy, sure, seed=own_seed, cores=cores)
        problem = StreamProblem(scenario, looks, sampling, seen=seen, workers=hired)
        return stream_by(solver, problem, progress)

    def keeps(count: int) -> bool:
        if count not in tried:
            tried[count] = judged(count, confidence, seed)
        return tried[count].bayes_success[-1].upper <= guess

    if not keeps(1):
        raise InputError(
            "after one snapshot alone an observer is right "
            f"{tried[1].bayes_success[0].value:.1%} of the "
            f"time: no time between snapshots keeps to {guess:.1%}. Publish less, as coarser "
            "counts, or allow more"
        )
    count = most if keeps(most) else _last_kept(keeps, most)
    for trial in count_from(1):
        found = judged(count, confidence_of_try(confidence, trial), seed + trial)
        if found.bayes_success[-1].upper <= guess or count == 1:
            break
        count = max(count - max(count // 20, 1), 1)
    listed = tuple((s.every, s.bayes_success[-1].upper) for _, s in sorted(tried.items()))
    return Period(span, guess, replace(found, confidence=confidence), listed)


def _check_guess(guess: float) -> None:
    if isinstance(guess, bool) or not 0.5 <= guess <= 1:
        raise InputError(
            f"an observer is to be right at most {guess!r:.40} of the time: a number from 0.5 (a "
            "coin) to 1 is expected"
        )


def _last_kept(keeps: Callable[[int], bool], most: int) -> int:
    """The largest number of snapshots that keeps to the target; one does, `most` does not."""
    low, high = 1, most
    while high - low > max(low // 50, 1):
        middle = (low + high) // 2 if high < 4 * low else int((low * high) ** 0.5)
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low
