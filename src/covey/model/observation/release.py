"""Release: what is published of what can be seen of the team, how often, and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass

from covey.errors import InputError, UnsupportedError, shown
from covey.model.observation.release_table import ReleaseTable
from covey.model.observation.stand_in_release import StandInRelease
from covey.numbers import as_float


@dataclass(frozen=True)
class Release:
    """What is published, again and again: until / every snapshots of one trajectory.

    Args:
        every: The time from one snapshot to the next; by default it is not said.
        until: How long they go on.
        mechanism: What is published instead of what is there, each time anew; by default the
            truth. A stand-in may be given here, too, and is kept as `stand_in`.
        stand_in: A reference team that is published in place of the real one.
    """

    every: float | None = None
    until: float | None = None
    mechanism: ReleaseTable | None = None
    stand_in: StandInRelease | None = None

    @property
    def is_stream(self) -> bool:
        """Whether it is said how often something is published, and how long."""
        return self.every is not None and self.until is not None

    @property
    def instead(self) -> ReleaseTable | StandInRelease | None:
        """What is published in place of the truth: a table, a stand-in, or nothing."""
        return self.stand_in or self.mechanism

    def table(self) -> dict[str, object]:
        """The same as a scenario file has it; what is not said is left out."""
        said = {"every": self.every, "until": self.until, "mechanism": self.instead}
        return {key: value for key, value in said.items() if value is not None}

    def refuse_stand_in(self, what: str) -> None:
        """`UnsupportedError` where a stand-in is published, and something else is asked for.

        Args:
            what: What cannot be asked: "a sweep".
        """
        if self.stand_in is not None:
            raise UnsupportedError(
                f"a stand-in is published, and tells nothing whatever the team is: {what} asks of "
                "the team itself; leave out release.mechanism of the scenario",
                key="release.mechanism",
            )

    @property
    def of_one_snapshot(self) -> ReleaseTable | None:
        """The mechanism, for a snapshot by itself; refused where what is published has a memory."""
        if self.mechanism is not None and self.mechanism.hold:
            raise UnsupportedError(
                "the mechanism holds its values, so that what one snapshot shows depends on what "
                "was published before: covey stream says what all of them together give away"
            )
        return self.mechanism

    def __post_init__(self) -> None:
        if isinstance(self.mechanism, StandInRelease):
            object.__setattr__(self, "stand_in", self.mechanism)
            object.__setattr__(self, "mechanism", None)
        if self.mechanism is not None and not isinstance(self.mechanism, ReleaseTable):
            raise InputError(
                f"release.mechanism is {shown(self.mechanism)}: here a table is expected, as "
                "open_mechanism reads it, or a stand-in; a scenario file names the file beside it",
                key="release.mechanism",
            )
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
    number = as_float(value, key, "a time", key)
    if not 0 < number < math.inf:
        raise InputError(f"{key} is {number:g}: it must be finite and above 0", key=key)
    return number
