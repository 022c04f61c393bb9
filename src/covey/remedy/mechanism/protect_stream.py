"""What to publish again and again: how often, through which table, and with what memory.

A table made for one snapshot does not protect a stream: fresh draws average out, and how the types
move is told by many of them. So every candidate, a time between publications, a table and a memory,
is judged by what its *stream* gives away (`stream`, with its confidence), and charged what its
reader loses at every moment, ageing included (`staleness`).

What the candidates are, and how the cheapest of them is found that keeps to a target, is said in
`stream_search`. What is found is judged once more, by paths that had no part in finding it; should
that fail, a stricter table is tried. Every further trial is given half the probability of being
wrong, so that the confidence is that of all trials together.

Two other memories are not candidates. A **delay** gains nothing: the feed of a team at rest has the
same distribution however late it comes, so that it tells as much, and costs more. A **mean** over
an interval is a function of the snapshots in it, and so tells at most what they do; but it tells
more than the one value that it would replace, as the chance in which a type hides is averaged out,
and is a worse guess at what is there next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, UnsupportedError
from covey.model.following import refuse_following
from covey.model.scenario import Scenario
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.privacy.stream.confidence import confidence_of_try
from covey.privacy.stream.problem import Sampling, StreamProblem
from covey.privacy.stream.schedule import densest, schedule
from covey.privacy.stream.stream import Stream, stream_by
from covey.remedy.mechanism.losses import Loss
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.staleness import Staleness, check_few
from covey.remedy.mechanism.stream_search import StreamSearch, Tried, Way
from covey.showing import Drawing
from covey.words import each, percent, shown

_FINEST = 480  # publications in the span, where no shortest time is given
_TRIALS = 6


@dataclass(frozen=True)
class StreamMechanism(Drawing):
    """The cheapest way found to publish again and again that keeps to a target.

    Attributes:
        mechanism: The table; what it promises by itself is for one snapshot.
        every: The time from one publication to the next.
        until: How long they go on.
        target: How often an observer may be right in the end.
        stream: What all of them together give away; its bound is below the target. Its confidence
            is that of the whole search.
        loss: What a reader loses at every moment on average, who takes the last value for the
            truth.
        tried: All that was judged by its stream.
    """

    mechanism: Mechanism
    every: float
    until: float
    target: float
    stream: Stream
    loss: float
    tried: tuple[Tried, ...]

    @property
    def hold(self) -> int:
        """The last value is published again while the truth is off it by fewer robots; 0: never."""
        return self.mechanism.release.hold

    def __str__(self) -> str:
        count, right = self.stream.snapshots[-1], self.stream.bayes_success[-1]
        held = f", the last value again while it is off by less than {self.hold}" * bool(self.hold)
        sure = f" ({self.stream.sampled})" if self.stream.sampled else ""
        if (always := self.mechanism.release.constant) is not None:
            return (
                f"Nothing that was tried and keeps to {percent(self.target)} costs less than a "
                f"constant: {shown(always)}, whatever is there. That gives nothing away, and "
                f"tells nothing; it is off by {self.loss:.3g} on average."
            )
        return (
            f"Publish one snapshot {each(self.every, self.stream.unit)} through this "
            f"table, {count:,} in all{held}: someone who has seen "
            f"{'it' if count == 1 else 'them all'} is right at most {percent(right.upper, 'up')} "
            f"of the time{sure}. The target was {percent(self.target)}. What is published is off "
            f"by {self.loss:.3g} on average, at every moment until the next."
        )


def protect_stream(
    scenario: Scenario,
    every: float | None = None,
    until: float | None = None,
    *,
    guess: float,
    loss: Loss = "l1",
    accuracy: float = 0.03,
    confidence: float = 0.95,
    seed: int = 0,
    cores: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> StreamMechanism:
    """How often to publish, through which table and memory, so that a stream keeps to a target.

    Args:
        scenario: The team, its network, and what is seen of it; the team has settled.
        every: The shortest time between publications that is of use; by default that of the
            scenario's [release], else a 480th of `until`.
        until: How long they go on; by default as [release] says.
        guess: How often an observer who has seen them all may be right, from 0.5 to 1.
        loss: What an error costs, as `protect` takes it by name or by weights.
        accuracy: How near total variations are to be known.
        confidence: With which the answer holds, between 0 and 1.
        seed: Of the paths.
        cores: Threads to compute on; by default one on each core.
        limits: How to compute: which method for one snapshot, on how many states.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    _check(scenario, guess)
    span, most = densest(scenario, until, every, _FINEST)
    counts = [*(2**k for k in range(most.bit_length()) if 2**k < most), most]
    plain = scenario.unpublished()
    solver = Solver(plain.network, limits)
    check_few(solver, plain)
    (distributions,) = distributions_by(solver, plain, ["steady"], progress)
    search = StreamSearch(
        distributions, Staleness(solver, plain, [span / n for n in counts]), span, loss
    )

    def judged(way: Way, own_seed: int, sure: float) -> Stream:
        published = plain.with_({"release.mechanism": search.table(way).release}, warn=False)
        looks = schedule(published, span / way.times, span, None, [way.times])
        sampling = Sampling(accuracy, sure, seed=own_seed, cores=cores)
        return stream_by(solver, StreamProblem(published, looks, sampling), progress)

    def keeps(way: Way) -> bool:
        bound = judged(way, seed, confidence).bayes_success[-1].upper
        search.tried.append(Tried(span / way.times, way.epsilon, search.loss(way), bound, way.hold))
        return bound <= guess

    way = search.cheapest(counts, keeps)
    for hold in search.holds:  # what a memory does to it, whether or not that was worth a look
        if not search.was_tried(other := way._replace(hold=hold)):
            keeps(other)
    for trial in range(1, _TRIALS + 1):
        confirmed = judged(way, seed + trial, confidence_of_try(confidence, trial))
        if confirmed.bayes_success[-1].upper <= guess:
            made_for = scenario.fingerprint([scenario.team], ["steady"])
            made_for |= {"every": span / way.times, "until": span, "guess": guess}
            return _found(search, way, replace(confirmed, confidence=confidence), made_for)
        way = way._replace(epsilon=0.8 * way.epsilon)
    raise InputError(
        f"nothing was found that certainly keeps to {guess:.1%}: allow more, or a finer accuracy",
        key="guess",
    )


def _found(
    search: StreamSearch, way: Way, confirmed: Stream, made_for: dict[str, Any]
) -> StreamMechanism:
    table = search.table(way)
    return StreamMechanism(
        replace(table, release=replace(table.release, made_for=made_for)),
        made_for["every"],
        made_for["until"],
        made_for["guess"],
        confirmed,
        search.loss(way),
        tuple(search.tried),
    )


def _check(scenario: Scenario, guess: float) -> None:
    refuse_following(scenario, "a table for a stream")
    if isinstance(guess, bool) or not 0.5 < guess <= 1:
        raise InputError(
            f"an observer is to be right at most {guess!r:.40} of the time: a number above 0.5 (a "
            "coin) and up to 1 is expected"
        )
    if scenario.adversary.at != "steady":
        raise UnsupportedError(
            "a stream is protected of a team that has settled: the adversary looks at "
            f"{scenario.adversary.at:g}, and adversary.at must be steady (--at steady)"
        )
