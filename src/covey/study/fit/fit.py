"""Calibration: the rate constants that explain best what a team was seen to do.

Reaction l happens in state x at the rate κ_l h_l(x), with h_l the propensity at κ = 1. Reactions
whose rate has one name in [rates] share one κ.

Events. Of a path x(t) that was seen from event to event [1],

    ln L(κ) = Σ_l n_l ln κ_l − κ_l E_l + const,    E_l = ∫ h_l(x(t)) dt,    κ̂_l = n_l / E_l

with n_l events of an exposure E_l, both added up over a name's reactions and over runs. Counted in
exposure instead of time, the events are a Poisson process of rate κ_l, so the interval is that of
a Poisson count (Garwood [2]): exact at a fixed exposure, and to first order at a fixed time.

An event known by its change only may have been one of several reactions: ln κ_l becomes
ln Σ κ_l h_l(x) over them. It is concave in κ and maximised as it is, no event being given to one.

Snapshots. Of a state seen at times t_k only, ln L(κ) = Σ_k ln P(t_{k+1} − t_k)[x_k, x_{k+1}] with
P(t) = exp(Qt), computed without a subtraction (Q + qI ≥ 0, Taylor and squaring [3]) so that every
entry is right to many digits however small it is, and differentiated by going back through the
same products: one more pass gives the gradient for all rates.

A log of robots that was polled is read as snapshots (`polling`): changes that are seen at given
times are no events, and their number is too small.

A reaction at `erlang(k, κ)` has the same mean time as at the rate κ. Where a log shows robots, and
all that leads out of a species is that reaction, its times are seen: k and κ are those of the
largest likelihood (`erlang_likelihood`).

Where there is no closed form, ln κ is found by a quasi-Newton method (SLSQP), and the interval
by the profile likelihood [4]: all κ_l with 2 (max ln L − max ln L given κ_l) ≤ χ²₁. It reaches to
0 or to ∞ where the log cannot tell.

[1] Billingsley, Statistical Inference for Markov Processes (1961).
[2] Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936).
[3] Xue, Ye, Computing exponentials of essentially non-negative matrices entrywise to high relative
    accuracy, Math. Comp. 82 (2013).
[4] Venzon, Moolgavkar, A method for computing profile-likelihood-based confidence intervals,
    Appl. Statist. 37 (1988).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from covey.dynamics.ssa.simulation import EventLog
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, shown
from covey.model.frozen import FrozenMap
from covey.model.io.clock import Clock
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.showing import Showing
from covey.study.fit.erlang_likelihood import StageFit
from covey.study.fit.event_likelihood import fit_events
from covey.study.fit.fitted import with_rates, with_stages
from covey.study.fit.logs.feeds.sources import Source
from covey.study.fit.logs.log import Log
from covey.study.fit.logs.log_file import read_log
from covey.study.fit.logs.reading import Reading
from covey.study.fit.snapshot_likelihood import fit_snapshots
from covey.study.fit.staged_times import LogOf, staged_times
from covey.study.fit.tally import Tally, tally_of
from covey.study.fit.task import Estimate, Task
from covey.tabular import Tabular, columns_of

__all__ = ["Estimate", "Fit", "fit"]


@dataclass(frozen=True)
class Fit(Showing, Tabular):
    """What a log says of every rate constant, and what follows.

    Attributes:
        rates: Every rate constant by its name in [rates], or by its reaction.
        scenario: The scenario with the fitted rates.
        confidence: Of every interval.
        sampled: Whether it was fitted to snapshots, not to events.
        runs: How many runs the log has.
        observations: How many events, or pairs of successive snapshots.
        duration: Of all runs together.
        notes: What to know before the rates are used.
        stages: Where they were asked for or the scenario has them: in how many each reaction
            happens, by the times of robots.
    """

    rates: FrozenMap[str, Estimate]
    scenario: Scenario
    confidence: float
    sampled: bool
    runs: int
    observations: int
    duration: float
    notes: tuple[str, ...]
    stages: tuple[StageFit, ...] = ()

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each rate."""
        return columns_of(
            {"rate": name, "value": one.value, "lower": one.interval[0], "upper": one.interval[1]}
            for name, one in self.rates.items()
        )

    def __str__(self) -> str:
        what = "pairs of snapshots" if self.sampled else "events"
        runs = f"{self.runs:,} run{'s' * (self.runs != 1)}"
        lines = [
            f"{len(self.rates)} rates fitted to {self.observations:,} {what} in {runs} of "
            f"{self.duration:.6g} in all, with {100 * self.confidence:g}% confidence intervals:"
        ]
        for name, rate in self.rates.items():
            low, high = rate.interval
            lines.append(f"  {name} = {rate.value:.4g} ({low:.4g} to {high:.4g})")
        return "\n".join([*lines, *map(str, self.stages), *self.notes])


def fit(
    scenario: Scenario,
    log: str | Path | Log | EventLog | Iterable[EventLog],
    *,
    source: Source = "log",
    reading: Reading | None = None,
    until: float | str | None = None,
    confidence: float = 0.95,
    stages: bool = False,
    progress: Progress | None = None,
) -> Fit:
    """The rate constants of the scenario's network by maximum likelihood.

    Args:
        scenario: Its reactions are fitted; its own rates only matter as where the search begins, if
            there is one. Its [log] says what logs and feeds call robots and states.
        log: A file of CSV or JSON lines (`log_file` says what is in it), or what `event_log` gives.
        source: What the file is, if it is not a log: "gbfs", "vda5050" or "mcap".
        reading: How the file is to be read: names of columns, unit of time, types of robots.
        until: How long events were watched for; by default up to the last row. A time as the log
            has them, or counted as its times are.
        confidence: Of the intervals, between 0 and 1.
        stages: Whether to find in how many stages reactions happen, where the log has a row for
            every robot and change; else as many as the scenario says.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise InputError(f"confidence is {shown(confidence)}: between 0 and 1, such as 0.95")
    scenario.network.check_constant_rates()
    if not stages and not scenario.network.stages:
        return _fit(scenario, log, source, reading, until, confidence, progress)
    if not isinstance(log, str | Path):
        raise InputError("stages are found in a file of robots: a path is expected")
    plain, own = with_stages(scenario, {}), _stages(scenario)
    found = _fit(plain, log, source, reading, until, confidence, progress)
    times = LogOf(log, reading, source, until)
    return _staged(found, plain, own, *staged_times(plain, own, stages, times, found.confidence))


def _stages(scenario: Scenario) -> dict[Species, int]:
    return {species: len(all_) for species, all_ in scenario.network.stages.items()}


def _staged(
    found: Fit, plain: Scenario, own: dict[Species, int], stages: dict[int, StageFit],
    notes: list[str],
) -> Fit:  # fmt: skip
    """A fit to exponential times, with what is known of stages.

    A rate that is one reaction's alone is that of its times; others stay counts over exposures, as
    the mean time is what it was, with intervals that are wider than they would have to be.
    """
    network, rates, counted = plain.network, dict(found.rates), dict(own)
    task = Task(network, found.observations, found.confidence, None)
    for number, one in stages.items():
        species = network.reactions[number].reactants.single
        assert species is not None
        counted[species] = one.stages
        name = task.names[task.parameter[number]]
        if task.parameter.count(task.parameter[number]) == 1:
            rates[name] = Estimate(
                one.rate, one.rate_interval, rates[name].given, one.times, one.times / one.rate
            )
    fitted = with_rates(plain, [rates[name].usable for name in task.names])
    return replace(
        found,
        rates=FrozenMap(rates),
        scenario=with_stages(fitted, counted),
        notes=(*found.notes, *notes),
        stages=tuple(stages.values()),
    )


def _fit(
    scenario: Scenario,
    log: str | Path | Log | EventLog | Iterable[EventLog],
    source: Source,
    reading: Reading | None,
    until: float | str | None,
    confidence: float,
    progress: Progress | None,
) -> Fit:
    """The same where all times are exponential."""
    seen = whole_log(scenario, log, source, reading, until, progress)
    duration = seen.duration
    if duration <= 0:
        said = ", or say until when it was watched" if isinstance(seen, Tally) else ""
        raise InputError(
            f"no time passes in the log: rows at different times are expected{said}",
            file=seen.file,
        )
    try:
        task, found, seen = _solve(scenario, seen, float(confidence), progress)
    except CoveyError as error:
        raise error.at(file=seen.file) from None
    rates = FrozenMap(zip(task.names, found, strict=True))
    notes = [*seen.notes, *_notes(rates, seen)]
    if isinstance(seen, Tally):
        notes.extend(seen.gaps([found[p].value for p in task.parameter]))
    fitted = with_rates(scenario, [rate.usable for rate in found])
    return Fit(
        rates, fitted, task.confidence, isinstance(seen, Log), seen.count, seen.observations,
        duration, tuple(notes),
    )  # fmt: skip


def _solve(
    scenario: Scenario, seen: Log | Tally, confidence: float, progress: Progress | None
) -> tuple[Task, list[Estimate], Log | Tally]:
    """The maximum of the likelihood, and what it is of: of snapshots, if the log was polled."""
    if isinstance(seen, Tally) and seen.snapshots is not None:
        try:
            log = seen.snapshots.log(seen.duration, seen.notes, seen.file)
            task = Task(scenario.network, log.observations, confidence, progress)
            return task, fit_snapshots(task, log, scenario), log
        except CoveyError as error:
            if seen.snapshots.forced:
                raise
            seen.notes.append(seen.snapshots.too_low(error.message))
    task = Task(scenario.network, seen.observations, confidence, progress)
    if isinstance(seen, Tally):
        return task, fit_events(task, seen), seen
    return task, fit_snapshots(task, seen, scenario), seen


def whole_log(
    scenario: Scenario,
    log: str | Path | Log | EventLog | Iterable[EventLog],
    source: Source,
    reading: Reading | None,
    until: float | str | None,
    progress: Progress | None,
    kind: type[Tally] = Tally,
) -> Log | Tally:
    """The log, read or as it is given; `kind` adds its events up. The rest is `fit`'s."""
    if isinstance(log, str | Path):
        seen, _ = read_log(log, scenario, reading, progress, source, until, kind)
    else:
        seen = _given(scenario, log, kind)
        if until is not None and isinstance(seen, Tally):
            seen.until(Clock().until(until))
    if until is not None and isinstance(seen, Log):
        raise InputError(
            "until is for logs of events; this one has no reactions, so that every row is a "
            "snapshot, and nothing is known after the last",
            file=seen.file,
        )
    return seen


def _given(
    scenario: Scenario, log: Log | EventLog | Iterable[EventLog], kind: type[Tally]
) -> Log | Tally:
    if isinstance(log, Log):
        width = len(scenario.network.species) if log.seen is None else len(log.seen)
        if not log.runs or any(run.states.shape != (len(run.times), width) for run in log.runs):
            raise InputError(f"runs with states of {width} species are expected, at least one")
        return log if log.sampled else tally_of(log, scenario.network, kind)
    logs = [log] if isinstance(log, EventLog) else list(log)
    arrows = [reaction.arrow for reaction in scenario.network.reactions]
    if not logs or any([r.arrow for r in one.network.reactions] != arrows for one in logs):
        raise InputError("event logs of the scenario's own reactions are expected, at least one")
    tally = kind(scenario.network)
    for one in logs:
        track = tally.begin(0.0, tuple(one.start.tolist()), 0)
        happened = zip(
            one.times.tolist(), one.reactions.tolist(), one.states().tolist(), strict=True
        )
        for time, reaction, after in happened:
            tally.happen(track, time, (reaction,), tuple(after), 0)
        tally.wait(track, one.until, 0)
    return tally


def _notes(rates: FrozenMap[str, Estimate], log: Log | Tally) -> list[str]:
    notes = []
    unknown = [name for name, rate in rates.items() if not rate.identified]
    if unknown:
        notes.append(
            f"The log says nothing about {', '.join(unknown)}: never possible, or never to be "
            "seen. The fitted scenario keeps the rate it had."
        )
    if edge := [name for name, rate in rates.items() if rate.value in (0, math.inf)]:
        notes.append(
            f"No finite, positive rate is best for {', '.join(edge)}: the fitted scenario keeps "
            "the rate it had, or the end of the interval that is nearest to it."
        )
    if isinstance(log, Tally) and not log.ended:
        notes.append(
            "Taken to be watched up to the last event, which makes rates slightly too high: say "
            "until when, or end each run with a row without a reaction."
        )
    return notes
