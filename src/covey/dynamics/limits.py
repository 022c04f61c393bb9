"""How laws are to be computed: one value, which every function that computes takes."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, get_args

from covey.errors import InputError, shown

Method = Literal["product-form", "linear", "stationary", "transient", "projection"]

METHODS: tuple[Method, ...] = get_args(Method)
STEADY_METHODS: tuple[Method, ...] = ("product-form", "stationary")
TIME_METHODS: tuple[Method, ...] = ("transient", "projection")


@dataclass(frozen=True)
class Limits:
    """Which method, on how many states, to which tolerance.

    Args:
        method: "product-form" or "stationary" for the steady state, "transient" or "projection" at
            a time, "linear" for either; by default the best one that fits is chosen.
        max_states: How many states of a Markov chain are allowed; by default as many as fit into
            the memory that is free when the question is asked.
        tolerance: The probability that a projection may leave out; "linear" never leaves out more
            than 1e-12, and less where this is less.
    """

    method: Method | None = None
    max_states: int | None = None
    tolerance: float = 1e-9

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
        if not (number and 0 < tolerance < 1):
            raise InputError(
                f"the tolerance is {shown(tolerance)}: a number between 0 and 1 is expected"
            )
