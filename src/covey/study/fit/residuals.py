"""Does the model fit the log? The residuals of a point process, reaction by reaction.

Every reaction's events are put on a clock that runs as fast as the model says it happens (`steps`).
There they are a Poisson process of rate 1, so that the times between them are exponential, and come
no more often and no earlier than that (`exponential_test`). What does not fit is named: a reaction
that happens too often, that drifts, or whose times have shorter or longer tails than exponential
ones. All tests together are wrong with at most the level (Holm).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from covey.dynamics.ssa.simulation import EventLog
from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from covey.privacy.stream.confidence import check_confidence
from covey.showing import Drawing
from covey.study.fit.exponential_test import drift_chance, holm, rate_chance, shape_chance
from covey.study.fit.fit import whole_log
from covey.study.fit.logs.feeds.sources import Source
from covey.study.fit.logs.log import Log
from covey.study.fit.logs.reading import Reading
from covey.study.fit.steps import StepTally
from covey.study.fit.task import Task
from covey.tabular import Tabular, columns_of

_FEWEST = 8  # events whose times are tested
_EVEN, _UNEVEN = 0.95, 1.05  # spreads that are called smaller and larger than exponential


@dataclass(frozen=True)
class Residual:
    """One reaction, or several that events do not tell apart.

    Attributes:
        reaction: Which.
        activity: What its robots are seen to do until it happens; empty where that has no name.
        events: How often it happened.
        expected: How often the model expects it in the states that the team was in.
        spread: Of the times between events over their mean, counted in what is expected: 1 where
            they are exponential; nan where there are too few.
        rate: How odd the number of events is: a p-value, as all three with Holm's correction; nan
            where none was possible.
        drift: How odd it is when they came, early or late; nan where there are too few.
        shape: How odd the times between them are; nan where there are too few.
        says: What does not fit, in words; empty where everything does.
        gaps: The times between events, in expected events.
    """

    reaction: str
    activity: str
    events: int
    expected: float
    spread: float
    rate: float
    drift: float
    shape: float
    says: tuple[str, ...]
    gaps: Floats = field(repr=False, compare=False)

    @property
    def label(self) -> str:
        """What is seen until it happens, and which reaction it is."""
        return f"{self.activity} ({self.reaction})" if self.activity else self.reaction


@dataclass(frozen=True)
class Residuals(Drawing, Tabular):
    """Whether a model fits a log of events, and what does not.

    Attributes:
        of: Every reaction.
        level: Of all tests together: how often one is wrong at most.
        runs: How many runs the log has.
        duration: Of all runs together.
        notes: What to know.
    """

    of: tuple[Residual, ...]
    level: float
    runs: int
    duration: float
    notes: tuple[str, ...]

    @property
    def misfits(self) -> tuple[Residual, ...]:
        """What does not fit."""
        return tuple(one for one in self.of if one.says)

    @property
    def fits(self) -> bool:
        """Whether nothing speaks against the model, at the level."""
        return not self.misfits

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each reaction."""
        names = ("reaction", "events", "expected", "spread", "rate", "drift", "shape")
        return columns_of(
            {**{name: getattr(one, name) for name in names}, "says": "; ".join(one.says)}
            for one in self.of
        )

    def __str__(self) -> str:
        events = sum(one.events for one in self.of)
        log = f"{events:,} events in {self.runs:,} run{'s' * (self.runs != 1)}"
        if self.fits:
            return (
                f"Nothing in {log} speaks against the model, at level {self.level:.4g}: every "
                "reaction happens as often as its rate says, at times that are exponential."
            )
        said = " ".join(f"{text}." for one in self.misfits for text in one.says)
        return f"The model does not fit {log}, at level {self.level:.4g}: {said}"


def residuals(
    scenario: Scenario,
    log: str | Path | Log | EventLog | Iterable[EventLog],
    *,
    source: Source = "log",
    reading: Reading | None = None,
    until: float | str | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Residuals:
    """Whether a scenario and its rates fit a log of events, reaction by reaction.

    Args:
        scenario: The model, with the rates that are tested; `fit` gives one with fitted rates.
        log: A file of events, as `fit` takes it, or what `event_log` gives.
        source: What the file is, if it is not a log: "gbfs", "vda5050" or "mcap".
        reading: How the file is to be read.
        until: How long events were watched for; by default up to the last row.
        confidence: One minus the level of all tests together.
        progress: Called as progress(done, total, text) while the log is read.
    """
    level = check_confidence(confidence)
    seen = whole_log(scenario, log, source, reading, until, progress, StepTally)
    if not isinstance(seen, StepTally) or seen.snapshots is not None:
        raise InputError(
            "the log shows the team now and then: residuals need every event, with its time. A "
            "feed of counts is tested by covey.audit_feed",
            file=seen.file,
        )
    if not seen.duration > 0 or not seen.observations:
        raise InputError("nothing happens in the log: events at times are expected", file=seen.file)
    task = Task(scenario.network, seen.observations, confidence, progress)
    rates = [float(task.given[p]) for p in task.parameter]
    raw = [_tested(group, *seen.expected(group, rates)) for group in seen.groups()]
    adjusted = iter(holm([p for one in raw for p in one.chances if not np.isnan(p)]))
    of = tuple(_said(one, scenario, adjusted, level) for one in raw)
    notes = list(seen.notes)
    if few := [one.reaction for one in of if np.isnan(one.shape) and one.expected > 0]:
        notes.append(f"Fewer than {_FEWEST} events, too few for their times: {', '.join(few)}.")
    return Residuals(of, level, seen.count, seen.duration, tuple(notes))


@dataclass(frozen=True)
class _Tested:
    """The events of a group of reactions, and three p-values, nan where there are too few."""

    group: tuple[int, ...]
    places: Floats
    expected: float
    gaps: Floats
    chances: tuple[float, float, float]


def _tested(group: tuple[int, ...], places: Floats, expected: float) -> _Tested:
    n, gaps = len(places), np.diff(places, prepend=0.0)
    if not n and not expected:  # it was never possible
        return _Tested(group, places, expected, gaps, (np.nan, np.nan, np.nan))
    if n < _FEWEST:
        return _Tested(group, places, expected, gaps, (rate_chance(n, expected), np.nan, np.nan))
    chances = (
        rate_chance(n, expected),
        drift_chance(places / expected),
        shape_chance(gaps, expected),
    )
    return _Tested(group, places, expected, gaps, chances)


def _said(one: _Tested, scenario: Scenario, adjusted: Iterator[float], level: float) -> Residual:
    """With corrected p-values, and in words."""
    rate, drift, shape = (np.nan if np.isnan(p) else next(adjusted) for p in one.chances)
    network, n = scenario.network, len(one.places)
    reaction = " or ".join(network.reactions[r].arrow for r in one.group)
    activity = _activity(scenario, one.group)
    label = f"{activity} ({reaction})" if activity else reaction
    mean = float(one.gaps.mean()) if n else np.nan
    spread = float(one.gaps.std()) / mean if n >= _FEWEST and mean > 0 else np.nan
    says = []
    if shape <= level:
        says.append(f"{label} {_tails(spread)}")
    if drift <= level:
        later = "more" if float((one.places / one.expected).mean()) > 0.5 else "less"
        says.append(f"{label} happens {later} often later in the log than its rate explains")
    if rate <= level:
        times = f"{n / one.expected:.3g} times" if one.expected > 0 else "infinitely"
        says.append(f"{label} happens {times} as often as its rate says")
    return Residual(
        reaction, activity, n, one.expected, spread, rate, drift, shape, tuple(says), one.gaps
    )


def _tails(spread: float) -> str:
    how = f"their spread is {spread:.2f} of their mean, where exponential times have 1"
    if spread < _EVEN:
        return f"takes times that are shorter-tailed than exponential ones: {how}"
    if spread > _UNEVEN:
        return f"takes times that are longer-tailed than exponential ones: {how}"
    return f"takes times that are not exponential, though {how}"


def _activity(scenario: Scenario, group: tuple[int, ...]) -> str:
    """What is seen of robots that wait for a reaction, where all it takes is in one count."""
    network = scenario.network
    if scenario.query.is_identity:
        return ""
    names = set()
    for r in group:
        taken = {network.species[i] for i in np.flatnonzero(network.reactants[r])}
        if len(taken) != 1:
            return ""
        names |= {
            name
            for name, one in scenario.query.groups(network).items()
            if taken & {species for species, _ in one.terms}
        }
    return names.pop() if len(names) == 1 else ""
