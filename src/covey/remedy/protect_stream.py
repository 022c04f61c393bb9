"""What to publish again and again: how often, through which table, and with what memory.

A table made for one glance does not protect a stream: fresh draws average out, and how the types
move is told by many of them. So every candidate, a time between publications, a table and a memory,
is judged by what its *stream* gives away (`stream`, with its confidence), and charged what its
reader loses at every moment, ageing included (`staleness`).

Candidates are so many publications in the span, 1, 2, 4, …, and for each the tables that cost
least for one glance at some ε, drawn from anew each time, or with the last value held as long as
the truth is within a step of it, or two. For each number and memory the largest ε is looked for
whose stream keeps to the target: a laxer table tells more, all but always. What could not cost less
than what was found so far is not looked at. The answer is the best of these, and not of everything
that could be done. It is judged once more, by paths that had no part in finding it; should that
fail, a stricter table is tried, and every further trial is given half the probability of being
wrong.

Two other memories are not candidates. A **delay** gains nothing: the feed of a team at rest has the
same law however late it comes, so that it tells as much, and costs more. A **mean** over an
interval is a function of the glances in it, and so tells at most what they do; but it tells more
than the one value that it would replace, as the chance in which a type hides is averaged out, and
is a worse guess at what is there next.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from covey.dynamics.engine import Engine
from covey.dynamics.limits import Limits
from covey.dynamics.question import Progress
from covey.errors import InputError, UnsupportedError
from covey.model.release_table import fingerprint
from covey.model.scenario import Scenario
from covey.numbers import distinct_rows
from covey.privacy.laws import TeamLaws, laws_by
from covey.privacy.schedule import densest
from covey.privacy.stream import Stream, stream
from covey.remedy.losses import Loss, losses_of
from covey.remedy.mechanism import Mechanism
from covey.remedy.protect import protected
from covey.remedy.staleness import Staleness
from covey.showing import Drawing

_EPSILONS = (5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
_REFINED = 3  # times that the last step in ε is halved, as a factor
_FINEST = 480  # publications in the span, where no shortest time is given
_STEPS = (1, 2)  # that the truth may be away from a value that is held
_TRIALS = 6


class Tried(NamedTuple):
    """One way to publish a stream, and what was found of it.

    Attributes:
        every: The time from one publication to the next.
        epsilon: That of its table, for one glance.
        loss: What its reader loses.
        guess: How often an observer is right in the end, at most.
        hold: The last value is published again while the truth is off it by fewer robots.
    """

    every: float
    epsilon: float
    loss: float
    guess: float
    hold: int = 0


@dataclass(frozen=True)
class StreamMechanism(Drawing):
    """The cheapest way found to publish again and again that keeps to a target.

    Attributes:
        mechanism: The table; what it promises by itself is for one glance.
        every: The time from one publication to the next.
        until: How long they go on.
        target: How often an observer may be right in the end.
        stream: What all of them together give away; its bound is below the target.
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
        count, right = self.stream.glances[-1], self.stream.guess[-1]
        held = f", the last value again while it is off by less than {self.hold}" * bool(self.hold)
        sure = "" if self.stream.method == "exact" else f" (confidence {self.stream.confidence:g})"
        return (
            f"Publish every {self.every:.6g} through this table, {count:,} "
            f"time{'s' * (count > 1)} until {self.until:g}{held}: whoever has seen them all is "
            "right at "
            f"most {right.upper:.1%} of the time{sure}, {self.target:.1%} being allowed, and what "
            f"is published is off by {self.loss:.3g} on average, at every moment until the next."
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
    """How often to publish, through which table and with what memory, so that a stream is safe.

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
        limits: How to compute: which method for one glance, on how many states.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    _check(scenario, guess)
    span, most = densest(scenario, until, every, _FINEST)
    counts = [*(2**k for k in range(most.bit_length()) if 2**k < most), most]
    plain = scenario.unpublished()
    engine = Engine(plain.network, limits)
    (laws,) = laws_by(engine, plain, ["steady"], progress)
    search = _Search(laws, Staleness(engine, plain, [span / n for n in counts]), span, loss)

    def judged(way: _Way, own_seed: int, sure: float) -> Stream:
        table = search.table(way).release
        return stream(
            plain.with_({"release.mechanism": table}, warn=False),
            span / way.times,
            span,
            glances=[way.times],
            accuracy=accuracy,
            confidence=sure,
            seed=own_seed,
            cores=cores,
            limits=limits,
            progress=progress,
        )

    def keeps(way: _Way) -> bool:
        bound = judged(way, seed, confidence).guess[-1].upper
        search.tried.append(Tried(span / way.times, way.epsilon, search.loss(way), bound, way.hold))
        return bound <= guess

    way = search.cheapest(counts, keeps)
    for hold in search.holds:  # what a memory does to it, whether or not that was worth a look
        if not search.was_tried(other := way._replace(hold=hold)):
            keeps(other)
    for trial in range(1, _TRIALS + 1):
        confirmed = judged(way, seed + trial, 1 - (1 - confidence) / 2**trial)
        if confirmed.guess[-1].upper <= guess:
            made_for = fingerprint(scenario, [scenario.team], ["steady"])
            made_for |= {"every": span / way.times, "until": span, "guess": guess}
            found = search.table(way)
            return StreamMechanism(
                replace(found, release=replace(found.release, made_for=made_for)),
                span / way.times,
                span,
                guess,
                confirmed,
                search.loss(way),
                tuple(search.tried),
            )
        way = way._replace(epsilon=0.8 * way.epsilon)
    raise InputError(
        f"nothing was found that certainly keeps to {guess:.1%}: allow more, or a finer accuracy",
        key="guess",
    )


class _Way(NamedTuple):
    """So many publications in the span, through a table for one glance at an ε, with a memory."""

    times: int
    epsilon: float
    hold: int


class _Search:
    """The ways to publish, with their tables and what they cost."""

    def __init__(self, laws: TeamLaws, stale: Staleness, span: float, loss: Loss) -> None:
        self.laws, self.stale, self.span, self._loss = laws, stale, span, loss
        self.tried: list[Tried] = []
        every = [law.outcomes for _, *pair in laws.pairs for law in pair]
        self.outcomes, _ = distinct_rows(np.concatenate(every))
        self._tables: dict[tuple[int, float], Mechanism] = {}
        self._aged: dict[int, Loss] = {}

    @property
    def holds(self) -> list[int]:
        """No memory, and values that are held while the truth is so many steps away at most."""
        away = losses_of("l1", self.stale.names, self.outcomes, self.outcomes)
        step = int(away[away > 0].min(initial=math.inf)) if (away > 0).any() else 0
        return [0, *(step * k + 1 for k in _STEPS if step)]

    def was_tried(self, way: _Way) -> bool:
        """Whether its stream was judged."""
        looked_at = (self.span / way.times, way.epsilon, way.hold)
        return any((one.every, one.epsilon, one.hold) == looked_at for one in self.tried)

    def table(self, way: _Way) -> Mechanism:
        """The table that costs least where its values age for span / count, with the memory."""
        count, epsilon, hold = way
        if count not in self._aged:
            self._aged[count] = self.stale.aged(self._loss, self.span / count, self.outcomes)
        if (count, epsilon) not in self._tables:
            self._tables[count, epsilon] = protected([self.laws], epsilon, loss=self._aged[count])
        found = self._tables[count, epsilon]
        return replace(found, release=replace(found.release, hold=hold)) if hold else found

    def loss(self, way: _Way) -> float:
        """What its reader loses."""
        found, every = self.table(way), self.span / way.times
        if not way.hold:
            return found.loss
        return self.stale.cost(self._loss, every, found.release, way.times)

    def cheapest(self, counts: list[int], keeps: Callable[[_Way], bool]) -> _Way:
        """Of all that keeps to the target, what costs least."""
        best, least = None, math.inf
        for hold in self.holds:
            for count in reversed(counts):
                way = _Way(count, _EPSILONS[0], hold)
                if self.loss(way) >= least:
                    break  # fewer publications age more, through any table
                found = self._laxest(way, keeps, least)
                if found is not None and self.loss(found) < least:
                    best, least = found, self.loss(found)
        if best is None:
            raise InputError(
                "nothing of what was tried keeps to the target: allow more, or publish nothing",
                key="guess",
            )
        return best

    def _laxest(self, way: _Way, keeps: Callable[[_Way], bool], least: float) -> _Way | None:
        """The same with the largest ε that keeps to the target, on the grid and then between.

        Only tables that lose less than `least` are looked at: None where none of them keeps to it.
        """
        ways = [way._replace(epsilon=epsilon) for epsilon in _EPSILONS]
        lax = bisect_left(ways, True, key=lambda one: self.loss(one) >= least)  # how many do
        holds = lax - 1
        if not keeps(ways[holds]):
            return None
        fails = -1
        while holds - fails > 1:
            middle = (fails + holds) // 2
            fails, holds = (fails, middle) if keeps(ways[middle]) else (middle, holds)
        low, high = _EPSILONS[holds], _EPSILONS[max(fails, 0)]
        for _ in range(_REFINED if fails >= 0 else 0):
            between = way._replace(epsilon=math.sqrt(low * high))
            low, high = (between.epsilon, high) if keeps(between) else (low, between.epsilon)
        return way._replace(epsilon=low)


def _check(scenario: Scenario, guess: float) -> None:
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
