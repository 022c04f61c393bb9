"""What a stand-in costs: the expected loss of what is published, and how often that is the truth.

Exactly, where the pairs of states fit: the loss in the stationary distribution of the pair, or at a
time. And what nothing can cost less than: whatever is published with the reference's distribution
q, where p is that of the truth, loses at least the Wasserstein distance

    W(p, q) = min Σ_yz t_yz loss(y, z),     t ≥ 0,  Σ_z t_yz = p_y,  Σ_y t_yz = q_z,

a linear program. Of large sets of outcomes a bound on it is taken: a mean that is off by d costs d.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.distribution import Distribution
from covey.dynamics.stationary.limit import stationary
from covey.dynamics.validation import Progress
from covey.model.observation.adversary import Moment
from covey.numbers import Floats
from covey.remedy.mechanism.losses import Loss, losses_of
from covey.remedy.stand_in.pairs import Coupling

_MOST_CELLS = 200_000  # of the linear program: some ten seconds


@dataclass(frozen=True)
class Price:
    """What a stand-in costs.

    Attributes:
        loss: The expected loss of what is published.
        interval: It lies in between: by a proved bound, or with the confidence if simulated.
        unchanged: How often the truth is published.
        confidence: Of the interval, where it was simulated; None where it is proved.
    """

    loss: float
    interval: tuple[float, float]
    unchanged: float
    confidence: float | None = None


def exact_price(coupling: Coupling, at: Moment, progress: Progress | None = None) -> Price:
    """The price of a coupling at a time from both starts, or in the long run."""
    pairs = coupling.pairs
    if at == "steady":
        rest = stationary(coupling.generator, pairs.stationary, progress=progress)
        chances, error = rest.probabilities, rest.log_error
    else:
        found = transient(coupling.generator, pairs.start, [at], progress=progress)
        chances, error = found.probabilities[0], float(found.log_error.max())
    loss = pairs.loss.ravel()
    mean = float(chances @ loss)
    return Price(
        mean,
        (mean * float(np.exp(-error)), mean * float(np.exp(error))),
        float(chances[loss == 0].sum()),
    )


def least_loss(truth: Distribution, published: Distribution, loss: Loss) -> float:
    """What no release with a distribution can cost less than, where another is the truth."""
    if len(truth) * len(published) <= _MOST_CELLS:
        return _wasserstein(truth, published, loss)
    return _of_means(truth, published, loss)


def _wasserstein(truth: Distribution, published: Distribution, loss: Loss) -> float:
    """From below: the dual solution of the program, made feasible, is a bound on its value."""
    from scipy.optimize import linprog  # noqa: PLC0415
    from scipy.sparse import coo_array  # noqa: PLC0415

    costs = losses_of(loss, truth.names, truth.outcomes, published.outcomes)
    n, m = costs.shape
    cells = np.arange(n * m)
    rows = np.concatenate([cells // m, n + cells % m])
    sums = coo_array((np.ones(2 * n * m), (rows, np.tile(cells, 2))), shape=(n + m, n * m))
    p, q = (d.probabilities / d.probabilities.sum() for d in (truth, published))
    found = linprog(costs.ravel(), A_eq=sums.tocsr(), b_eq=np.concatenate([p, q]), method="highs")
    if found.status != 0:
        return _of_means(truth, published, loss)
    ours = np.asarray(found.eqlin.marginals[:n])
    theirs = (costs - ours[:, None]).min(axis=0)  # so that no cell is overpaid
    lost = (truth.truncated_mass + published.truncated_mass) * float(costs.max(initial=0.0))
    return max(0.0, float(ours @ p + theirs @ q) * (1 - 1e-12) - lost)


def _of_means(truth: Distribution, published: Distribution, loss: Loss) -> float:
    """By Jensen's inequality; 0 for losses of which it knows nothing."""
    lost = truth.truncated_mass + published.truncated_mass
    if lost > 0 or not (loss in ("l1", "squared") or _weighs(loss)):
        return 0.0
    away = np.abs([truth.mean[name] - published.mean[name] for name in truth.names])
    if loss == "squared":
        return float((away**2).sum())
    weights: Floats = np.ones(len(away))
    if not isinstance(loss, str):
        weights = np.array([float(loss.get(name, 0.0)) for name in truth.names])
    return float(weights @ away)


def _weighs(loss: Loss) -> bool:
    return not isinstance(loss, str) and not any(isinstance(key, tuple) for key in loss)
