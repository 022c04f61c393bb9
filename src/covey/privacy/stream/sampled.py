"""What many snapshots tell of two teams, from sampled paths that are filtered exactly.

With P and P' the probabilities that the two teams give to what was seen, and r = P'/P,

    TV     = E |P − P'| / (P + P'),   half of the paths drawn from either team;
    δ(ε)   = E (1 − e^ε r)₊ for paths of the team, and with 1/r for paths of the other:

means of numbers in [0, 1], so that `confidence` bounds them with nothing assumed. The first is how
much more often than a coin the best guess is right, and varies least. What settles the question
(P' = 0) is a share of the paths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future

import numpy as np

from covey.dynamics.hmm.hidden_markov import WatchedChain
from covey.dynamics.hmm.likelihood_ratio import CHUNK, PathSampler, Reports
from covey.dynamics.validation import Progress
from covey.executors import Workers, a_few_at_a_time, result_of
from covey.numbers import Floats
from covey.privacy.stream.confidence import (
    Bounded,
    largest,
    mean_between,
    samples_needed,
    share_between,
)
from covey.privacy.stream.stream_row import StreamRow, never_falling

MOST_PATHS = 1_000_000
_MARGIN = 1.2  # on the number of paths that a first look calls for


class PairOfTeams:
    """A team and a neighbour, whose paths can be drawn.

    Args:
        team: The chain of the team.
        other: The chain of the neighbour.
        marks: After how many snapshots to say what is known, ascending.
        epsilons: For which to say δ.
        reports: What outcomes are reported as; by default themselves.
    """

    def __init__(
        self,
        team: WatchedChain,
        other: WatchedChain,
        marks: Sequence[int],
        epsilons: Sequence[float] = (),
        reports: Reports | None = None,
    ) -> None:
        self._samplers = PathSampler(team, other, reports), PathSampler(other, team, reports)
        self.marks, self.epsilons = tuple(marks), tuple(epsilons)
        self._model_errors = [float(team.errors[n - 1] + other.errors[n - 1]) for n in marks]
        self.work = float(np.mean(team.states_of) ** 2 + np.mean(other.states_of) ** 2) * marks[-1]

    def look(
        self,
        pairs: int,
        seeds: tuple[int, int],
        alpha: float,
        *,
        cores: int | None = None,
        workers: Workers | None = None,
        progress: Progress | None = None,
    ) -> tuple[tuple[StreamRow, ...], float]:
        """What so many pairs of paths tell, and the largest variance of what TV is a mean of.

        All bounds together fail with probability at most alpha.
        """
        ours, theirs = (
            sampler.log_ratios(self.marks, pairs, seed, cores=cores, progress=progress)
            if workers is None
            else _elsewhere(sampler, self.marks, pairs, seed, workers, progress)
            for sampler, seed in zip(self._samplers, seeds, strict=True)
        )
        # |P − P'|/(P + P') = |tanh(ln r / 2)|, of a path of either team
        apart = (np.abs(np.tanh(ours / 2)) + np.abs(np.tanh(theirs / 2))) / 2  # (pairs, marks)
        each = alpha / self._figures
        rows = []
        for i, (mark, error) in enumerate(zip(self.marks, self._model_errors, strict=True)):
            both = ours[:, i], theirs[:, i]
            rows.append(
                StreamRow(
                    mark,
                    mean_between(apart[:, i], each).widened(error),
                    tuple(_delta(both, epsilon, each, error) for epsilon in self.epsilons),
                    _settled(both, each).widened(error),
                    _learning(both[0]) / mark,
                    None,
                )
            )
        return never_falling(rows), float(apart.var(axis=0, ddof=1).max())

    def pairs_needed(self, variance: float, width: float, alpha: float) -> int:
        """How many pairs bring every total variation to within the width."""
        needed = samples_needed(variance, width, alpha / self._figures)
        return min(int(_MARGIN * needed), MOST_PATHS)

    @property
    def _figures(self) -> int:
        """How many have bounds of their own: TV, and in both directions δ and what settles."""
        return len(self.marks) * (3 + 2 * len(self.epsilons))


def _elsewhere(
    sampler: PathSampler,
    marks: Sequence[int],
    paths: int,
    seed: int,
    workers: Workers,
    progress: Progress | None,
) -> Floats:
    """The log ratios of the same paths, drawn by workers in runs of whole chunks, a core for each.

    Both chains go along with every run: so there are no more runs than are out at a time.
    """
    out = np.empty((paths, len(marks)))
    run = CHUNK * math.ceil(paths / (CHUNK * workers.ahead))

    def submit(first: int) -> Future[Floats]:
        many = min(run, paths - first)
        return workers.executor.submit(sampler.log_ratios, marks, many, seed, first=first, cores=1)

    done = 0
    for batch in a_few_at_a_time(submit, range(0, paths, run), workers.ahead):
        for first, future in batch:
            found = result_of(future)
            out[first : first + len(found)] = found
            done += len(found)
        if progress is not None:
            progress(done, paths, f"paths of {marks[-1]} snapshots")
    return out


def _delta(logs: tuple[Floats, Floats], epsilon: float, alpha: float, error: float) -> Bounded:
    """The larger of both directions."""
    found = []
    for log_ratio in logs:
        with np.errstate(over="ignore", under="ignore"):
            excess = np.maximum(-np.expm1(epsilon + log_ratio), 0.0)
        found.append(mean_between(excess, alpha))
    with np.errstate(over="ignore"):
        return largest(found).widened(float(1 + np.exp(epsilon)) * error)


def _settled(logs: tuple[Floats, Floats], alpha: float) -> Bounded:
    """The larger of both directions."""
    hits = (int(np.isneginf(log_ratio).sum()) for log_ratio in logs)
    return largest([share_between(hit, len(logs[0]), alpha) for hit in hits])


def _learning(log_ratio: Floats) -> float:
    finite = log_ratio[np.isfinite(log_ratio)]
    return -float(finite.mean()) if len(finite) else math.inf
