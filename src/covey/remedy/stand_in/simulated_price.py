"""What a stand-in of a large team costs, by simulation of the pair.

At a time, many pairs are followed from both starts until then, each by itself. In the long run, one
pair is followed for ten relaxation times of the mean field, after which it is taken to have
settled: that is not proved. Then stretches are followed, one after the other, each so long
that their means hardly depend on each other: a hundred, or as many as a number of events allows,
which a large fleet soon has had. Student's interval of those losses or means has the
confidence it says as far as they are normal and independent: an estimate, and no bound.

By how much each count is off in the mean is often known exactly: both teams' means are, whatever
the coupling. Then the losses are regressed on how far each count was off from that (control
variates), which leaves a narrower interval: the loss is mostly what counts are off one way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ergodicity.relaxation_time import relaxation_time
from covey.dynamics.kernels.sampling import ssa
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.validation import Progress
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints
from covey.remedy.mechanism.losses import Loss
from covey.remedy.stand_in.price import Price
from covey.remedy.stand_in.walk import Walk

if TYPE_CHECKING:
    from covey.dynamics.kernels.coupling.pair_coupling import Differences

CONFIDENCE = 0.95
_PATHS = 1_000  # to a time
_STRETCHES, _FEWEST = 100, 10  # of one path, in the long run
EVENTS = 500_000  # of both teams in all stretches together: some seconds
_SETTLED = 10.0  # relaxation times
_LONG = 20.0  # likewise: of a stretch


def simulated_price(
    real: Scenario,
    reference: Scenario,
    loss: Loss,
    means: Floats | None = None,
    differences: Differences | None = None,
    progress: Progress | None = None,
    events: float = EVENTS,
) -> Price:
    """The price of a coupling on the way at the scenario's moment, with a confidence interval.

    Args:
        real: The real team.
        reference: What is published instead.
        loss: What an error costs.
        means: By how much each count is off in the mean, real less reference, where that is known.
        differences: By which potential both are coupled; by default greedily.
        progress: Called while the work goes on.
        events: How many events are followed in the long run, about; ten stretches always are.
    """
    walk, at = Walk.on_the_way(real, reference, loss, differences), real.adversary.at
    stream = np.empty(4, dtype=np.uint64)
    with np.errstate(over="ignore"):
        ssa.seed_stream(np.uint64(1), np.uint64(0), stream)
    if at == "steady":
        found = _stretches(walk, real, stream, events, progress)
    else:
        found = _ends(walk, (real.start, reference.start), at, stream, progress)
    loss_, off = _estimate(found[:, 0], None if means is None else found[:, 2:] - means)
    unchanged = float(found[:, 1].mean())
    return Price(loss_, (max(0.0, loss_ - off), loss_ + off), unchanged, CONFIDENCE)


def fewest_events(real: Scenario) -> float:
    """How many events the price of a team that has settled takes at least, about."""
    return _FEWEST * _pace(real)[1]


def _pace(real: Scenario) -> tuple[float, float]:
    """The relaxation time of a team, and how many events both have in a stretch, about."""
    rest = equilibrium(real.network, real.start)
    pace = relaxation_time(real.network, real.start, rest)
    return pace, 2 * _LONG * pace * float(real.network.flows(rest).sum())


def _estimate(losses: Floats, controls: Floats | None) -> tuple[float, float]:
    """The mean loss, and by how much it may be off; controls, (losses, counts), have mean 0."""
    from scipy.special import stdtrit  # noqa: PLC0415

    terms = np.ones((len(losses), 1))
    if controls is not None:
        terms = np.hstack([terms, controls])
    inverse = np.linalg.pinv(terms, rcond=1e-9)  # counts may tell each other
    weights = inverse[0]  # the estimate is linear in the losses
    left = losses - terms @ (inverse @ losses)
    free = len(losses) - int(np.linalg.matrix_rank(terms))
    spread = math.sqrt(float(left @ left) / free * float(weights @ weights))
    return float(weights @ losses), float(stdtrit(free, (1 + CONFIDENCE) / 2)) * spread


def _stretches(
    walk: Walk,
    real: Scenario,
    stream: NDArray[np.uint64],
    events: float,
    progress: Progress | None,
) -> Floats:
    """Of each stretch: the mean loss, for which share there was none, how far counts were off."""
    from covey.dynamics.kernels.coupling import coupled_paths as kernels  # noqa: PLC0415

    pace, each = _pace(real)
    fewest = _FEWEST + len(walk.off)  # of which so many are explained by the controls
    stretches = int(np.clip(events / max(each, 1e-300), fewest, max(fewest, _STRETCHES)))
    found = np.zeros((stretches, 2 + len(walk.off)))
    kernels.follow(*walk.all, _SETTLED * pace, stream, np.zeros_like(found[0]))
    for stretch in range(stretches):
        if progress is not None:
            progress(stretch, stretches, "the stand-in's path")
        kernels.follow(*walk.all, _LONG * pace, stream, found[stretch])
    return found / (_LONG * pace)


def _ends(
    walk: Walk,
    starts: tuple[Ints, Ints],
    at: float,
    stream: NDArray[np.uint64],
    progress: Progress | None,
) -> Floats:
    """Of each path from the starts: the loss at a time, whether there is none, how far off."""
    from covey.dynamics.kernels.coupling import coupled_paths as kernels  # noqa: PLC0415
    from covey.dynamics.kernels.coupling.pair_coupling import loss_of  # noqa: PLC0415

    found = np.zeros((_PATHS, 2 + len(walk.off)))
    for path in range(_PATHS):
        if progress is not None and path % 50 == 0:
            progress(path, _PATHS, "the stand-in's paths")
        walk.at(*starts, None)
        kernels.follow(*walk.all, at, stream, np.zeros_like(found[0]))
        cost = loss_of(walk.coupled, walk.off)
        found[path] = cost, cost == 0.0, *walk.off
    return found
