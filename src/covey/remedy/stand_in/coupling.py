"""Which moves the real team and the reference make together, so that they stay close.

Any coupling is safe; a good one costs little. With h(x, w) a potential, what lies ahead of a pair,
the best one at (x, w) is a transport problem of reactions by reactions (`kernels.transport`):

    minimise Σ_rs m_rs [h(x+r, w+s) − h(x+r, w) − h(x, w+s) + h(x, w)].

- greedy: h = loss(x, w) + 0.05 Σ_i |x_i − w_i|: what is off now, and a little for what may be soon;
  what gains most goes together first, as fast as both allow. It needs the two states alone.
- optimal: h is what the coupling itself costs from here on: Q h = g − loss, with g its mean and Q
  the generator of the pair. Coupling anew by that h costs less, and so on: policy iteration [1],
  which ends at the best of all couplings that look at both states alone.

The mean g is not needed, as a constant leaves all four terms as they are (`poisson_equation`).

[1] M. L. Puterman, Markov Decision Processes (1994), section 8.6.
"""

from __future__ import annotations

import numpy as np

from covey.dynamics.validation import Progress
from covey.numbers import Floats
from covey.remedy.stand_in.pairs import Coupling, Pairs
from covey.remedy.stand_in.poisson_equation import lies_ahead

NEAR = 0.05  # of a robot's loss, for each robot that is elsewhere without being seen to be
_ROUNDS = 20
_GAIN = 1e-7  # of the mean loss: a round that gains less was the last


def greedy(pairs: Pairs) -> Coupling:
    """What gains most by what is off now goes together first, as on the way of a large team."""
    return _begun(pairs, pairs.loss + NEAR * pairs.apart)


def optimal(pairs: Pairs, progress: Progress | None = None) -> Coupling:
    """The best coupling of all that look at both states alone, by policy iteration."""
    potential = pairs.loss + NEAR * pairs.apart
    found = _begun(pairs, potential)
    for turn in range(_ROUNDS):
        if progress is not None:
            progress(turn, _ROUNDS, f"couplings of {len(pairs):,} pairs")
        potential = _ahead(found, potential)
        found, gain = _coupled(found, potential, False)
        if gain <= _GAIN:
            break
    return Coupling(pairs, found.which, found.rates, best=True)


def _begun(pairs: Pairs, potential: Floats) -> Coupling:
    """The greedy coupling by a potential."""
    room = 2 * pairs.real.rates.shape[1] + 1
    which = np.full((len(pairs), room), -1, dtype=np.int32)
    return _coupled(Coupling(pairs, which, np.zeros((len(pairs), room)), False), potential, True)[0]


def _coupled(before: Coupling, potential: Floats, greedily: bool) -> tuple[Coupling, float]:
    """The coupling by a potential, or as it is where that is as good; what a pair gains."""
    from covey.dynamics.kernels.coupling import transport as kernels  # noqa: PLC0415

    pairs, which, rates = before.pairs, before.which.copy(), before.rates.copy()
    real, reference = pairs.sides
    gained = kernels.couple(
        potential, real.rates, real.into, reference.rates, reference.into, which, rates, greedily
    )
    return Coupling(pairs, which, rates, best=False), gained / len(pairs)


def _ahead(coupling: Coupling, before: Floats) -> Floats:
    """What lies ahead of each pair under a coupling, up to a constant: (real, reference)."""
    from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

    pairs, moves = coupling.pairs, coupling.transitions
    size = (len(pairs), len(pairs))
    exits = np.bincount(moves.sources, moves.rates, len(pairs)).astype(float)
    onward = csr_array((moves.rates, (moves.sources, moves.targets)), shape=size)
    generator = (onward - diags_array(exits)).tocsr()
    return lies_ahead(generator, pairs.loss.ravel(), before.ravel()).reshape(pairs.loss.shape)
