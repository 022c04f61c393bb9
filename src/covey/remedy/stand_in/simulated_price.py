"""What a stand-in of a large team costs, by simulation of the pair.

Both begin at their starts and are followed for ten relaxation times of the mean field, after which
they are taken to have settled: that is not proved. Then as many stretches are followed, one after
the other, each so long that their means hardly depend on each other; Student's interval of those
means has the confidence it says as far as they are normal and independent: an estimate, and no
bound.
"""

from __future__ import annotations

import math

import numpy as np

from covey.dynamics.ergodicity.relaxation_time import relaxation_time
from covey.dynamics.kernels import ssa
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.validation import Progress
from covey.model.scenario import Scenario
from covey.remedy.mechanism.losses import Loss
from covey.remedy.stand_in.price import Price
from covey.remedy.stand_in.walk import Walk

CONFIDENCE = 0.95
_STRETCHES = 24
_SETTLED = 10.0  # relaxation times
_LONG = 20.0  # likewise: of a stretch


def simulated_price(
    real: Scenario, reference: Scenario, loss: Loss, progress: Progress | None = None
) -> Price:
    """The price of the greedy coupling in the long run, with a confidence interval."""
    from scipy.stats import t as student  # noqa: PLC0415

    from covey.dynamics.kernels import coupled_paths as kernels  # noqa: PLC0415

    walk = Walk.greedy(real, reference, loss)
    pace = relaxation_time(real.network, real.start, equilibrium(real.network, real.start))
    stream, found = np.empty(4, dtype=np.uint64), np.zeros((_STRETCHES, 2))
    with np.errstate(over="ignore"):
        ssa.seed_stream(np.uint64(1), np.uint64(0), stream)
    kernels.follow(*walk.all, _SETTLED * pace, stream, np.zeros(2))
    for stretch in range(_STRETCHES):
        if progress is not None:
            progress(stretch, _STRETCHES, "the stand-in's path")
        kernels.follow(*walk.all, _LONG * pace, stream, found[stretch])
    means = found / (_LONG * pace)
    loss_, unchanged = means.mean(axis=0).tolist()
    off = student.ppf((1 + CONFIDENCE) / 2, _STRETCHES - 1) * means[:, 0].std(ddof=1)
    off = float(off) / math.sqrt(_STRETCHES)
    return Price(loss_, (max(0.0, loss_ - off), loss_ + off), unchanged, CONFIDENCE)
