"""Random numbers of the operating system, strictly between 0 and 1, fetched many at a time."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from covey.numbers import Floats

_POOL = 4096


class Draws:
    """Random numbers that nobody can foresee; `bits` from `used` on are fresh.

    Args:
        random: Gives so many random bytes.
    """

    def __init__(self, random: Callable[[int], bytes] = os.urandom) -> None:
        self._bytes = random
        self.bits: Floats = np.empty(0)
        self.used = 0

    def fetch(self, least: int) -> None:
        """See that there are at least so many."""
        if self.used + least > len(self.bits):
            bits = np.frombuffer(self._bytes(8 * _POOL), dtype=np.uint64)
            self.bits = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
            self.used = 0

    def one(self) -> float:
        """The next one."""
        self.fetch(1)
        self.used += 1
        return float(self.bits[self.used - 1])
