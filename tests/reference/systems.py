"""Systems whose distributions are known on paper, in fifty digits; every method is run against all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import MPContext

from covey import Network

exact = MPContext()
exact.dps = 50


@dataclass(frozen=True)
class System:
    """A network, a start, and the probability of a state at a time (None: at steady state)."""

    network: Network
    start: tuple[int, ...]
    distribution: Callable[[tuple[int, ...], float | None], Any]
    infinite: bool = False


def _poisson(mean: Any, n: int) -> Any:
    return exact.exp(-mean) * mean**n / math.factorial(n)


def _binomial(n: int, p: Any, k: int) -> Any:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def _decay(rate: str, t: float | None) -> Any:
    """e^{−rate·t}, which is 0 at steady state."""
    return exact.mpf(0) if t is None else exact.exp(-exact.mpf(float(rate)) * exact.mpf(t))


def _immigration_death(x: tuple[int, ...], t: float | None) -> Any:
    """Arrivals at 4, each leaves at 0.5: Poisson with mean 8 (1 − e^{−t/2}) from empty."""
    return _poisson(8 * (1 - _decay("0.5", t)), x[0])


def _flips(x: tuple[int, ...], t: float | None) -> Any:
    """Six robots turn on at 2 and off at 3, by themselves: binomial. Species: off{A}, on{A}."""
    return _binomial(6, (1 - _decay("5", t)) * 2 / 5, x[1])


def _two_state(x: tuple[int, ...], t: float | None) -> Any:
    """One robot, off to on at 1, on to off at 3, worked out by hand. Species: off, on."""
    on = (1 - _decay("4", t)) / 4
    return on if x[1] else 1 - on


def _death(x: tuple[int, ...], t: float | None) -> Any:
    """Five robots leave for good at 0.7 each: binomial, absorbed at none."""
    return _binomial(5, _decay("0.7", t), x[0])


def _fork(x: tuple[int, ...], t: float | None) -> Any:
    """One robot goes to b at 1 or to c at 3 and stays: two absorbing states. Species a, b, c."""
    left = _decay("4", t)
    return (left, (1 - left) / 4, 3 * (1 - left) / 4)[x.index(1)]


SYSTEMS = {
    "immigration-death": System(
        Network("0 -> X @ 4\nX -> 0 @ 0.5"), (0,), _immigration_death, infinite=True
    ),
    "independent flips": System(Network("off{A} <-> on{A} @ 2, 3"), (6, 0), _flips),
    "two states": System(Network("off <-> on @ 1, 3"), (1, 0), _two_state),
    "pure death": System(Network("X -> 0 @ 0.7"), (5,), _death),
    "a fork": System(Network("a -> b @ 1\na -> c @ 3"), (1, 0, 0), _fork),
}
