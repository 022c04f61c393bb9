"""How a log is to be read, where it does not tell itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Reading:
    """How a log is to be read.

    Args:
        columns: What its columns are called: `{"time": "timestamp", "robot": "agv"}`.
        unit: What dates and epoch times are counted in: "second", "minute", "hour" or "day"; by
            default as the scenario's [time] says, else seconds.
        fleet: A fleet file (CSV: `robot,type`) that says which robot is of which type.
        together: How far apart in time the changes of one event may be logged, in the unit.
        lost_after: After which silence a robot is lost, in the unit: it is not watched from its
            last row to its next one. By default after 5 heartbeats; of robots that report changes
            only, after 20 times what is usual in their state.
        polled: Whether robots were looked at now and then, so that changes in between are not seen;
            by default that is recognised by the times.
        skip_bad: Whether lines that cannot be read are skipped and counted, instead of refused.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    fleet: str | Path | None = None
    together: float = 0.0
    lost_after: float | None = None
    polled: bool | None = None
    skip_bad: bool = False
