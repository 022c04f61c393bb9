"""Gauss-Seidel sweeps for K p = 0, and for K z = -b, in numbers of any depth.

Sweeps are sped up by reduced rank extrapolation [1] of the last ones *relative* to the newest (of
logarithms while they still differ much), which keeps tails as accurate as the bulk.

Tails of any depth. Sweeps work on u with p(x) = u(x) 2^depth(x), and the whole numbers `depth`
follow the sweeps: the coefficients of u are rates times 2^(depth(x) − depth(y)), which are exact
and tame between neighbours.

[1] Sidi, Vector Extrapolation Methods with Applications (2017).
"""

from __future__ import annotations

import itertools
import math
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.ctmc.extrapolation import row_chunks
from covey.dynamics.threads import side_by_side
from covey.errors import CoveyError
from covey.numbers import LEAST, Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress


_FAR = 1e6  # a ratio of rates that may be why sweeps take so long
_CYCLE = 10  # sweeps between extrapolations
_SHALLOW = 1e-100  # the least u that states begin with
_DEEPEST, _HIGHEST = 1e-200, 1e200  # of any u that sweeps go on with
_POWERS = np.ldexp(1.0, np.arange(-1023, 1024))
_POWERS[[0, -1]] = math.nan  # between neighbours, this is no number that could be trusted


class Sweeps:
    """Sweeps over an irreducible chain, from a first guess of ln p; `done` is how many there were.

    `distribution` is u, in units of 2^depth.
    """

    def __init__(
        self,
        generator: Generator,
        guess: Floats,
        tolerance: float = 1e-12,
        progress: Progress | None = None,
    ) -> None:
        self.generator, self.tolerance, self.progress = generator, tolerance, progress
        self.done = 0
        self.depth: NDArray[np.int32] | None = None  # none: 0 everywhere
        self.distribution = np.zeros(len(generator))
        self.scale(guess - guess.max())

    def scale(self, logs: Floats) -> None:
        """Begin at these ln p, with a depth for each state where they differ that much."""
        if logs.min() > math.log(_SHALLOW):
            self.distribution, self.depth = np.exp(logs), None
            return
        depth = np.floor(logs / math.log(2.0))
        self.distribution = np.exp(logs - depth * math.log(2.0))
        self.depth = depth.astype(np.int32)

    def logs(self) -> Floats:
        """Every ln p, up to a constant."""
        logs: Floats = np.log(self.distribution)
        return logs if self.depth is None else logs + self.depth * math.log(2.0)

    def mass(self, distribution: Floats) -> float:
        """The sum of the probabilities."""
        if self.depth is None:
            return float(distribution.sum())
        with np.errstate(under="ignore"):
            return float(np.ldexp(distribution, self.depth).sum())

    def product(self, vector: Floats) -> Floats:
        """K v, both in units of 2^depth."""
        g, depth = self.generator, self.depth
        if depth is None:
            return g.product(vector)
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        out, rows = np.empty(len(vector)), g.rows

        def work(begin: int, end: int) -> None:
            sparse_rows.inflow_scaled_rows(rows, depth, _POWERS, vector, out, begin, end)

        g.by_parts(work)
        return out - g.exits * vector

    def relative(self, rates: Floats, source: Ints, into: Ints) -> Floats:
        """Rates of transitions, times p of where they come from, over p of where they lead."""
        with np.errstate(over="ignore", under="ignore"):
            found = rates * self.distribution[source] / self.distribution[into]
            if self.depth is None:
                return found
            return np.asarray(np.ldexp(found, self.depth[source] - self.depth[into]))

    def converge(self, enough: Callable[[], bool]) -> None:
        """Cycles of sweeps and an extrapolation, until the estimated error is small enough."""
        source, shown = np.zeros(len(self.distribution)), monotonic()
        best, before, stalled, estimate = math.inf, math.inf, 0, math.inf
        while True:
            if enough():
                raise CoveyError(
                    f"The steady state is not settled after {self.done:,} sweeps: the relative "
                    f"error is about {estimate:.1e}, {self.tolerance:.1e} was asked for. "
                    f"{why_slow(self.generator)}"
                )
            history = self.cycle(self.distribution, source)
            last = [h / self.mass(h) for h in history[-3:]]
            if self.scaled_anew(last[-1]):
                best, before, stalled = math.inf, math.inf, 0
                continue
            self.distribution = last[-1]
            moves = [float(np.abs(a / b - 1).max()) for a, b in itertools.pairwise(last)]
            decay = min(moves[1] / moves[0], 0.999) if moves[0] > 0 else 0.0
            estimate = moves[1] / (1 - max(decay, 0.5))
            stalled = stalled + 1 if estimate > best / 2 else 0
            worse, before = estimate > before, estimate
            best = min(best, estimate)
            if estimate <= self.tolerance or (stalled > 3 and best < 1e-11):
                return
            if not worse:  # after a bad jump, sweeps alone
                self.distribution = extrapolate(history, logarithmic=True)
            if self.progress is not None and monotonic() - shown > 0.3:
                shown = monotonic()
                digits = math.log10(1 / max(min(estimate, 1.0), self.tolerance))
                self.progress(digits, -math.log10(self.tolerance), "steady state, digits")

    def scaled_anew(self, distribution: Floats) -> bool:
        """Whether some u has left its range, so that all begin again from a depth that fits.

        What is no number any more begins at the least one: the next sweeps put it right.
        """
        if not np.isfinite(distribution).all():
            raise CoveyError(
                f"The steady state on {len(distribution):,} states was not found: neighbouring "
                f"states differ by more than doubles can tell. {why_slow(self.generator)}"
            )
        if distribution.min() > _DEEPEST and distribution.max() < _HIGHEST:
            return False
        self.distribution = np.maximum(distribution, LEAST)
        logs = self.logs()
        self.scale(logs - logs.max())
        return True

    def cycle(self, start: Floats, source: Floats, sweeps: int = _CYCLE) -> Floats:
        """Sweeps for exits * x = inflow + source; each one's outcome, the newest last."""
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        g = self.generator
        copies = np.tile(start, (len(g.blocks), 1))  # (blocks, states)
        rows = (g.rows, g.exits, source)
        history = np.empty((sweeps, len(start)))
        for fresh in history:

            def work(block: int, fresh: Floats = fresh) -> None:
                begin, end = g.blocks[block]
                if self.depth is None:
                    sparse_rows.sweep_rows(*rows, copies[block], begin, end)
                else:
                    scales = (self.depth, _POWERS)
                    sparse_rows.sweep_scaled_rows(*rows, *scales, copies[block], begin, end)
                fresh[begin:end] = copies[block, begin:end]

            side_by_side(work, len(g.blocks))
            copies[:] = fresh
        self.done += sweeps
        return history

    def responses(self, source: Floats) -> Iterator[Floats]:
        """Better and better solutions z of K z = −source, each up to a multiple of p."""
        if self.depth is None:
            yield from self.responses_in_depth(source)
            return
        for found in self.responses_in_depth(np.ldexp(source, -self.depth)):
            yield np.ldexp(found, self.depth)

    def responses_in_depth(self, source: Floats) -> Iterator[Floats]:
        """The same in units of 2^depth."""
        found = np.zeros(len(self.distribution))
        for _ in range(30):
            found = extrapolate(
                self.cycle(found, source), logarithmic=False, scale=self.distribution
            )
            yield self.cycle(found, source)[-1]


def why_slow(generator: Generator) -> str:
    """What the rates say of a chain that comes to rest too slowly to be certain, and what helps."""
    rates = generator.rates
    ratio = float(rates.max() / rates.min()) if rates.min() > 0 else math.inf
    if ratio > _FAR:
        found = (
            f"Rates of its transitions are a factor of {ratio:.0e} apart: bring them nearer to "
            "each other, leave out what is slowest or fastest, or take a smaller team"
        )
    else:
        found = (
            f"Rates of its transitions are within a factor of {ratio:.3g}, so it is not they: the "
            "team hardly ever moves between some groups of states, or takes long to come round. "
            "Take a smaller team"
        )
    return (
        f"{found}: of up to 1,000,000 states groups are weighed against each other, and some 2,500 "
        "of any network, or 100,000 of one with few species, are eliminated one by one, which "
        "minds neither. Or ask for a time instead of the steady state"
    )


def extrapolate(history: Floats, *, logarithmic: bool, scale: Floats | None = None) -> Floats:
    """Reduced rank extrapolation: the affine combination with the least relative residual."""
    newest: Floats = history[-1]
    reference = newest if scale is None else scale
    n, m = len(newest), len(history) - 1
    logs = logarithmic and float(np.abs(np.maximum(history[0], LEAST) / reference - 1).max()) > 0.3

    def relative(rows: slice) -> Floats:
        values = history[:, rows]  # (m + 1, rows)
        if logs:
            return np.log(np.maximum(values, LEAST) / reference[rows])
        return values / reference[rows]

    gram = np.zeros((m, m))
    for rows in row_chunks(n):
        steps = np.diff(relative(rows), axis=0)
        gram += steps @ steps.T
    size = np.sqrt(np.maximum(np.diagonal(gram), np.finfo(float).tiny))
    solution = np.linalg.lstsq(gram / np.outer(size, size), 1 / size, rcond=1e-13)[0] / size
    mixture = solution / solution.sum()
    out = np.empty(n)
    for rows in row_chunks(n):
        if logs:
            out[rows] = reference[rows] * np.exp(np.clip(mixture @ relative(rows)[1:], -300, 300))
        else:
            out[rows] = mixture @ history[1:, rows]
    if scale is not None:
        return out
    if not (np.isfinite(out).all() and out.min() > 0):
        return newest
    return out
