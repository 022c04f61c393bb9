"""A question as it reaches a worker, and what the worker keeps from one question to the next.

A slider changes a rate, and with it the text; the wiring of the network stays. So the last engines
are kept, and one of the same wiring is asked again at the new rates (`Solver.at_rates`): structure,
sizes and lattices are there already.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.dynamics.limits import Limits
from covey.dynamics.memory import fitting_states
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, shown
from covey.model.io.scenario_file import loads
from covey.model.io.value_edit import with_values
from covey.model.network import Network
from covey.model.scenario import Scenario

MOST_STATES = 200_000
MOST_POINTS = 50  # of a front: each is a search
_LARGEST = 1e300
_ENGINES = 4  # that are kept: two variants beside each other, and those before them


class Kept:
    """The engines of the last networks, one for each wiring: that of the rates it came with."""

    def __init__(self) -> None:
        self._engines: list[Solver] = []

    def solver(self, network: Network) -> Solver:
        """The solver of a network, prepared as far as it can be."""
        known = next((e for e in self._engines if network.same_wiring(e.network)), None)
        if known is None:
            most = min(fitting_states(network), MOST_STATES)
            known = Solver(network, Limits(max_states=most))
        self._engines = [known, *(e for e in self._engines if e is not known)][:_ENGINES]
        return known.at_rates(network)


@dataclass(frozen=True)
class Asked:
    """A question: the text that it is about, its options, and who is told how far the work is."""

    options: Mapping[str, Any]
    kept: Kept
    progress: Progress

    @property
    def text(self) -> str:
        """The scenario's text."""
        text = self.options.get("text")
        if not isinstance(text, str):
            raise InputError("text is missing: that of a scenario file is expected")
        return text.replace("\r\n", "\n")

    def changed(self) -> str:
        """The text with the values that the question sets."""
        values = self.options.get("set")
        if not isinstance(values, Mapping):
            raise InputError("set: an object of dotted names and values is expected")
        return with_values(self.text, values)

    def scenario(self, text: str | None = None) -> Scenario:
        """The scenario that the text means; it may name no file but the opened one's mechanism."""
        beside = self.options.get("beside")  # the server's word, never the page's
        mechanism = None if beside is None else Path(beside)
        return loads(
            self.text if text is None else text, "the text", files=False, mechanism=mechanism
        )

    def solver(self, scenario: Scenario) -> Solver:
        """The solver of its network."""
        return self.kept.solver(scenario.network)

    def number(self, name: str) -> float | None:
        """An option that is a number, if it is given."""
        value = self.options.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{name} is {shown(value)}: a number is expected", key=name)
        if not -_LARGEST < value < _LARGEST:  # JSON has nan, and whole numbers of any length
            raise InputError(f"{name} is {shown(value)}: a finite number is expected", key=name)
        return float(value)

    def promised(self) -> float | None:
        """The leakage that is allowed, if it is given: `epsilon`, or the ε of `guess`.

        With a leakage of at most ε, whoever takes both teams for equally likely believes in the
        right one with e^ε / (1 + e^ε) at most, whatever is published: `guess` is that,
        ε = ln g / (1 − g).
        """
        guess = self.number("guess")
        if guess is None:
            return self.number("epsilon")
        if not 0.5 < guess < 1:
            raise InputError(
                f"guess is {guess:g}: a number above 0.5 and below 1 is expected", key="guess"
            )
        return math.log(guess / (1 - guess))

    def ranges(self, *, needed: bool = False) -> dict[str, tuple[float, float]]:
        """What may change in a design, and in which range; nothing where none is `needed`."""
        vary = self.options.get("vary")
        if vary is None and not needed:
            return {}
        if not isinstance(vary, Mapping) or (needed and not vary):
            raise InputError(
                "vary: what may change is expected, as {rates.meet: [0.1, 2]}", key="vary"
            )
        for name, ends in vary.items():
            if not isinstance(ends, list) or len(ends) != 2:
                raise InputError(f"{name} is {shown(ends)}: two numbers are expected", key=name)
        return {name: (ends[0], ends[1]) for name, ends in vary.items()}

    def shares(self) -> dict[str, float]:
        """How much of each measure a design has to keep."""
        keep = self.options.get("keep")
        if keep is None:
            return {}
        if not isinstance(keep, Mapping):
            raise InputError("keep: shares by the names of measures are expected", key="keep")
        return dict(keep)

    def reference(self) -> dict[str, Any]:
        """The robots of a stand-in by type; empty where none is asked for."""
        reference = self.options.get("reference") or {}
        if not isinstance(reference, Mapping) or any("." in name for name in reference):
            raise InputError("reference: robots by type are expected", key="reference")
        return dict(reference)

    def front(self) -> int:
        """At how many levels of performance to design."""
        count = self.number("front") or 0
        if not 0 <= count <= MOST_POINTS:
            raise InputError(f"front is {count:g}: at most {MOST_POINTS} is expected", key="front")
        return int(count)
