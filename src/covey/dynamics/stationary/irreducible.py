"""The stationary distribution of an irreducible chain, every ln p with a proved bound: K p = 0.

  few states   elimination (see `elimination`);
  many         sweeps (see `sweeps`), with the certificate below.

What is proved of sweeps. Let g = Kp / p and |g| <= eta (componentwise, rounding counted), let
w >= 0 vanish at one state o only, and let K(pw)/p <= -eta elsewhere. Then p (1 + w) and p (1 - w)
are super- and sub-solutions of K x = 0 off o, and -K off o is an M-matrix (w shows it), so

    |ln(pi(x)/p(x)) - ln(pi(o)/p(o))| <= -ln(1 - w(x))      for every state x.

w is in effect the eta that the reversed chain meets until it hits o. A rough numerical w does: the
inequality is checked, not assumed. A small change per sweep proves nothing: a nearly decomposable
chain keeps the initial weights of its groups. Then there is no such w, and the states are
eliminated, or refused where they are too many for that. Below p stands for the u of the sweeps:
only ratios of neighbours matter.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.stationary.elimination import DENSE, Band, band, eliminate, elimination_error
from covey.dynamics.stationary.sweeps import ADVICE, Sweeps
from covey.dynamics.threads import one_blas_thread
from covey.errors import CoveyError
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress


_FEWEST = 200  # sweeps before elimination is thought of
_MOST_ORDERED = 1_000_000  # states that are put in order to be eliminated
_DIRECT = 2e9  # multiplications of a solution in doubles: a second
_CREEPING = 1e-7  # log errors above which elimination is taken where it can be


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
        self.generator, self.max_sweeps, self.progress = generator, max_sweeps, progress
        self.sweeps = Sweeps(generator, guess, tolerance, progress)
        self.error = UNIT

    @cached_property
    def band(self) -> Band | None:
        """The order in which the states can be eliminated; none where they are too many."""
        if len(self.generator) > _MOST_ORDERED:
            return None
        found = band(self.generator)
        return found if found.affordable else None

    @one_blas_thread
    def solve(self, origin: int | None = None) -> Floats:
        """Every ln p; `origin` is the o of the proof, by default the most probable state."""
        if len(self.generator) == 1:
            return np.zeros(1)
        if len(self.generator) <= DENSE:
            return self._eliminate(origin)
        try:
            self.sweeps.converge(self._enough)
            self._prove(origin)
        except CoveyError:
            if self.band is None:
                raise
            self.error = math.inf
        # Of a chain that creeps sweeps prove little; elimination does not mind.
        if self.error > _CREEPING and self.band is not None and self.band.error < self.error:
            logs, self.error = eliminate(self.generator, self.band, self.progress), self.band.error
            return self._normalised(logs)
        return self._normalised(self.sweeps.logs())

    def _eliminate(self, origin: int | None) -> Floats:
        """Few states, and the better of two bounds."""
        logs = eliminate(self.generator)
        self.sweeps.scale(logs - logs.max())
        self.error = min(self._bound(self._origin(origin)), elimination_error(len(logs)))
        return self._normalised(logs)

    def _normalised(self, logs: Floats) -> Floats:
        """With probabilities that add up to one; the logarithms round as well."""
        logs = logs - logs.max()
        with np.errstate(under="ignore"):
            logs -= math.log(np.exp(logs).sum())
        self.error += UNIT * (4 * float(-logs.min()) + 80)
        return logs

    def _origin(self, origin: int | None) -> int:
        return int(np.argmax(self.sweeps.logs())) if origin is None else origin

    def _enough(self) -> bool:
        """Whether to end: sweeps take no longer than elimination would, where that can be had."""
        if self.sweeps.done >= self.max_sweeps:
            return True
        if self.sweeps.done < _FEWEST or self.band is None:
            return False
        return self.sweeps.done * len(self.generator.indices) > 3 * self.band.work

    def _prove(self, origin: int | None) -> None:
        """The error bound of the module's docstring; refused where there is none."""
        self.error = self._bound(self._origin(origin))
        if math.isinf(self.error):
            raise CoveyError(
                f"The steady state on {len(self.generator):,} states is not certain: sweeps "
                "came to "
                "rest, but nothing can be proved of where. Groups of states between which the team "
                f"hardly ever moves do this. {ADVICE}"
            )

    def _bound(self, origin: int) -> float:
        """What sub- and super-solutions prove; infinite where no w was found."""
        g, p = self.generator, self.sweeps.distribution
        away = np.arange(len(p)) != origin
        # Of each state by itself: very many may lead to the origin.
        rounding = g.row_roundings() * UNIT * g.exits
        drift = self.sweeps.product(p) / p
        eta = np.abs(drift) + rounding
        best = math.inf
        for hits in self._responding(origin, eta):  # p w, up to a multiple of p
            if not np.isfinite(hits).all():
                continue
            level = hits[origin] / p[origin]
            w = hits / p - level
            descent = -(self.sweeps.product(hits) / p - level * drift)
            descent -= rounding * (np.abs(hits) / p + abs(level))
            least = float((descent / eta)[away].min(initial=1.0))
            if w[away].min(initial=1.0) > 0 and least > 0.1:
                best = min(best, float(w[away].max(initial=0.0)) / least)
            if best < 0.1 and least > 0.5:  # twice as good would be the best there is
                break
        return max(-2 * math.log1p(-best), UNIT) if best < 0.1 else math.inf

    def _responding(self, origin: int, eta: Floats) -> Iterator[Floats]:
        """Better and better solutions z of K z = -eta p off the origin, up to a multiple of p."""
        p, depth = self.sweeps.distribution, self.sweeps.depth
        if len(p) <= DENSE:
            yield p * self._dense(origin, eta)
        elif self.band is not None and self.band.work <= _DIRECT:
            yield p * self._banded(self.band, origin, eta)
        else:
            source = p * eta
            rest = self.sweeps.mass(source)
            source[origin] -= rest if depth is None else np.ldexp(rest, -depth[origin])
            yield from self.sweeps.responses_in_depth(source)

    def _dense(self, origin: int, eta: Floats) -> Floats:
        """The w of K(pw)/p = -eta off the origin, where it is 0, by a matrix of doubles."""
        g, n = self.generator, len(self.generator)
        into, source = g.targets, g.indices.astype(np.intp)
        rates = self.sweeps.relative(g.rates, source, into)
        matrix = -np.bincount(into * n + source, rates, n * n).reshape(n, n)
        matrix[np.arange(n), np.arange(n)] = g.exits
        matrix[origin] = matrix[:, origin] = 0.0
        matrix[origin, origin] = 1.0
        try:
            return np.linalg.solve(matrix, np.where(np.arange(n) == origin, 0.0, eta))
        except np.linalg.LinAlgError:  # singular, but for what rounding has taken away
            return np.full(n, np.nan)

    def _banded(self, order: Band, origin: int, eta: Floats) -> Floats:
        """The w of K(pw)/p = -eta off the origin, where it is 0, by a band of doubles."""
        from scipy.linalg import solve_banded  # noqa: PLC0415

        g, width, place = self.generator, order.width, order.place
        into, source = np.repeat(np.arange(len(g)), g.lengths), g.indices.astype(np.intp)
        kept = (into != origin) & (source != origin)
        into, source, rates = into[kept], source[kept], g.rates[kept]
        matrix = np.zeros((2 * width + 1, len(g)))
        row, column = place[into], place[source]
        np.add.at(
            matrix, (width + row - column, column), -self.sweeps.relative(rates, source, into)
        )
        matrix[width] = g.exits[order.order]
        costs = np.where(order.order == origin, 0.0, eta[order.order])
        try:
            found = solve_banded((width, width), matrix, costs, check_finite=False)
        except np.linalg.LinAlgError:  # singular, but for what rounding has taken away
            return np.full(len(g), np.nan)
        return np.asarray(found[place])
