"""Logs that are kept whole: paths of a few thousand rows, and all that is seen by glances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.model.network import Network
from covey.numbers import Ints
from covey.study.fit.tally import Tally


@dataclass(frozen=True)
class Run:
    """One path as logged: from `times[k]` on the team is in `states[k]`, where `events[k]` led.

    Attributes:
        times: When each row was, (rows,).
        states: The state from then on, (rows, species).
        events: What happened, as an index into the log's `choices`; −1 where none is known,
            (rows,).
        lines: Where each row stands in the file; 0 if nowhere, (rows,).
    """

    times: NDArray[np.float64]  # (rows,)
    states: NDArray[np.int64]  # (rows, species)
    events: NDArray[np.int64]  # (rows,)
    lines: NDArray[np.int64]  # (rows,)


@dataclass(frozen=True)
class Log:
    """Runs of one network.

    Attributes:
        runs: A path each.
        choices: The reactions that an event can have been, by their numbers.
        sampled: Whether rows are glances, not events.
        inferred: Whether some reactions are known by their change only.
        seen: What the columns of the states of glances count: a row of zeros and ones over the
            species for each column; None where every species is counted by itself.
        notes: What was odd.
        file: Where it was read from.
    """

    runs: tuple[Run, ...]
    choices: tuple[tuple[int, ...], ...] = ()
    sampled: bool = False
    inferred: bool = False
    seen: Ints | None = None
    notes: tuple[str, ...] = ()
    file: str | None = None


def tally_of(log: Log, network: Network) -> Tally:
    """What the events of all runs come to.

    Args:
        log: Of events.
        network: The one that the log is of.
    """
    found = Tally(network, file=log.file)
    if log.inferred:
        found.unseen = {r for r, row in enumerate(network.changes.tolist()) if not any(row)}
    for run in log.runs:
        states = [tuple(row) for row in run.states.tolist()]
        lines = run.lines.tolist()
        track = found.begin(float(run.times[0]), states[0], lines[0])
        for k, (time, event) in enumerate(
            zip(run.times[1:].tolist(), run.events[1:].tolist(), strict=True), start=1
        ):
            if event < 0:
                found.wait(track, time, lines[k])
                track.state = states[k]
            else:
                found.happen(track, time, log.choices[event], states[k], lines[k])
    return found
