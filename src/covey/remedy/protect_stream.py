"""What to publish again and again: how often, and through which table.

A table made for one glance does not protect a stream: fresh draws average out, and how the types
move is told by many of them. So every candidate, a time between publications and a table, is judged
by what its *stream* gives away (`stream`, with its confidence), and charged what its reader loses
at every moment, ageing included (`staleness`).

Candidates are so many publications in the span, 1, 2, 4, …, and for each the tables that cost
least for one glance at some ε. For each number of publications the largest ε is looked for whose
stream keeps to the target: a laxer table tells more, all but always. Fewer publications are looked
at only while they could cost less. What is found is the best of these, and not of everything that
could be done. It is judged once more, by paths that had no part in finding it; should that fail, a
stricter table is tried, and every further trial is given half the probability of being wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from covey.dynamics.engine import Engine
from covey.dynamics.limits import Limits
from covey.dynamics.question import Progress, check_time
from covey.errors import InputError, UnsupportedError
from covey.model.release_table import fingerprint
from covey.model.scenario import Scenario
from covey.numbers import distinct_rows
from covey.privacy.laws import TeamLaws, laws_by
from covey.privacy.published import released
from covey.privacy.schedule import MOST_GLANCES
from covey.privacy.stream import Stream, stream
from covey.remedy.losses import Loss
from covey.remedy.mechanism import Mechanism
from covey.remedy.protect import protected
from covey.remedy.staleness import Staleness
from covey.showing import Showing

Keeps = Callable[[int, float], bool]

_EPSILONS = (5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
_REFINED = 3  # halvings of the last step in ln ε
_FINEST = 480  # publications in the span, where no shortest time is given
_TRIALS = 6


@dataclass(frozen=True)
class StreamMechanism(Showing):
    """The cheapest way found to publish again and again that keeps to a target.

    Attributes:
        mechanism: The table; what it promises by itself is for one glance.
        every: The time from one publication to the next.
        until: How long they go on.
        target: How often an observer may be right in the end.
        stream: What all of them together give away; its bound is below the target.
        loss: What a reader loses at every moment on average, who takes the last value for the
            truth.
        tried: Times, ε, losses and the bound that was found, of all that was judged.
    """

    mechanism: Mechanism
    every: float
    until: float
    target: float
    stream: Stream
    loss: float
    tried: tuple[tuple[float, float, float, float], ...]

    def __str__(self) -> str:
        count, right = self.stream.glances[-1], self.stream.guess[-1]
        sure = "" if self.stream.method == "exact" else f" (confidence {self.stream.confidence:g})"
        return (
            f"Publish every {self.every:.6g} through this table, {count:,} "
            f"time{'s' * (count > 1)} until {self.until:g}: whoever has seen them all is right at "
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
    """How often to publish, and through which table, so that a stream keeps to a target.

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
    span, counts = _counts(scenario, every, until)
    plain = scenario.unpublished()
    engine = Engine(plain.network, limits)
    (laws,) = laws_by(engine, plain, ["steady"], progress)
    search = _Search(laws, Staleness(engine, plain, span / counts[-1], span), span, loss)

    def judged(found: Mechanism, count: int, own_seed: int, sure: float) -> Stream:
        return stream(
            plain,
            span / count,
            span,
            glances=[count],
            seen=partial(released, table=found.release),
            accuracy=accuracy,
            confidence=sure,
            seed=own_seed,
            cores=cores,
            limits=limits,
            progress=progress,
        )

    def keeps(count: int, epsilon: float) -> bool:
        found = search.table(count, epsilon)
        bound = judged(found, count, seed, confidence).guess[-1].upper
        search.tried.append((span / count, epsilon, found.loss, bound))
        return bound <= guess

    count, epsilon = search.cheapest(counts, keeps)
    for trial in range(1, _TRIALS + 1):
        found = search.table(count, epsilon)
        confirmed = judged(found, count, seed + trial, 1 - (1 - confidence) / 2**trial)
        if confirmed.guess[-1].upper <= guess:
            made_for = fingerprint(scenario, [scenario.team], ["steady"])
            made_for |= {"every": span / count, "until": span, "guess": guess}
            return StreamMechanism(
                replace(found, release=replace(found.release, made_for=made_for)),
                span / count,
                span,
                guess,
                confirmed,
                found.loss,
                tuple(search.tried),
            )
        epsilon *= 0.8
    raise InputError(
        f"nothing was found that certainly keeps to {guess:.1%}: allow more, or a finer accuracy",
        key="guess",
    )


class _Search:
    """Candidates: so many publications in the span, through a table for one glance at an ε."""

    def __init__(self, laws: TeamLaws, stale: Staleness, span: float, loss: Loss) -> None:
        self.laws, self.stale, self.span, self.loss = laws, stale, span, loss
        self.tried: list[tuple[float, float, float, float]] = []
        every = [law.outcomes for _, *pair in laws.pairs for law in pair]
        self.outcomes, _ = distinct_rows(np.concatenate(every))
        self._tables: dict[tuple[int, float], Mechanism] = {}
        self._losses: dict[int, Loss] = {}

    def table(self, count: int, epsilon: float) -> Mechanism:
        """The table that costs least where its values age for span / count."""
        if count not in self._losses:
            self._losses[count] = self.stale.aged(self.loss, self.span / count, self.outcomes)
        if (count, epsilon) not in self._tables:
            self._tables[count, epsilon] = protected([self.laws], epsilon, loss=self._losses[count])
        return self._tables[count, epsilon]

    def cheapest(self, counts: list[int], keeps: Keeps) -> tuple[int, float]:
        """Of all that keeps to the target, what costs least: how many publications, and ε."""
        best, least = None, math.inf
        for count in reversed(counts):
            if self.table(count, _EPSILONS[0]).loss >= least:
                break  # fewer publications age more, through any table
            if not keeps(count, _EPSILONS[-1]):
                continue
            epsilon = self._laxest(count, keeps)
            if self.table(count, epsilon).loss < least:
                best, least = (count, epsilon), self.table(count, epsilon).loss
        if best is None:
            raise InputError(
                "nothing of what was tried keeps to the target: allow more, or publish nothing",
                key="guess",
            )
        return best

    def _laxest(self, count: int, keeps: Keeps) -> float:
        """The largest ε that keeps to the target: on the grid, and then between; the last does."""
        fails, holds = -1, len(_EPSILONS) - 1
        while holds - fails > 1:
            middle = (fails + holds) // 2
            fails, holds = (fails, middle) if keeps(count, _EPSILONS[middle]) else (middle, holds)
        low, high = math.log(_EPSILONS[holds]), math.log(_EPSILONS[max(fails, 0)])
        for _ in range(_REFINED if fails >= 0 else 0):
            middle_log = (low + high) / 2
            kept = keeps(count, math.exp(middle_log))
            low, high = (middle_log, high) if kept else (low, middle_log)
        return math.exp(low)


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


def _counts(
    scenario: Scenario, every: float | None, until: float | None
) -> tuple[float, list[int]]:
    """How long it goes on, and how many publications are tried in it: 1, 2, 4, … and the most."""
    span = scenario.release.until if until is None else check_time(until, "until")
    if not span:
        raise InputError(
            "how long it is published is not said: a time is expected (--for), or until in the "
            "scenario's [release]",
            key="release.until",
        )
    least = scenario.release.every if every is None else check_time(every, "every")
    least = span / _FINEST if least is None else least
    if not 0 < least <= span or span / least > MOST_GLANCES:
        raise InputError(
            f"publications until {span:g} are to be {least:g} apart at least: a time above 0 and "
            f"up to {span:g} is expected, with at most {MOST_GLANCES:,} of them",
            key="release.every",
        )
    most = int(span / least * (1 + 1e-12))
    doubled = [2**k for k in range(most.bit_length()) if 2**k < most]
    return span, [*doubled, most]
