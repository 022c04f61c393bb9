"""The stationary distribution of an irreducible chain, every ln p with a proved bound: K p = 0.

  few states   elimination (see `elimination`);
  many         Gauss-Seidel sweeps, sped up by reduced rank extrapolation [1] of the last sweeps
               *relative* to the newest (of logarithms while they still differ much), which keeps
               tails as accurate as the bulk.

Tails of any depth. Sweeps work on u with p(x) = u(x) 2^depth(x), and the whole numbers `depth`
follow the sweeps: the coefficients of u are rates times 2^(depth(x) − depth(y)), which are exact
and tame between neighbours. Below p stands for u where only ratios of neighbours matter.

What is proved of sweeps. Let g = Kp / p and |g| <= eta (componentwise, rounding counted), let
w >= 0 vanish at one state o only, and let K(pw)/p <= -eta elsewhere. Then p (1 + w) and p (1 - w)
are super- and sub-solutions of K x = 0 off o, and -K off o is an M-matrix (w shows it), so

    |ln(pi(x)/p(x)) - ln(pi(o)/p(o))| <= -ln(1 - w(x))      for every state x.

w is in effect the eta that the reversed chain meets until it hits o. A rough numerical w does: the
inequality is checked, not assumed. A small change per
sweep proves nothing: a nearly decomposable chain keeps the initial weights of its groups. Then
there is no such w, and the states are eliminated, or refused where they are too many for that.

[1] Sidi, Vector Extrapolation Methods with Applications (2017).
"""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.ctmc.extrapolation import row_chunks
from covey.dynamics.stationary.elimination import DENSE, Band, band, eliminate, elimination_error
from covey.dynamics.threads import side_by_side
from covey.errors import CoveyError
from covey.numbers import LEAST, UNIT, Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress


_CYCLE = 10  # sweeps between extrapolations
_FEWEST = 200  # sweeps before elimination is thought of
_MOST_ORDERED = 1_000_000  # states that are put in order to be eliminated
_DIRECT = 2e9  # multiplications of a solution in doubles: a second
_CREEPING = 1e-7  # log errors above which elimination is taken where it can be
_SHALLOW = 1e-100  # the least u that states begin with
_DEEPEST, _HIGHEST = 1e-200, 1e200  # of any u that sweeps go on with
_POWERS = np.ldexp(1.0, np.arange(-1023, 1024))
_POWERS[[0, -1]] = math.nan  # between neighbours, this is no number that could be trusted
_ADVICE = (
    "Bring the rates nearer to each other, leave out what is slowest or fastest, or take a smaller "
    "team: up to 2,500 states, and many more of a network with few species, are eliminated one by "
    "one, which minds none of it."
)


class StationarySolver:
    """K p = 0 on an irreducible chain, from a first guess of ln p.

    `error` bounds |ln p - ln true p| for every state: it is proved, or the chain is refused.
    """

    def __init__(
        self,
        generator: Generator,
        guess: Floats,
        *,
        tolerance: float = 1e-12,
        max_sweeps: int = 5_000,
        progress: Progress | None = None,
    ) -> None:
        self.generator, self.tolerance = generator, tolerance
        self.max_sweeps, self.progress = max_sweeps, progress
        self.sweeps = 0
        self.error = UNIT
        self.depth: NDArray[np.int32] | None = None  # none: 0 everywhere
        self.law = np.zeros(len(generator))
        self._scale(guess - guess.max())

    @cached_property
    def band(self) -> Band | None:
        """The order in which the states can be eliminated; none where they are too many."""
        if len(self.generator) > _MOST_ORDERED:
            return None
        found = band(self.generator)
        return found if found.affordable else None

    def solve(self, origin: int | None = None) -> Floats:
        """Every ln p; `origin` is the o of the proof, by default the most probable state."""
        if len(self.law) == 1:
            return np.zeros(1)
        if len(self.law) <= DENSE:
            return self._eliminate(origin)
        try:
            self._iterate()
            self._prove(origin)
        except CoveyError:
            if self.band is None:
                raise
            self.error = math.inf
        # Of a chain that creeps sweeps prove little; elimination does not mind.
        if self.error > _CREEPING and self.band is not None and self.band.error < self.error:
            logs, self.error = eliminate(self.generator, self.band, self.progress), self.band.error
            return self._normalised(logs)
        return self._normalised(self._logs())

    def _eliminate(self, origin: int | None) -> Floats:
        """Few states, and the better of two bounds."""
        logs = eliminate(self.generator)
        self._scale(logs - logs.max())
        self.error = min(self._bound(self._origin(origin)), elimination_error(len(logs)))
        return self._normalised(logs)

    def _normalised(self, logs: Floats) -> Floats:
        """With probabilities that add up to one; the logarithms round as well."""
        logs = logs - logs.max()
        with np.errstate(under="ignore"):
            logs -= math.log(np.exp(logs).sum())
        self.error += UNIT * (4 * float(-logs.min()) + 80)
        return logs

    def _scale(self, logs: Floats) -> None:
        """Begin at these ln p, with a depth for each state where they differ that much."""
        if logs.min() > math.log(_SHALLOW):
            self.law, self.depth = np.exp(logs), None
            return
        depth = np.floor(logs / math.log(2.0))
        self.law = np.exp(logs - depth * math.log(2.0))
        self.depth = depth.astype(np.int32)

    def _logs(self) -> Floats:
        """Every ln p, up to a constant."""
        logs: Floats = np.log(self.law)
        return logs if self.depth is None else logs + self.depth * math.log(2.0)

    def _mass(self, law: Floats) -> float:
        """The sum of the probabilities."""
        if self.depth is None:
            return float(law.sum())
        with np.errstate(under="ignore"):
            return float(np.ldexp(law, self.depth).sum())

    def _origin(self, origin: int | None) -> int:
        return int(np.argmax(self._logs())) if origin is None else origin

    def _iterate(self) -> None:
        """Cycles of sweeps and an extrapolation, until the estimated error is small enough."""
        source, shown = np.zeros(len(self.law)), monotonic()
        best, before, stalled, estimate = math.inf, math.inf, 0, math.inf
        while True:
            if self._enough():
                raise CoveyError(
                    f"The steady state is not settled after {self.sweeps:,} sweeps: the relative "
                    f"error is about {estimate:.1e}, {self.tolerance:.1e} was asked for. {_ADVICE}"
                )
            history = self._cycle(self.law, source)
            last = [h / self._mass(h) for h in history[-3:]]
            if self._scaled_anew(last[-1]):
                best, before, stalled = math.inf, math.inf, 0
                continue
            self.law = last[-1]
            moves = [float(np.abs(a / b - 1).max()) for a, b in itertools.pairwise(last)]
            decay = min(moves[1] / moves[0], 0.999) if moves[0] > 0 else 0.0
            estimate = moves[1] / (1 - max(decay, 0.5))
            stalled = stalled + 1 if estimate > best / 2 else 0
            worse, before = estimate > before, estimate
            best = min(best, estimate)
            if estimate <= self.tolerance or (stalled > 3 and best < 1e-11):
                return
            if not worse:  # after a bad jump, sweeps alone
                self.law = _extrapolate(history, logarithmic=True)
            if self.progress is not None and monotonic() - shown > 0.3:
                shown = monotonic()
                digits = -math.log10(max(min(estimate, 1.0), self.tolerance))
                self.progress(digits, -math.log10(self.tolerance), "steady state, digits")

    def _scaled_anew(self, law: Floats) -> bool:
        """Whether some u has left its range, so that all begin again from a depth that fits.

        What is no number any more begins at the least one: the next sweeps put it right.
        """
        if not np.isfinite(law).all():
            raise CoveyError(
                f"The steady state on {len(law):,} states was not found: neighbouring states "
                f"differ by more than doubles can tell. {_ADVICE}"
            )
        if law.min() > _DEEPEST and law.max() < _HIGHEST:
            return False
        self.law = np.maximum(law, LEAST)
        logs = self._logs()
        self._scale(logs - logs.max())
        return True

    def _enough(self) -> bool:
        """Whether to end: sweeps take no longer than elimination would, where that can be had."""
        if self.sweeps >= self.max_sweeps:
            return True
        if self.sweeps < _FEWEST or self.band is None:
            return False
        return self.sweeps * len(self.generator.indices) > 3 * self.band.work

    def _cycle(self, start: Floats, source: Floats) -> Floats:
        """Sweeps for exits * x = inflow + source; each one's outcome, the newest last."""
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        g = self.generator
        copies = np.tile(start, (len(g.blocks), 1))  # (blocks, states)
        rows = (g.rows, g.exits, source)
        history = np.empty((_CYCLE, len(start)))
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
        self.sweeps += _CYCLE
        return history

    def _product(self, vector: Floats) -> Floats:
        """K v, both in units of 2^depth."""
        from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

        g, depth = self.generator, self.depth
        if depth is None:
            return g.product(vector)
        out, rows = np.empty(len(vector)), g.rows

        def work(begin: int, end: int) -> None:
            sparse_rows.inflow_scaled_rows(rows, depth, _POWERS, vector, out, begin, end)

        g.by_parts(work)
        return out - g.exits * vector

    def _prove(self, origin: int | None) -> None:
        """The error bound of the module's docstring; refused where there is none."""
        self.error = self._bound(self._origin(origin))
        if math.isinf(self.error):
            raise CoveyError(
                f"The steady state on {len(self.law):,} states is not certain: sweeps came to "
                "rest, but nothing can be proved of where. Groups of states between which the team "
                f"hardly ever moves do this. {_ADVICE}"
            )

    def _bound(self, origin: int) -> float:
        """What sub- and super-solutions prove; infinite where no w was found."""
        g, p = self.generator, self.law
        away = np.arange(len(p)) != origin
        # Of each state by itself: very many may lead to the origin.
        rounding = g.row_roundings() * UNIT * g.exits
        drift = self._product(p) / p
        eta = np.abs(drift) + rounding
        best = math.inf
        for hits in self._responding(origin, eta):  # p w, up to a multiple of p
            if not np.isfinite(hits).all():
                continue
            level = hits[origin] / p[origin]
            w = hits / p - level
            descent = -(self._product(hits) / p - level * drift)
            descent -= rounding * (np.abs(hits) / p + abs(level))
            least = float((descent / eta)[away].min(initial=1.0))
            if w[away].min(initial=1.0) > 0 and least > 0.1:
                best = min(best, float(w[away].max(initial=0.0)) / least)
            if best < 0.1 and least > 0.5:  # twice as good would be the best there is
                break
        return max(-2 * math.log1p(-best), UNIT) if best < 0.1 else math.inf

    def _responding(self, origin: int, eta: Floats) -> Iterator[Floats]:
        """Better and better solutions z of K z = -eta p off the origin, up to a multiple of p."""
        p, away = self.law, np.arange(len(self.law)) != origin
        if len(p) <= DENSE:
            rates = self.generator.dense_rates().T
            rows, columns = np.nonzero(rates)
            matrix = np.diag(self.generator.exits)
            matrix[rows, columns] = -self._relative(rates[rows, columns], columns, rows)
            hits = np.zeros(len(p))
            with suppress(np.linalg.LinAlgError):  # singular, but for what rounding has taken away
                w = np.linalg.solve(matrix[np.ix_(away, away)], eta[away])
                hits[away] = p[away] * w
                yield hits
        elif self.band is not None and self.band.work <= _DIRECT:
            yield p * self._banded(self.band, origin, eta)
        else:
            source = p * eta
            rest = self._mass(source)
            source[origin] -= rest if self.depth is None else np.ldexp(rest, -self.depth[origin])
            yield from self._responses(source)

    def _relative(self, rates: Floats, source: Ints, into: Ints) -> Floats:
        """Rates of transitions, times p of where they come from, over p of where they lead."""
        with np.errstate(over="ignore", under="ignore"):
            found = rates * self.law[source] / self.law[into]
            if self.depth is None:
                return found
            return np.asarray(np.ldexp(found, self.depth[source] - self.depth[into]))

    def _banded(self, order: Band, origin: int, eta: Floats) -> Floats:
        """The w of K(pw)/p = -eta off the origin, where it is 0, by a band of doubles."""
        from scipy.linalg import solve_banded  # noqa: PLC0415

        g, width, place = self.generator, order.width, order.place
        into, source = np.repeat(np.arange(len(g)), g.lengths), g.indices.astype(np.intp)
        kept = (into != origin) & (source != origin)
        into, source, rates = into[kept], source[kept], g.rates[kept]
        matrix = np.zeros((2 * width + 1, len(g)))
        row, column = place[into], place[source]
        np.add.at(matrix, (width + row - column, column), -self._relative(rates, source, into))
        matrix[width] = g.exits[order.order]
        costs = np.where(order.order == origin, 0.0, eta[order.order])
        try:
            found = solve_banded((width, width), matrix, costs, check_finite=False)
        except np.linalg.LinAlgError:  # singular, but for what rounding has taken away
            return np.full(len(g), np.nan)
        return np.asarray(found[place])

    def responses(self, source: Floats) -> Iterator[Floats]:
        """Better and better solutions z of K z = −source, each up to a multiple of the law."""
        if self.depth is None:
            yield from self._responses(source)
            return
        for found in self._responses(np.ldexp(source, -self.depth)):
            yield np.ldexp(found, self.depth)

    def _responses(self, source: Floats) -> Iterator[Floats]:
        """The same in units of 2^depth."""
        found = np.zeros(len(self.law))
        for _ in range(30):
            found = _extrapolate(self._cycle(found, source), logarithmic=False, scale=self.law)
            yield self._cycle(found, source)[-1]


def _extrapolate(history: Floats, *, logarithmic: bool, scale: Floats | None = None) -> Floats:
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
