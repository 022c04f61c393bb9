"""A log of events, step by step: where the team was for how long, and what happened then.

Counted in its own expected number of events, Λ_l(t) = ∫ κ_l h_l(x(s)) ds, every reaction is a
Poisson process of rate 1, whatever the others do (Meyer's and Papangelou's theorem of random time
change). One run goes on where the one before it ended, as a Poisson process does not remember.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from covey.errors import TooLargeError
from covey.numbers import Floats, Ints
from covey.study.fit.logs.log import State
from covey.study.fit.tally import Choice, Tally, Track

_MOST_STEPS = 10_000_000  # 320 MB


class StepTally(Tally):
    """A tally that keeps every step as well."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._gaps = array("d")
        self._states, self._runs, self._choices = array("q"), array("q"), array("q")
        self._state_numbers: dict[State, int] = {}
        self._choice_numbers: dict[Choice, int] = {}
        self._run_numbers: dict[int, int] = {}

    def begin(self, time: float, state: State, line: int) -> Track:
        """Another run, which is in a state from a time on."""
        track = super().begin(time, state, line)
        self._run_numbers[id(track)] = len(self.tracks)  # tracks are kept, so that ids are, too
        return track

    def happen(self, track: Track, time: float, choice: Choice, after: State, line: int) -> None:
        """An event leads a run to another state."""
        state = track.state
        super().happen(track, time, choice, after, line)
        number = self._choice_numbers.setdefault(choice, len(self._choice_numbers))
        self._keep(track, 0.0, state, number)

    def _spend(self, track: Track, time: float, line: int) -> None:
        if time > track.time:
            self._keep(track, time - track.time, track.state, -1)
        super()._spend(track, time, line)

    def _keep(self, track: Track, gap: float, state: State, choice: int) -> None:
        if len(self._gaps) >= _MOST_STEPS:
            raise TooLargeError(
                f"more than {_MOST_STEPS // 2:,} events: residuals are kept whole. Give a part of "
                "the log"
            )
        self._gaps.append(gap)
        self._states.append(self._state_numbers.setdefault(state, len(self._state_numbers)))
        self._runs.append(self._run_numbers[id(track)])
        self._choices.append(choice)

    def groups(self) -> list[Choice]:
        """The reactions that events tell apart; those that some event may both have been together.

        What would not have been seen is in none of them.
        """
        seen = [r for r in range(len(self.network.reactions)) if r not in self.unseen]
        of = {r: {r} for r in seen}
        for choice in self._choice_numbers:
            together = set().union(*(of[r] for r in choice if r in of))
            for r in together:
                of[r] = together
        return sorted({tuple(sorted(group)) for group in of.values()})

    def expected(self, group: Sequence[int], rates: Sequence[float]) -> tuple[Floats, float]:
        """When the events of a group happened, in its own expected events, and how many in all.

        Args:
            group: The reactions.
            rates: κ of every reaction.
        """
        order = np.argsort(np.array(self._runs), kind="stable")
        states = np.array(list(self._state_numbers), dtype=np.int64)
        hurry = np.zeros(len(states))
        for r in group:
            hurry += rates[r] * self.propensity(r, states)
        passed = np.cumsum((np.array(self._gaps) * hurry[np.array(self._states)])[order])
        own = [n for choice, n in self._choice_numbers.items() if set(choice) & set(group)]
        happened: Ints = np.flatnonzero(np.isin(np.array(self._choices)[order], own))
        return passed[happened], float(passed[-1]) if len(passed) else 0.0
