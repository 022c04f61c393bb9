"""What few snapshots tell: summed over everything that can be seen in them, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.privacy.hypotheses import Star
from covey.privacy.snapshot.leakage import PairLeakage, leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.pair_profile import PairProfile
from covey.privacy.snapshot.profile import profile_of
from covey.privacy.stream.confidence import Bounded
from covey.privacy.stream.joint_distributions import first_snapshots, joint_distributions_by
from covey.privacy.stream.stream_row import StreamRow

_SEQUENCES = 20_000  # that are summed over, and
_NUMBERS = 2_000_000  # so many probabilities of states on the way


def exact_distributions(
    solver: Solver, one: TeamDistributions, snapshots: Schedule, progress: Progress | None = None
) -> dict[int, TeamDistributions]:
    """The joint distributions after as many snapshots as can be summed over; after one in any case.

    Args:
        solver: For the scenario's network.
        one: The distributions of the first snapshot.
        snapshots: When somebody looks.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    outcomes = max(
        len(distribution)
        for distribution in (one.team, *(distribution for _, distribution in one.neighbours))
    )
    states = solver.reach(one.scenario.start).at_least
    few = [
        n
        for n in snapshots.marks
        if n > 1 and outcomes**n <= _SEQUENCES and outcomes ** (n - 1) * states <= _NUMBERS
    ]
    if not few:
        return {1: one}
    times = snapshots.times(few[-1])
    star = Star(one.scenario, tuple(hypothesis for hypothesis, _ in one.neighbours))
    try:
        joint = joint_distributions_by(
            solver, star, times, snapshots.at == "steady", progress=progress
        )
    except TooLargeError:  # more can be seen on the way than at the first snapshot
        return {1: one}
    return {1: one} | {n: first_snapshots(joint, n, few[-1]) for n in few}


def exactly_told(
    distributions: TeamDistributions, snapshots: int, epsilons: Sequence[float]
) -> list[StreamRow]:
    """What snapshots tell of every neighbour, by the joint distributions of so many."""
    pairs = zip(profile_of(distributions).pairs, leakage_of(distributions).pairs, strict=True)
    return [_row(snapshots, pair, worst, epsilons) for pair, worst in pairs]


def _row(
    snapshots: int, pair: PairProfile, worst: PairLeakage, epsilons: Sequence[float]
) -> StreamRow:
    def delta(epsilon: float) -> Bounded:
        return Bounded(pair.delta(epsilon), *pair.delta_interval(epsilon))

    return StreamRow(
        snapshots,
        delta(0.0),
        tuple(map(delta, epsilons)),
        delta(math.inf),
        _learning(pair) / snapshots,
        Bounded(worst.value, *worst.interval),
    )


def _learning(pair: PairProfile) -> float:
    """The mean of ln P/P' for the team, where the neighbour can show the same."""
    ours, theirs = pair.log_probabilities
    both = np.isfinite(ours) & np.isfinite(theirs)
    with np.errstate(under="ignore"):
        weights = np.exp(ours[both])
    total = float(weights.sum())
    return float(weights @ (ours - theirs)[both]) / total if total > 0 else math.inf
