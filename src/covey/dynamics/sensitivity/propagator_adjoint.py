"""exp(Qt) of a chain of few states at several times, and what Q is worth to whoever values them.

With P = I + Q/q ≥ 0 as in `ctmc/propagator`, but dense, by rows, and with all that is needed to go
back through the same products: the powers P^k are the same for all times t,

    S_t = Σ_k w_k(q t / 2^s) P^k,    exp(Qt) = S_t^(2^s),

and if every entry of a product A B is worth W, those of A are worth W B' and those of B are A' W.
Rows are divided by their sum after each product, S ↦ S / S 1, so what W says of the sum of a row is
taken out on the way back, W ↦ W − diag(W S') 1': it would double 2^s times, roundings and all.
Nothing else is subtracted, and nothing is bounded: this is for the steps of a search.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import factorial

from covey.numbers import Floats

_SHORT = 1 / 16  # expected jumps, at most, in what is summed
_TERMS = 10  # of such a sum: the rest is below 1e-18


def propagators(Q: Floats, times: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """The matrices exp(Qt), (times, states, states); and what Q is worth by what they are worth.

    Args:
        Q: A generator, by rows.
        times: None negative.
    """
    q = float(-Q.diagonal().min()) or 1.0
    squares = np.ceil(np.log2(np.maximum(q * times, 1.0) / _SHORT)).astype(int)
    means = (q * times / 2.0**squares)[:, None]
    orders = np.arange(_TERMS)
    weights = np.exp(-means) * means**orders / factorial(orders)  # (times, terms)
    P = np.eye(len(Q)) + Q / q
    powers = [np.eye(len(Q))]
    for _ in orders[1:]:
        powers.append(P @ powers[-1])
    found = np.tensordot(weights, np.array(powers), axes=1)
    roots = []
    for turn in range(int(squares.max(initial=0))):
        longer = np.flatnonzero(squares > turn)
        root = found[longer]
        square = root @ root
        found[longer] = square / square.sum(axis=2, keepdims=True)  # or roundings would double
        roots.append((longer, root.transpose(0, 2, 1), found[longer]))

    def adjoint(worth: Floats) -> Floats:
        worth = worth.copy()
        for longer, root, square in reversed(roots):
            free = worth[longer]
            free -= (free * square).sum(axis=2, keepdims=True)  # rows sum to 1 whatever Q is
            worth[longer] = free @ root + root @ free
        terms = np.tensordot(weights, worth, axes=(0, 0))  # (terms, states, states)
        total, behind = np.zeros_like(Q), np.zeros_like(Q)
        for k in range(_TERMS - 1, 0, -1):
            behind = terms[k] + P.T @ behind
            total += behind @ powers[k - 1].T
        return total / q

    return found, adjoint
