"""What every method is asked: from which start, for which times; and how it tells how far it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.errors import InputError
from covey.model.network import Network
from covey.numbers import as_float

# progress(done, total, text)
Progress = Callable[[float, float, str], None]

MAX_START = 2**52  # whole numbers up to here, and the events added to them, are exact in a float


def check_start(network: Network, start: ArrayLike) -> NDArray[np.int64]:
    """A copy of `start` as a state of the network: whole, not negative, (species,)."""
    given = np.asarray(start)
    expected = f"{len(network.species)} whole numbers, one per species"
    if given.dtype == np.bool_ or not np.issubdtype(given.dtype, np.number):
        raise InputError(f"the start holds {given.dtype} values: {expected} are expected")
    if given.shape != (len(network.species),):
        raise InputError(f"the start has the shape {given.shape}: {expected} are expected")
    for species, count in zip(network.species, given, strict=True):
        if not 0 <= count <= MAX_START or count != int(count):
            raise InputError(
                f"the start has {count} of {species}: a whole number from 0 to {MAX_START:,} is "
                "expected"
            )
    return given.astype(np.int64)


def check_time(value: object, name: str = "the time") -> float:
    """`value` as a time: finite and not negative."""
    time = as_float(value, name, "a number", None)
    if not 0 <= time < math.inf:
        raise InputError(f"{name} is {time:g}: it must be finite and not negative")
    return time


def check_times(values: Iterable[object], name: str = "a time") -> NDArray[np.float64]:
    """`values` as times in their order: none earlier than the one before, (times,)."""
    times = np.array([check_time(value, name) for value in values])
    if times.size == 0:
        raise InputError("there are no times: at least one is expected")
    if np.any(np.diff(times) < 0):
        late = int(np.flatnonzero(np.diff(times) < 0)[0])
        raise InputError(
            f"the time {times[late + 1]:g} comes after {times[late]:g}: "
            "times are expected in increasing order"
        )
    return times
