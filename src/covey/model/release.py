"""Release: how often what can be seen of the team is published, and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from covey.errors import InputError, shown


@dataclass(frozen=True)
class Release:
    """What is published, again and again: until / every snapshots of one trajectory.

    Args:
        every: The time from one snapshot to the next; by default it is not said.
        until: How long they go on.
    """

    every: float | None = None
    until: float | None = None

    def __post_init__(self) -> None:
        for name in ("every", "until"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _positive(value, name))
        if self.every is not None and self.until is not None and self.every > self.until:
            raise InputError(
                f"release.every is {self.every:g}, and release.until {self.until:g}: nothing would "
                "be published; until must be at least as long as every",
                key="release.every",
            )


def _positive(value: object, name: str) -> float:
    key = f"release.{name}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{key} is {shown(value)}: a time is expected", key=key)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise InputError(f"{key} is {number:g}: it must be finite and above 0", key=key)
    return number
