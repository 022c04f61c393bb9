"""Sweeps: one number for every cell of a grid of scenarios, or of a random sample of them.

    covey.sweep(scenario, {"types.A": range(1, 21), "rates.take": np.linspace(0.2, 2, 10)})

With a `path` the sweep survives whatever ends it: finished cells are in a journal next to the
output, the same call goes on from there, and the file is the same, byte for byte, as that of a
sweep nobody disturbed; once it is there, the same call answers from it. Cells do not depend on each
other, on their order, or on where they are computed: so neither do the results, to the last bit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from covey.dynamics.limits import Limits
from covey.dynamics.memory import fitting_states
from covey.dynamics.validation import Progress
from covey.errors import InputError, did_you_mean
from covey.executors import workers_for
from covey.files.journal import Journal, Record
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.privacy.measures.registry import Measure, MeasureFunction, read_measures
from covey.remedy.performance import NO_PERFORMANCE
from covey.study.sweep.axes import Axis, Design, Value, check_axes, read_axes
from covey.study.sweep.cells import Job
from covey.study.sweep.dispatch import run
from covey.study.sweep.file import check_output, save
from covey.study.sweep.finished import answered_in, with_checksum
from covey.study.sweep.measures import fields_of
from covey.study.sweep.result import Sweep

# States of a cell at most. Not what happens to be free: a result must not depend on that.
_MAX_STATES = 2**22


def sweep(
    scenario: Scenario,
    axes: Mapping[Any, Any] | Iterable[Axis | str],
    *,
    measure: str | MeasureFunction | Iterable[str | MeasureFunction] = "leakage",
    at: Moment | None = None,
    smoothing: float | None = None,
    sample: int | None = None,
    seed: int = 0,
    path: str | Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Measures every cell of a grid, or of a random sample.

    Args:
        scenario: What is varied.
        axes: Maps dotted names (several joined by commas are tied) to their values, or to a range
            as text ("1:20", "0.2:2:10").
        measure: One or several of leakage, guess, settled, tv, hellinger, js, kl, delta=ε,
            epsilon=δ, renyi=α, max_leakage, mu, rho, and performance.NAME for what the scenario's
            [performance] calls so; or a function from `TeamDistributions` to a number, which is
            then called own.NAME. The first is the one that the sweep is about; `Sweep.of` looks
            at it by another.
        at: A time, or "steady"; by default when the adversary looks.
        smoothing: The paper's ν, for the leakage; by default the adversary's.
        sample: So many cells are drawn at random instead of all.
        seed: By which they are drawn.
        path: Where the result is saved (.nc or .csv); an interrupted sweep goes on from there.
        executor: Who computes; by default processes on this machine.
        workers: How many processes; by default one on each core.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    design = Design(read_axes(axes), sample, seed)
    measures = read_measures(measure)
    _check_achieved(measures, scenario)
    base = scenario.with_(_adversary(design, measures, at, smoothing), warn=False)
    check_axes(base, design)
    job = Job(base, design, measures, limits or Limits())
    output = None if path is None else check_output(path)
    if executor is None and not all(one.travels for one in measures):
        workers = 1
    return _run(job, output, executor, workers, progress)


def _run(
    job: Job,
    output: Path | None,
    executor: Executor | None,
    workers: int | None,
    progress: Progress | None,
) -> Sweep:
    """Goes on where the file or the journal ends, and saves."""
    answered = {} if output is None else answered_in(output, job)
    if len(answered) == len(job.design):
        return with_checksum(job, answered)
    settings = {"max_states": job.limits.max_states or _fitting(job.scenario, workers)}
    fields = fields_of(job.also)
    opened = (
        nullcontext(None) if output is None else Journal(output, job.identity(), settings, fields)
    )
    with opened as journal:
        records: dict[int, Record] = answered | ({} if journal is None else journal.finished)
        fixed = settings if journal is None else journal.settings
        limited = replace(job, limits=replace(job.limits, **fixed))
        missing = [cell for cell in range(len(job.design)) if cell not in records]
        pace = _Pace(progress, len(job.design), len(records))
        with workers_for(executor, workers, len(missing)) as force:
            for batch in run(limited, missing, force.executor, force.ahead):
                if journal is not None:
                    journal.append(batch)
                records.update(batch)
                pace.show(len(records))
        found = with_checksum(job, records)
        if output is not None and journal is not None:
            save(found.data, output)
            journal.remove()
    return found


def _check_achieved(measures: tuple[Measure, ...], scenario: Scenario) -> None:
    """Refuses what the scenario does not measure of its team."""
    for name in (measure.achieved for measure in measures if measure.achieved):
        if not scenario.performance:
            raise InputError(NO_PERFORMANCE, key="performance")
        if name not in scenario.performance:
            hint = did_you_mean(name, scenario.performance)
            known = hint or f" Known: {', '.join(scenario.performance)}."
            raise InputError(f"[performance] has no {name}.{known}")


def _adversary(
    design: Design, measures: tuple[Measure, ...], at: Moment | None, smoothing: float | None
) -> dict[str, Value]:
    """What the arguments change of the scenario's adversary."""
    if smoothing is not None and all(measure.kind != "leakage" for measure in measures):
        kinds = ", ".join(measure.kind for measure in measures)
        raise InputError(f"smoothing is for the leakage; {kinds}: always exact")
    given: dict[str, Value | None] = {"adversary.at": at, "adversary.smoothing": smoothing}
    for axis in design.axes:
        for name in axis.names:
            if given.get(name) is not None:
                raise InputError(f"{name} is both varied and given: one is expected", key=name)
    return {name: value for name, value in given.items() if value is not None}


def _fitting(scenario: Scenario, workers: int | None) -> int:
    """The usual limit, or less where memory is too small for that."""
    return min(_MAX_STATES, fitting_states(scenario.network, 1 / (workers or os.cpu_count() or 1)))


@dataclass(frozen=True)
class _Pace:
    """How far a sweep is, how fast, and how long it will take."""

    progress: Progress | None
    total: int
    before: int  # cells that an earlier run has done
    began: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "began", time.monotonic())

    def show(self, done: int) -> None:
        """Tells it."""
        if self.progress is None:
            return
        seconds = max(time.monotonic() - self.began, 1e-9)
        rate = (done - self.before) / seconds
        left = (self.total - done) / rate if rate > 0 else 0.0
        text = f"{done:,} of {self.total:,} cells, {_rate(rate)}, {_duration(left)} left"
        self.progress(done, self.total, text)


def _rate(rate: float) -> str:
    return f"{rate:.3g} cells/s" if rate >= 0.1 else f"{rate * 60:.2g} cells/min"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
