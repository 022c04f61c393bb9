"""How distributions are to be computed: one value, which every function that computes takes."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, get_args

from covey.errors import InputError, shown

MethodName = Literal[
    "product-form", "linear", "stationary", "window", "transient", "projection", "timetable"
]

METHODS: tuple[MethodName, ...] = get_args(MethodName)
CLOSED_FORMS: tuple[MethodName, ...] = ("product-form", "linear")  # they list no states


@dataclass(frozen=True)
class Limits:
    """Which method, on how many states, to which tolerance.

    Args:
        method: "product-form", "stationary" or "window" for the steady state, "transient" or
            "projection" at a time, "linear" for either, "timetable" where rates follow one; by
            default the best one that fits is chosen.
        max_states: How many states of a Markov chain are allowed; by default as many as fit into
            the memory that is free when the question is asked.
        tolerance: The probability that may be left out where something has to be; by default 1e-9
            by a projection or a window, and 1e-12 by the closed forms. Where every outcome can be
            had, nothing is left out.
    """

    method: MethodName | None = None
    max_states: int | None = None
    tolerance: float | None = None

    def __post_init__(self) -> None:
        if self.method is not None and self.method not in METHODS:
            raise InputError(
                f"the method is {shown(self.method)}: expected one of {', '.join(METHODS)}"
            )
        most = self.max_states
        whole = isinstance(most, Integral) and not isinstance(most, bool)
        if most is not None and not (whole and most >= 1):
            raise InputError(f"max_states is {shown(most)}: a positive whole number is expected")
        tolerance = self.tolerance
        number = isinstance(tolerance, Real) and not isinstance(tolerance, bool)
        if tolerance is not None and not (number and 0 < tolerance < 1):
            raise InputError(
                f"the tolerance is {shown(tolerance)}: a number between 0 and 1 is expected"
            )

    def tolerance_of(self, method: MethodName) -> float:
        """The probability that a method may leave out.

        Args:
            method: The method, which has a default of its own.
        """
        if self.tolerance is not None:
            return self.tolerance
        return 1e-12 if method in CLOSED_FORMS else 1e-9
