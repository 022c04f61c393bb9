"""Solves the linear program: with all of its entries where they are few, else with some of them."""

from __future__ import annotations

import numpy as np

from covey.dynamics.threads import one_blas_thread
from covey.numbers import Floats
from covey.remedy.mechanism.program.all_entries import solved_whole
from covey.remedy.mechanism.program.few_entries import solved_in_part
from covey.remedy.mechanism.program.linear_program import Prices, Program

WHOLE = 100_000  # entries of the channel, up to which all of them are looked at


@one_blas_thread
def solve(program: Program) -> tuple[Floats, Prices]:
    """A channel (outcomes, published) and the prices behind it."""
    few = np.isfinite(program.losses).sum() <= WHOLE
    return solved_whole(program) if few else solved_in_part(program)
