"""Paths of a chain that is watched without a break: every change of what they show, with its time.

Drawn jump by jump, many side by side; a jump that nobody sees leaves no trace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.hmm.visible_chain import VisibleChain
from covey.errors import TooLargeError
from covey.numbers import Floats, Ints

_MOST_EVENTS = 200_000  # of a path
_MOST_CHANGES = 50_000_000  # of all paths together


@dataclass(frozen=True, eq=False)
class Changes:
    """What paths show: what each begins with, and every change.

    Attributes:
        outcomes: What can be seen, a row each.
        first: Which of them each path shows at first.
        times: Of the changes of each path, ascending; after its last one infinite: (paths, most).
        shown: Which outcome each of them leads to: (paths, most).
    """

    outcomes: Ints
    first: NDArray[np.intp]
    times: Floats
    shown: NDArray[np.intp]


def draw_changes(chain: VisibleChain, until: float, paths: int, seed: int) -> Changes:
    """Paths of a chain, jump by jump, side by side.

    Args:
        chain: Whose paths are drawn.
        until: How long they are.
        paths: How many.
        seed: Which ones.
    """
    if (events := float(chain.exits.max()) * until) > _MOST_EVENTS:
        raise TooLargeError(
            f"a path of {until:g} has some {events:.1e} events, and at most {_MOST_EVENTS:,} are "
            "followed: watch for a shorter time, or look at moments (without continuous)",
            states=len(chain),
        )
    random = np.random.default_rng(seed)
    targets, cumulative = _jumps(chain)
    state = random.choice(len(chain), size=paths, p=chain.begins)
    first, now = chain.shows[state], np.zeros(paths)
    found: list[tuple[NDArray[np.intp], Floats, NDArray[np.intp]]] = []
    alive, total = np.arange(paths), 0
    while len(alive):
        with np.errstate(divide="ignore"):
            now[alive] += random.exponential(size=len(alive)) / chain.exits[state[alive]]
        alive = alive[now[alive] < until]
        draws = random.random(len(alive))[:, None]
        column = (draws >= cumulative[state[alive]]).sum(axis=1)
        before, state[alive] = chain.shows[state[alive]], targets[state[alive], column]
        seen = chain.shows[state[alive]]
        changed = seen != before
        found.append((alive[changed], now[alive[changed]], seen[changed]))
        total += int(changed.sum())
        if total > _MOST_CHANGES:
            raise TooLargeError(
                f"the paths show more than {_MOST_CHANGES:,} changes: draw fewer paths, or watch "
                "for a shorter time",
                states=len(chain),
            )
    return Changes(chain.outcomes, first, *_arranged(found, paths))


def _jumps(chain: VisibleChain) -> tuple[NDArray[np.intp], Floats]:
    """Where each state leads, and the cumulative probabilities of that: (states, most)."""
    by_source = chain.moves.tocsc()
    sizes = np.diff(by_source.indptr)
    most = int(sizes.max(initial=1)) or 1
    targets = np.zeros((len(chain), most), dtype=np.intp)
    chances = np.zeros((len(chain), most))
    place = np.arange(by_source.nnz) - np.repeat(by_source.indptr[:-1], sizes)
    source = np.repeat(np.arange(len(chain)), sizes)
    targets[source, place], chances[source, place] = by_source.indices, by_source.data
    cumulative = np.cumsum(chances, axis=1)
    ends = cumulative[:, -1:]
    shares = np.divide(cumulative, ends, out=np.ones_like(cumulative), where=ends > 0)
    shares[np.arange(len(chain)), np.maximum(sizes, 1) - 1] = (
        math.inf
    )  # the last takes what is left
    return targets, shares


def _arranged(
    found: list[tuple[NDArray[np.intp], Floats, NDArray[np.intp]]], paths: int
) -> tuple[Floats, NDArray[np.intp]]:
    """Changes by path, one more than the most there are."""
    which, times, shown = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(which, kind="stable")  # they came in the order of time
    counts = np.bincount(which, minlength=paths)
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = paths, int(counts.max(initial=0)) + 1
    all_times, all_shown = np.full(shape, np.inf), np.zeros(shape, dtype=np.intp)
    all_times[which[order], place] = times[order]
    all_shown[which[order], place] = shown[order]
    return all_times, all_shown
