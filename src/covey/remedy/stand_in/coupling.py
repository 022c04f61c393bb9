"""Which moves the real team and the reference make together, so that they stay close.

Any coupling is safe; a good one costs little. With h(x, w) a potential, what lies ahead of a pair,
the best one at (x, w) is a transport problem of reactions by reactions (`kernels.transport`):

    minimise Σ_rs m_rs [h(x+r, w+s) − h(x+r, w) − h(x, w+s) + h(x, w)].

- greedy: h = loss(x, w) + 0.05 Σ_i |x_i − w_i|: what is off now, and a little for what may be soon.
- optimal: h is what the coupling itself costs from here on: Q h = g − loss, with g its mean and Q
  the generator of the pair. Coupling anew by that h costs less, and so on: policy iteration [1],
  which ends at the best of all couplings that look at both states alone.

The mean g is not needed, as a constant leaves all four terms as they are (`poisson_equation`).

[1] M. L. Puterman, Markov Decision Processes (1994), section 8.6.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.validation import Progress
from covey.numbers import Floats
from covey.remedy.stand_in.pairs import Coupling, Pairs
from covey.remedy.stand_in.poisson_equation import lies_ahead

NEAR = 0.05  # of a robot's loss, for each robot that is elsewhere without being seen to be
_ROUNDS = 20
_GAIN = 1e-7  # of the mean loss: a round that gains less was the last


def greedy(pairs: Pairs) -> Coupling:
    """The best coupling by what is off now."""
    return _coupled(pairs, pairs.loss + NEAR * pairs.apart, *_none(pairs))[0]


def optimal(pairs: Pairs, progress: Progress | None = None) -> Coupling:
    """The best coupling of all that look at both states alone, by policy iteration."""
    potential = pairs.loss + NEAR * pairs.apart
    found, _ = _coupled(pairs, potential, *_none(pairs))
    for turn in range(_ROUNDS):
        if progress is not None:
            progress(turn, _ROUNDS, f"couplings of {len(pairs):,} pairs")
        potential = _ahead(found, potential)
        found, gain = _coupled(pairs, potential, found.which, found.rates)
        if gain <= _GAIN:
            break
    return Coupling(pairs, found.which, found.rates, best=True)


def _none(pairs: Pairs) -> tuple[NDArray[np.int32], Floats]:
    """Nothing goes together, and room for what may."""
    room = 2 * pairs.real.rates.shape[1] + 1
    return np.full((len(pairs), room), -1, dtype=np.int32), np.zeros((len(pairs), room))


def _coupled(
    pairs: Pairs, potential: Floats, which: NDArray[np.int32], rates: Floats
) -> tuple[Coupling, float]:
    """The best coupling by a potential, or as it is where that is as good; what a pair gains."""
    from covey.dynamics.kernels import transport as kernels  # noqa: PLC0415

    real, reference = pairs.sides
    which, rates = which.copy(), rates.copy()
    gained = kernels.couple(
        potential, real.rates, real.into, reference.rates, reference.into, which, rates,
        0, len(pairs),
    )  # fmt: skip
    return Coupling(pairs, which, rates, best=False), gained / len(pairs)


def _ahead(coupling: Coupling, before: Floats) -> Floats:
    """What lies ahead of each pair under a coupling, up to a constant: (real, reference)."""
    from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

    pairs, moves = coupling.pairs, coupling.transitions
    size = (len(pairs), len(pairs))
    exits = np.bincount(moves.sources, moves.rates, len(pairs))
    onward = csr_array((moves.rates, (moves.sources, moves.targets)), shape=size)
    generator = (onward - diags_array(exits)).tocsr()
    return lies_ahead(generator, pairs.loss.ravel(), before.ravel()).reshape(pairs.loss.shape)
