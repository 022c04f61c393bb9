"""Two teams that are published through a table each: what is there is labelled by the team.

A pair of chains is followed with one way to report outcomes. Where each team has its own, the team
becomes part of the outcome: a first column tells whose it is, and reports look at it. Nothing of it
is in what is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.hmm.hidden_markov import WatchedChain
from covey.dynamics.hmm.likelihood_ratio import Reports
from covey.numbers import Floats, Ints


def labelled(chain: WatchedChain, label: int) -> WatchedChain:
    """The chain with outcomes that tell whose they are.

    Args:
        chain: Of one team.
        label: Which of the `labelled_reports` is for it.
    """
    first = np.full((len(chain.outcomes), 1), label, dtype=np.int64)
    return replace(chain, outcomes=np.concatenate([first, chain.outcomes], axis=1))


def labelled_reports(each: Sequence[Reports]) -> Reports:
    """How labelled outcomes are reported.

    Args:
        each: How those of a label are.
    """

    def of(outcomes: Ints) -> list[tuple[Ints, Floats]]:
        labels = outcomes[:, 0]
        found: list[tuple[Ints, Floats]] = [None] * len(outcomes)  # type: ignore[list-item]
        for label in np.unique(labels).tolist():
            rows = np.flatnonzero(labels == label)
            for row, report in zip(rows.tolist(), each[label].of(outcomes[rows, 1:]), strict=True):
                found[row] = report
        return found

    held = each[0].held
    if held is None:
        return Reports(of)

    def near(outcomes: Ints, reports: Ints) -> NDArray[np.bool_]:
        return held(outcomes[:, 1:], reports)

    return Reports(of, near)
