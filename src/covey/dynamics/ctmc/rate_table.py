"""The distinct rates of a chain, numbered.

A large chain has millions of transitions and few hundred distinct rates: rate constants times
products of small counts. What a transition holds is the number of its rate, in two bytes instead of
eight. Products read less, so that two cores do not wait for the same memory, and the numbers that
they multiply are the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Floats

_FIRST = 1 << 10  # rates that a table begins with room for
_SLOTS = 4  # of the hash table, for each of them


class RateTable:
    """Rates by their numbers, which count from 1; grows as rates are found."""

    def __init__(self) -> None:
        self._room(_FIRST)
        self.known = 1

    @property
    def rates(self) -> Floats:
        """The rate of every number; that of 0, which none has, is 0."""
        return self._rates[: self.known].copy()

    @property
    def dtype(self) -> type[np.unsignedinteger]:
        """As few bytes as hold every number."""
        return number_type(self.known)

    def numbers(self, rates: Floats) -> NDArray[np.uint32]:
        """The number of each of these rates, all positive."""
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        found = np.empty(len(rates), dtype=np.uint32)
        done = 0
        while True:
            with np.errstate(over="ignore"):  # the hash wraps, which plain Python would warn of
                more, self.known = sparse_rows.number_rates(
                    rates[done:], self._slots, self._rates, self.known, self._shift, found[done:]
                )
            done += more
            if done == len(rates):
                return found
            held = self.rates[1:]
            self._room(2 * len(self._rates))
            self.known = 1
            self.numbers(held)

    def _room(self, count: int) -> None:
        slots = _SLOTS * count
        self._rates = np.zeros(count)
        self._slots = np.zeros(slots, dtype=np.uint32)
        self._shift = np.uint64(65 - slots.bit_length())


def number_type(known: int) -> type[np.unsignedinteger]:
    """As few bytes as hold every number below `known`."""
    return np.uint16 if known <= 2**16 else np.uint32
