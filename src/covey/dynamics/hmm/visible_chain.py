"""A chain with what each of its states shows, for somebody who sees every change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import Floats, Ints, distinct_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_STATES = 4_000


@dataclass(frozen=True, eq=False)
class VisibleChain:
    """A chain, and what each of its states shows.

    Attributes:
        outcomes: What can be seen, a row each.
        shows: Which of them each state shows.
        begins: The distribution of the state when the watch begins.
        moves: K without its diagonal: from a column to a row.
        exits: The total rate out of each state.
    """

    outcomes: Ints
    shows: NDArray[np.intp]
    begins: Floats
    moves: csr_array
    exits: Floats

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def parts(self) -> tuple[csr_array, csr_array]:
        """The rates of hidden transitions, and of those that show."""
        from scipy.sparse import csr_array  # noqa: PLC0415

        pairs = self.moves.tocoo()
        hidden = self.shows[pairs.row] == self.shows[pairs.col]

        def some(kept: NDArray[np.bool_]) -> csr_array:
            where = pairs.row[kept], pairs.col[kept]
            return csr_array((pairs.data[kept], where), shape=self.moves.shape)

        return some(hidden), some(~hidden)

    @cached_property
    def hidden_steps(self) -> tuple[csr_array, float]:
        """I + K₀/Λ, and Λ."""
        from scipy.sparse import csr_array, diags_array  # noqa: PLC0415

        rate = float(self.exits.max()) or 1.0
        return csr_array(diags_array(1 - self.exits / rate) + self.parts[0] / rate), rate


def visible_chain(
    solver: Solver, start: Ints, query: Query, at: Moment, progress: Progress | None = None
) -> VisibleChain:
    """The chain of a start, watched from a moment on.

    Args:
        solver: For the network; it holds the limit of states.
        start: How many there are of each species.
        query: What is seen.
        at: When the watch begins: a time, or "steady".
        progress: Called as progress(done, total, text) while the work goes on.
    """
    reached = solver.reach(start)
    if reached.states is None or reached.states > MAX_STATES:
        raise TooLargeError(
            f"a watch without a break is followed on every state, and {reached.at_least:,} or more "
            f"of them are too many: at most {MAX_STATES:,} are allowed. Take a smaller team, or "
            "look at moments (without continuous)",
            states=reached.at_least,
        )
    chain = solver.chain(start, progress=progress)
    if at == "steady":
        begins = chain.stationary(progress).probabilities
    else:
        begins = transient(chain.generator, chain.start, [at], progress=progress).probabilities[0]
    outcomes, shows = distinct_rows(chain.seen(query))
    return VisibleChain(
        outcomes, shows, begins / begins.sum(), chain.generator.moves(), chain.generator.exits
    )
