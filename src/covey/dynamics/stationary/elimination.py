"""The stationary distribution by elimination without subtractions (GTH [1]), at any depth.

States are censored one by one. When state s of the states 0 … s goes, the others see

    rate(i → j) += rate(i → s) rate(s → j) / Σ_k rate(s → k)          i, j, k < s,

and on the way back p(s) = Σ_i p(i) rate(i → s) / Σ_k rate(s → k): sums, products and quotients of
positive numbers only.

What is proved. p(x) is a sum of products of rates over a sum of such, the trees of the chain, which
have one rate out of every state but x [2]: rates out of m states that are each off by a factor e^d
move ln p by at most 2 m d. So the roundings of every rate that a censored chain is made of add up,
whatever the rates are: neither groups of states that are hardly ever left nor rates far apart
matter.

Nothing underflows. Few states are eliminated as one dense matrix of doubles, and that is believed
where every number it made is far from the ends of their range. All others are eliminated part by
part (`fronts`), in numbers with an exponent of their own (`kernels/elimination`).

[1] Grassmann, Taksar, Heyman, Oper. Res. 33 (1985). [2] O'Cinneide, Numer. Math. 65 (1993).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.stationary.fronts import eliminated, order_of
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator

DENSE = 600  # states up to which one matrix of doubles is quickest
_CENSORED = 48  # states that are eliminated together
_SAFE = 1e-140  # numbers between this and its inverse have products that are doubles


def eliminate(generator: Generator) -> Floats:
    """The ln p of every state of an irreducible chain of few states, up to a constant."""
    distribution = _dense(generator)
    if distribution is not None:
        return np.log(distribution)
    order = order_of(generator, 0)
    assert order is not None  # few states are never too many
    return eliminated(generator, order).distribution()


def elimination_error(neighbours: Floats) -> float:
    """The bound on |ln p| of elimination; `neighbours` says how many each state had when it went.

    Censoring a state changes rates out of its neighbours only, and a tree has one rate out of each:
    rates that are off by a factor e^d there move ln p by at most 2 d for each neighbour. Each new
    rate has at most as many roundings as the longer of two sums has terms, and 40 more: the state's
    share of the others' sum, and the products of a block. The chain's own rates have a few, and the
    way back has as many as its sum has terms.
    """
    terms = neighbours + 1
    return 1.01 * UNIT * float((2 * neighbours * (terms + 40) + terms + 3 + 16).sum() + 16)


def dense_error(states: int) -> float:
    """The same where every state has all that are left for neighbours."""
    return elimination_error(np.arange(1.0, states))


def _dense(generator: Generator) -> Floats | None:
    """One matrix of doubles; None where some number came near the ends of their range.

    By blocks: what censoring a block does to all states before it is one product of matrices. Each
    product has two factors that are looked at: it is a double where both are `_SAFE`.
    """
    if not _safe(generator.rates / generator.rates.max()):
        return None
    rates = generator.dense_rates()
    rates /= rates.max()
    n, shares = len(rates), []
    with np.errstate(all="ignore"):  # what goes out of range is seen below
        for end in range(n, 1, -_CENSORED):
            begin = max(end - _CENSORED, 1)
            out = rates[begin:end, :end]  # from the block, (block, states)
            into = rates[:end, begin:end].T.copy()  # to it, over its exit rates in the end
            for c in range(end - begin - 1, -1, -1):
                k = begin + c
                later = slice(c + 1, end - begin)  # those of the block that are censored already
                out[c, :k] += into[later, k] @ out[later, :k]
                into[c, :k] += out[later, k] @ into[later, :k]
                into[c, :k] /= out[c, :k].sum()
            rates[:begin, :begin] += into[:, :begin].T @ out[:, :begin]
            shares.append(into)
            if not (_safe(out) and _safe(into)):
                return None
        distribution = np.ones(n)
        for into in reversed(shares):
            begin = into.shape[1] - len(into)
            for c, share in enumerate(into):
                k = begin + c
                distribution[k] = distribution[:k] @ share[:k]
                if distribution[k] > 1 / _SAFE:
                    distribution[: k + 1] /= distribution[k]
    return distribution if _safe(distribution) and distribution.min() > 0 else None


def _safe(numbers: Floats) -> bool:
    """Whether every number is 0 or far from the ends of the range of doubles."""
    least = numbers.min(where=numbers > 0, initial=1.0)
    return bool(least >= _SAFE and numbers.max(initial=1.0) <= 1 / _SAFE)  # no if it is no number
