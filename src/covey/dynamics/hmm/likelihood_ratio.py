"""Many paths of one team, looked at again and again: how likely another team makes what is seen.

A path is drawn from the team's own chain, state by state, and what it shows is filtered under both
teams: with T = exp(Δ K), E(y) keeping the states that show y, and v the distribution of the state
so far,

    P(y | seen so far) = 1' E(y) T v,      v ← E(y) T v / P(y | seen so far).

Only the states that show what was seen carry probability, so a snapshot costs the square of their
number, not of the number of all states. Where not y is reported but z, drawn from it with
probability C(z|y), E(z) weighs each state by C(z|y(x)). Where y is reported as the last report was
as long as it is near that (a memory), E(z) depends on the last report too, which is known: the
distribution of the state is still all that has to be carried along.

Path i of a seed is always the same one, on however many cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.hmm.hidden_markov import WatchedChain
from covey.dynamics.kernels.sampling.path_tables import Reporting, Watched
from covey.dynamics.threads import on_threads
from covey.dynamics.validation import Progress
from covey.numbers import Floats, Ints, distinct_rows, rows_in

CHUNK = 32  # paths that are drawn together: part of what a seed means


class Reports(NamedTuple):
    """How outcomes are reported.

    Attributes:
        of: For outcomes, in the order given: what each is reported as, with which probabilities.
        held: For outcomes and reports, whether the outcome is reported as that if it was the last
            report: (outcomes, reports); by default never.
    """

    of: Callable[[Ints], list[tuple[Ints, Floats]]]
    held: Callable[[Ints, Ints], NDArray[np.bool_]] | None = None


class Reported(NamedTuple):
    """What paths of a team reported.

    Attributes:
        rows: What can be reported.
        of: Which of the rows every path reported at each snapshot: (paths, snapshots).
    """

    rows: Ints
    of: NDArray[np.int32]


class PathSampler:
    """Two teams and how outcomes are reported: draws paths of the one, and weighs both.

    Args:
        team: Whose paths are drawn.
        other: The team that it could be taken for.
        reports: What outcomes are reported as; by default themselves.
    """

    def __init__(
        self, team: WatchedChain, other: WatchedChain, reports: Reports | None = None
    ) -> None:
        self.team, self.other = team, other
        outcomes, place = distinct_rows(np.concatenate([team.outcomes, other.outcomes]))
        own, others = place[: len(team.outcomes)], place[len(team.outcomes) :]
        self._own = _arranged(team, own, len(outcomes))
        self._others = _arranged(other, others, len(outcomes))
        self.rows, self._reporting = _reporting(outcomes, reports)

    def log_ratios(
        self,
        marks: Sequence[int],
        paths: int,
        seed: int,
        *,
        first: int = 0,
        cores: int | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """`ln P(other) − ln P(team)` of what paths of the team show: (paths, marks).

        Args:
            marks: After how many snapshots, ascending.
            paths: How many are drawn.
            seed: Which ones.
            first: The number of the first one, a multiple of `CHUNK`.
            cores: Threads to compute on; by default one on each core.
            progress: Called as progress(done, total, text) while the work goes on.
        """
        out = np.empty((paths, len(marks)))
        listed = np.array(marks, dtype=np.int64)

        weigh = _kernels().log_likelihoods

        def work(begin: int) -> None:
            rows = out[begin : begin + CHUNK]
            reported = self._reported(first + begin, (len(rows), marks[-1]), seed)
            ours = np.empty(rows.shape)
            weigh(self._own, self._reporting, reported, listed, ours)
            weigh(self._others, self._reporting, reported, listed, rows)
            rows -= ours

        def said(done: int) -> None:
            if progress is not None:
                progress(min(done * CHUNK, paths), paths, f"paths of {marks[-1]} snapshots")

        on_threads(work, range(0, paths, CHUNK), cores, said)
        return out

    def reported(
        self, snapshots: int, paths: int, seed: int, *, cores: int | None = None
    ) -> Reported:
        """What paths of the team report: the same that `log_ratios` weighs.

        Args:
            snapshots: How many.
            paths: How many are drawn.
            seed: Which ones.
            cores: Threads to compute on; by default one on each core.
        """
        out = np.empty((paths, snapshots), dtype=np.int32)

        def work(first: int) -> None:
            rows = out[first : first + CHUNK]
            rows[:] = self._reported(first, rows.shape, seed)

        on_threads(work, range(0, paths, CHUNK), cores)
        return Reported(self.rows, out)

    def log_likelihoods(
        self, reported: Reported, marks: Sequence[int], *, cores: int | None = None
    ) -> Floats:
        """`ln P(other)` of what was reported: (paths, marks).

        Args:
            reported: What paths of the team reported, by any sampler of the team.
            marks: After how many snapshots, ascending.
            cores: Threads to compute on; by default one on each core.
        """
        out = np.empty((len(reported.of), len(marks)))
        places = rows_in(self.rows, reported.rows).astype(np.int32)
        listed = np.array(marks, dtype=np.int64)
        weigh = _kernels().log_likelihoods

        def work(first: int) -> None:
            some = slice(first, first + CHUNK)
            named = places[reported.of[some]]
            weigh(self._others, self._reporting, named, listed, out[some])

        on_threads(work, range(0, len(out), CHUNK), cores)
        return out

    def _reported(self, first: int, shape: tuple[int, int], seed: int) -> NDArray[np.int32]:
        """What a chunk of paths reports, from the first one on: (paths, snapshots)."""
        random = np.random.Generator(np.random.Philox(key=[seed, first // CHUNK]))
        # The path that has number i in its chunk has the same draws in however long a chunk.
        draws = random.random((CHUNK, shape[1], 2))[: shape[0]]
        out = np.empty(shape, dtype=np.int32)
        _kernels().draw_reports(self._own, self._reporting, draws, out)
        return out


def _kernels() -> ModuleType:
    """The compiled loops: numba is loaded with the first paths."""
    from covey.dynamics.kernels.sampling import paths  # noqa: PLC0415

    return paths


def _arranged(chain: WatchedChain, place: Ints, outcomes: int) -> Watched:
    """The chain with its states in the order of the outcomes of both teams."""
    sizes = np.zeros(outcomes, dtype=np.int64)
    sizes[place] = chain.states_of
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    # distinct_rows sorts, so the outcomes of one team keep their order among those of both.
    shows = np.zeros((len(chain.moves), len(chain), outcomes))
    own = np.concatenate([[0], np.cumsum(chain.states_of)])
    shows[:, :, place] = np.add.reduceat(chain.moves, own[:-1], axis=2)
    return Watched(chain.distribution, chain.moves, shows, chain.steps, begins)


def _reporting(outcomes: Ints, reports: Reports | None) -> tuple[Ints, Reporting]:
    """What can be reported, and reports by outcome and by report."""
    never = np.zeros((0, 0), dtype=np.bool_)
    if reports is None:
        each, ones = np.arange(len(outcomes)), np.ones(len(outcomes))
        begins = np.arange(len(outcomes) + 1)
        return outcomes, Reporting(begins, each, ones, begins, each, ones, never)
    listed = reports.of(outcomes)
    rows, of_row = distinct_rows(np.concatenate([reported for reported, _ in listed]))
    chances = np.concatenate([chance for _, chance in listed])
    lengths = [len(chance) for _, chance in listed]
    sources = np.repeat(np.arange(len(outcomes)), lengths)
    held, kept, by = never, sources[:0], of_row[:0]
    if reports.held is not None:
        held = reports.held(outcomes, rows)
        only = held.copy()
        only[sources, of_row] = False
        kept, by = np.nonzero(only)  # these are of no report anew, but may go on being of one
    report = np.concatenate([of_row, by])
    order = np.argsort(report, kind="stable")
    return rows, Reporting(
        np.concatenate([[0], np.cumsum(lengths)]),
        of_row,
        chances,
        np.concatenate([[0], np.cumsum(np.bincount(report, minlength=len(rows)))]),
        np.concatenate([sources, kept])[order],
        np.concatenate([chances, np.zeros(len(kept))])[order],
        held,
    )
