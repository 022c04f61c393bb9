"""The shortest interval that a posterior fills to a level: how near a watcher knows a number.

A number has values v₁ < v₂ < …, of which value k stands for the range from a_k to b_k (a count for
itself alone, a value of a rate's grid for its cell). Of all runs i … j of values with a probability
of at least the level, the shortest by b_j − a_i is taken, and of equally short ones the likeliest;
whoever names its middle is within half its length of the number, with that probability.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.numbers import Floats, Ints

_ROUNDING = 1e-12  # of a sum of probabilities


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number that hypotheses differ in.

    Attributes:
        name: A dotted name, or that of a measure.
        truth: What it is in the scenario.
        values: What it may be, ascending.
        edges: From where to where each value stands for: (values, 2).
        of: For each hypothesis the place of its value: (hypotheses,).
    """

    name: str
    truth: float
    values: Floats
    edges: Floats
    of: Ints

    @property
    def most(self) -> float:
        """Half of its whole range: nobody can know less."""
        return float(self.edges[-1, 1] - self.edges[0, 0]) / 2

    def marginal(self, posterior: Floats) -> Floats:
        """The probability of each value: (values, …).

        Args:
            posterior: That of each hypothesis: (hypotheses, …).
        """
        out = np.zeros((len(self.values), *posterior.shape[1:]))
        np.add.at(out, self.of, posterior)
        return out


def intervals(posterior: Floats, edges: Floats, level: float) -> Floats:
    """The shortest intervals with a probability of at least the level: (columns, 2).

    Args:
        posterior: Of each value, in each column: (values, columns).
        edges: From where to where each value stands for: (values, 2).
        level: A probability.
    """
    found = np.empty((posterior.shape[1], 2))
    begins, ends = edges[:, 0], edges[:, 1]
    for column, sums in enumerate(np.cumsum(posterior, axis=0).T):
        before = np.concatenate([[0.0], sums[:-1]])
        last = np.searchsorted(sums, before + level * sums[-1] - _ROUNDING)
        first = np.flatnonzero(last < len(sums))
        last = last[first]
        lengths, held = ends[last] - begins[first], sums[last] - before[first]
        best = np.lexsort((-held, lengths))[0]
        found[column] = begins[first[best]], ends[last[best]]
    return found


def within(posterior: Floats, edges: Floats, level: float) -> Floats:
    """Half the length of those intervals: (columns,)."""
    found = intervals(posterior, edges, level)
    return np.asarray((found[:, 1] - found[:, 0]) / 2, dtype=float)
