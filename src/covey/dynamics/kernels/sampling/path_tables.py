"""What the kernels of `likelihood_ratio` read: plain arrays, in the order that they read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from covey.numbers import Floats, Ints


class Watched(NamedTuple):
    """A chain as snapshots see it: its states in the order of what they show.

    Those that show outcome y are from begins[y] to begins[y + 1].
    """

    distribution: Floats  # (states,): at the first snapshot
    moves: Floats  # (kinds, states, states): from a state, the distribution at the next snapshot
    shows: Floats  # (kinds, states, outcomes): the same, by what will be shown
    steps: Ints  # (snapshots,): which kind leads to each; the first says nothing
    begins: NDArray[np.uint64]  # (outcomes + 1,); unsigned indices need no check for a sign


class Reporting(NamedTuple):
    """Which outcome y is reported as which z, with which probability; by y, and by z.

    Where y is held by z, it is reported as z, with certainty, if z was the last report; those y are
    among the outcomes of z, with whatever probability they have of being reported so anew.
    """

    y_begins: Ints  # (outcomes + 1,)
    y_reports: Ints
    y_chances: Floats
    z_begins: Ints  # (reports + 1,)
    z_outcomes: Ints
    z_chances: Floats
    held: NDArray[np.bool_]  # (outcomes, reports); (0, 0) where nothing ever is
