"""When something is there for the first time: the distribution of a first passage time.

The states in which a condition does not hold, as far as they can be reached without passing one in
which it does, are followed; whoever comes to one in which it holds stays there. With p the
distribution of that chain, by uniformisation or long steps,

    P(T <= t) = what has come to stay by t  =  1 − Σ p_x(t) over the states that are followed,

and both sides are known with a small relative error: the first is sharp where little has happened
yet, the second where little is left. The mean is the expected time spent in the states that are
followed, E T = Σ s_x with −K s = p(0) on them (see `stationary/absorption`), which is solved with a
certificate. Where some of them do not lead to the condition, it need not ever hold: the mean is
infinite, and the probability that it ever does is that of not ending among those.

Beyond the first passage nothing is followed, so that there may be infinitely many states there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.ctmc.propensity import state_text
from covey.dynamics.ctmc.uniformization import TransientResult, transient
from covey.dynamics.limits import Limits
from covey.dynamics.memory import bytes_per_state, fitting_states, free_memory
from covey.dynamics.state_space.enumeration import explore
from covey.dynamics.state_space.truncated_chain import TruncatedChain
from covey.dynamics.stationary.absorption import class_weights, log_sojourn_times
from covey.dynamics.stationary.communicating_classes import closed_classes, leading_to
from covey.dynamics.validation import Progress, check_times
from covey.errors import CoveyError, InputError, TooLargeError, shown
from covey.model.rate_laws.condition import Condition
from covey.model.scenario import Scenario
from covey.numbers import LOST, UNIT, Floats, is_whole
from covey.showing import Drawing
from covey.tabular import Tabular
from covey.words import lasting, rounded

_MEMORY = 1 / 3  # of what chains elsewhere take: here moves are listed, and there are two of them
_MOST_MEMORY = 1 << 31  # bytes that are taken without being asked
_SHARED = 30  # states that lead to one of those in which those who have come stay: rows are short


@dataclass(frozen=True)
class FirstPassage(Drawing, Tabular):
    """The distribution of the time until a condition holds for the first time.

    Attributes:
        condition: What is waited for, as it was written.
        times: By when it may hold, (times,).
        probability: That it has held by then, (times,).
        lower: It is at least that, (times,).
        upper: And at most that, (times,).
        mean: The expected time; infinite where it need not ever hold, not a number where it cannot
            be bounded.
        mean_interval: Between what the mean certainly lies.
        ever: Between what the probability lies that it ever holds.
        why: Why the mean is infinite or not known, or why there are no times that nobody asked for;
            else empty.
        states: How many states were followed.
        unit: The unit of time, where the scenario says it.
    """

    condition: str
    times: tuple[float, ...]
    probability: Floats
    lower: Floats
    upper: Floats
    mean: float
    mean_interval: tuple[float, float]
    ever: tuple[float, float]
    why: str
    states: int
    unit: str | None = None

    @property
    def table_columns(self) -> dict[str, list[float]]:
        """A row for each time."""
        columns = {"probability": self.probability, "lower": self.lower, "upper": self.upper}
        return {"time": list(self.times)} | {name: one.tolist() for name, one in columns.items()}

    def __str__(self) -> str:
        if self.mean == 0:
            return f"{self.condition} holds at the start."
        if self.ever[1] == 0:
            return f"{self.condition} never holds: {self.why}."
        by = ""
        if self.times:
            by = f" Within {lasting(self.times[-1], self.unit)} it has held with probability "
            by += f"{rounded(float(self.probability[-1]), '.4g')}."
        if math.isfinite(self.mean):
            more = f" More is not known {self.why}" if self.why else by
            after = f"after {lasting(self.mean, self.unit)} on average"
            return f"{self.condition} holds for the first time {after}.{more}"
        if math.isnan(self.mean):
            return f"The mean time until {self.condition} is not known: {self.why}{by}"
        ever = rounded(sum(self.ever) / 2, ".4g")
        return f"{self.condition} ever holds with probability {ever}: {self.why}.{by}"


def first_passage(
    scenario: Scenario,
    condition: str,
    times: Iterable[float] | None = None,
    *,
    points: int = 21,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> FirstPassage:
    """How long it takes until a condition holds for the first time, counted from the start.

    Args:
        scenario: The team, its network, and what is seen of it.
        condition: Comparisons of counts, of observed sums or species, joined by and, or, not:
            `driving <= 1 and {dock} == 0`.
        times: By when, in increasing order; by default evenly until the adversary looks or, where
            that is at steady state, until three times the mean.
        points: How many times that are, from 0 on.
        limits: How many states are allowed; there is one method only, and it leaves nothing out.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    asked = Condition.parse(condition, scenario)
    moments = None if times is None else check_times(times)
    if not (is_whole(points) and points >= 2):
        raise InputError(f"points is {shown(points)}: a whole number from 2 on is expected")
    if asked.holds(scenario.start[None]).all():
        listed = _times(scenario, moments, points, 0.0)
        one = np.ones(len(listed))
        return FirstPassage(
            asked.text, tuple(listed.tolist()), one, one, one, 0.0, (0.0, 0.0), (1.0, 1.0), "", 0,
            scenario.unit,
        )  # fmt: skip
    passage = _Passage.of(scenario, asked, (limits or Limits()).max_states, progress)
    mean, interval, ever, why = passage.mean(progress)
    listed = _times(scenario, moments, points, mean)
    try:
        probability, lower, upper = passage.by(listed, progress)
    except CoveyError as error:
        if moments is not None or scenario.adversary.at != "steady":
            raise
        listed, (probability, lower, upper) = np.empty(0), np.empty((3, 0))
        why = f"of its distribution: {error.message}"
    return FirstPassage(
        asked.text, tuple(listed.tolist()), probability, lower, upper, mean, interval, ever, why,
        len(passage.chain), scenario.unit,
    )  # fmt: skip


def _times(scenario: Scenario, given: Floats | None, points: int, mean: float) -> Floats:
    """Those that are asked for."""
    if given is not None:
        return given
    at = scenario.adversary.at
    until = 3 * mean if at == "steady" else at
    return np.linspace(0.0, until, points) if 0 < until < math.inf else np.empty(0)


@dataclass(frozen=True, eq=False)
class _Passage:
    """The states that are followed, and how fast each leads to where the condition holds."""

    condition: str
    chain: TruncatedChain
    start: int

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        condition: Condition,
        max_states: int | None,
        progress: Progress | None,
    ) -> _Passage:
        """That of a scenario's team; refused where too many states come before."""
        network = scenario.network
        fitting = fitting_states(network, _MEMORY)
        unasked = int(_MOST_MEMORY * _MEMORY / bytes_per_state(network))
        most = max_states or min(fitting, unasked)
        try:
            lattice = explore(
                network, scenario.start, max_states=most, ends=condition.holds, progress=progress
            )
        except TooLargeError as error:
            raise TooLargeError(
                f"more than {most:,} states are passed before {condition.text}: take a smaller "
                "team, or ask for a condition that holds sooner",
                states=error.states,
                larger=("max_states",) if most < fitting else (),
            ) from None
        chain = TruncatedChain.of(network, lattice.states.astype(np.int64))
        (start,) = chain.index.index_of(scenario.start[None]).tolist()
        return cls(condition.text, chain, start)

    def ending(self, places: int) -> tuple[Generator, Floats]:
        """The chain with so many states more in which those stay who have come; and its start."""
        K, leaving = self.chain.generator, self.chain.leaving
        n, out = len(K), np.flatnonzero(leaving)
        parts = [
            Transitions(K.indices, K.targets, K.rates),
            Transitions(out, n + np.arange(len(out)) % places, leaving[out]),
        ]
        initial = np.zeros(n + places)
        initial[self.start] = 1.0
        return Generator.from_transitions(parts, np.append(K.exits, np.zeros(places))), initial

    def by(self, times: Floats, progress: Progress | None) -> tuple[Floats, Floats, Floats]:
        """The probability of having come by each time, and its bounds."""
        out = int(np.count_nonzero(self.chain.leaving))
        if not out or not len(times):
            none = np.zeros(len(times))
            return none, none, none
        if 24 * len(times) * len(self.chain) > free_memory() / 2:
            raise TooLargeError(
                f"{len(times):,} times of {len(self.chain):,} states do not fit into memory: ask "
                "for fewer times"
            )
        generator, initial = self.ending(-(-out // _SHARED))
        # In units of time in which no rate is beyond what steps are made for; a power of two.
        unit = 2.0 ** math.frexp(float(generator.exits.max()))[1]
        scaled = replace(generator, stored=generator.rates / unit, exits=generator.exits / unit)
        found = transient(scaled, initial, times * unit, progress=progress)
        return _between(found, len(self.chain))

    def mean(
        self, progress: Progress | None
    ) -> tuple[float, tuple[float, float], tuple[float, float], str]:
        """The expected time and its bounds; those of ever coming; why it is no number."""
        generator, initial = self.ending(1)
        n, endless = len(self.chain), (math.inf, math.inf)
        stuck = ~leading_to(generator, n)
        if stuck.any():
            ever = self._ever(generator, initial)
            one = state_text(self.chain.network, self.chain.states[int(np.argmax(stuck))])
            why = f"states such as {one} do not lead there"
            return (
                math.inf,
                endless,
                ever,
                why if ever[1] > 0 else "it holds in no state that is reached",
            )
        try:
            logs, error = log_sojourn_times(
                generator, initial, np.arange(n + 1) < n, progress=progress
            )
        except CoveyError as reason:
            return math.nan, (0.0, math.inf), (1.0, 1.0), reason.message
        with np.errstate(under="ignore", over="ignore"):
            total = float(np.exp(logs[:n]).sum())
        error += UNIT * (n + 8)
        return total, (total * math.exp(-error), total * math.exp(error)), (1.0, 1.0), ""

    def _ever(self, generator: Generator, initial: Floats) -> tuple[float, float]:
        """Bounds on the probability that the condition ever holds."""
        last = len(generator) - 1
        classes = closed_classes(generator, initial)
        ours = [members[0] == last for members in classes]
        if not any(ours):
            return 0.0, 0.0
        ending = class_weights(generator, initial, classes)
        weights = np.exp(ending.log_weights)
        seen, other = float(weights[ours].sum()), float(weights[np.logical_not(ours)].sum())
        off = ending.log_error + 8 * UNIT
        lower = max(seen * math.exp(-off), 1 - other * math.exp(off))
        return max(lower, 0.0), min(seen * math.exp(off), 1 - other * math.exp(-off), 1.0)


def _between(found: TransientResult, followed: int) -> tuple[Floats, Floats, Floats]:
    """The share of those who have come, at each time, and its bounds from both sides."""
    p, n = found.probabilities, found.scaled.shape[1]
    come, left = p[:, followed:].sum(axis=1), p[:, :followed].sum(axis=1)
    off = np.exp(found.log_error + UNIT * (n + 8))
    lost = LOST * found.lost
    lower = np.maximum(come / off, 1 - left * off - lost - 2 * UNIT)
    upper = np.minimum(come * off + lost, 1 - left / off + 2 * UNIT)
    lower, upper = np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)
    return np.clip(come, lower, upper), lower, upper
