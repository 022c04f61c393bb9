"""Moments, observations and odds, as results say them in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping

NOTHING = 1e-10  # less leakage than this is rounding

_LARGEST = 700.0  # e to the power of more is no number any more


def when(at: float | str) -> str:
    """`at steady state`, or `at time 10`."""
    return "at steady state" if at == "steady" else f"at time {at:g}"


def shown(observation: Mapping[str, int]) -> str:
    """`{free: 2, busy: 1}`."""
    return "{" + ", ".join(f"{name}: {count}" for name, count in observation.items()) + "}"


def counts(observation: Mapping[str, int]) -> str:
    """`free 2, busy 1`."""
    return ", ".join(f"{name} {count}" for name, count in observation.items())


def shift(leakage: float, interval: tuple[float, float]) -> str:
    """By how much a finite leakage shifts the odds, and whether that is all that it can be."""
    by = odds(leakage)
    return f"by a factor {by} or more" if math.isinf(interval[1]) else f"by at most a factor {by}"


def odds(leakage: float) -> str:
    """The factor on the odds, e to the leakage: `1.8`, `1.0015`, `1,070`, `∞`."""
    if leakage == math.inf:
        return "∞"
    if leakage > _LARGEST:
        return f"e^{leakage:.4g}"
    if NOTHING <= leakage < 0.09:  # what is above 1 is what counts
        return f"{1 + float(f'{math.expm1(leakage):.2g}'):.12g}"
    factor = float(f"{math.exp(leakage):.3g}")
    return f"{factor:,.0f}" if 1000 <= factor < 1e6 else f"{factor:.3g}"


def certainty(interval: tuple[float, float]) -> str:
    """What is certain of a leakage: `the leakage is certain to within 3e-13`."""
    low, high = interval
    if math.isinf(low):
        return "it is certain that the leakage is infinite"
    if math.isinf(high):
        return f"the leakage is certainly at least {low:.8g}; from above it is not bounded"
    if f"{low:.8g}" == f"{high:.8g}":
        return f"the leakage is certain to within {high - low:.1g}"
    return f"the leakage is certainly between {low:.8g} and {high:.8g}"


def number(leakage: float) -> str:
    """`0.588`; what is nothing but rounding is 0."""
    return "∞" if math.isinf(leakage) else "0" if leakage < NOTHING else f"{leakage:.3g}"


def chance(log_probability: float) -> str:
    """`0.0222`, `5.1e-24`; also where the probability is too small for a number."""
    if not -math.inf < log_probability < -700:
        return f"{math.exp(log_probability):.3g}"
    tens = math.floor(log_probability / math.log(10))
    return f"{math.exp(log_probability - tens * math.log(10)):.2f}e{tens}"


def percent(share: float) -> str:
    """How often a guess is right: `54.8%`.

    Near a half and near certainty in as many digits as tell it from that: `50.003%`, `99.98%`.
    """
    apart = 100 * min(abs(share - 0.5), 1 - share)
    if apart < 100 * NOTHING:
        return f"{100 * share:.0f}%"
    return f"{100 * share:.{max(1, -math.floor(math.log10(apart)))}f}%"
