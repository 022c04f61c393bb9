"""Conditions on what is there: `driving <= 1 and charging > 0`.

Comparisons of counts, in the words of rate laws (species, observed sums, rates, numbers), joined by
and, or, not and parentheses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError, shown
from covey.model.rate_laws.program import Program, compile_rate_law
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.text import parse_condition
from covey.model.rate_laws.words import RateLawWords
from covey.model.scenario import Scenario
from covey.numbers import Bools

_BLOCK = 1 << 16  # states at once


@dataclass(frozen=True)
class Condition:
    """What holds in some states of a network and not in others; `Condition.parse` reads one.

    Attributes:
        text: As it was written.
        program: Gives 1 in a state where it holds, and 0 elsewhere.
    """

    text: str
    program: Program

    @classmethod
    def parse(cls, text: object, scenario: Scenario) -> Condition:
        """The condition that a text writes.

        Args:
            text: Such as `driving <= 1 and {dock} == 0`.
            scenario: Whose species, observed sums and rates it names.
        """
        if not isinstance(text, str) or not text.strip():
            raise InputError(f'the condition is {shown(text)}: expected one such as "free <= 1"')
        network = scenario.network
        sums = {name: str(one) for name, one in scenario.query.sums.items()}
        words = RateLawWords(network.reactions, network.rates, sums)
        law = RateLaw(parse_condition(text))
        for species in law.species & network.stages.keys():
            raise InputError(
                f"the condition [{text.strip()[:80]}] counts {species}, which lasts for several "
                "stages: observe it under a name of [observe], and count that"
            )
        try:
            law = words.spelled_out(law)
        except InputError as error:
            raise InputError(f"the condition [{text.strip()[:80]}] {error.message}") from None
        return cls(text.strip(), compile_rate_law(law, network.index, network.rates))

    def holds(self, rows: NDArray[np.integer]) -> Bools:
        """In which states it does: (states,).

        Args:
            rows: The states, (states, species).
        """
        found = np.zeros(len(rows), dtype=np.bool_)
        for begin in range(0, len(rows), _BLOCK):
            values = self.program.run(rows[begin : begin + _BLOCK].T)
            if np.isnan(values).any():
                raise InputError(
                    f"the condition [{self.text[:80]}] divides by 0 in a state that can be "
                    "reached: dividing by max(..., 1) avoids it"
                )
            found[begin : begin + _BLOCK] = values > 0
        return found
