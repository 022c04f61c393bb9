"""The stationary distribution of an irreducible chain, every ln p with a proved bound: K p = 0.

  few states   one system of equations (see `equations`), else elimination (see `elimination`);
  many         sweeps (see `sweeps`).

The certificate. Let g = Kp / p and |g| <= eta (componentwise, rounding counted), let w >= 0 vanish
at one state o only, and let K(pw)/p <= -eta elsewhere. Then p (1 + w) and p (1 - w) are super- and
sub-solutions of K x = 0 off o, and -K off o is an M-matrix (w shows it), so

    |ln(pi(x)/p(x)) - ln(pi(o)/p(o))| <= -ln(1 - w(x))      for every state x.

w is in effect the eta that the reversed chain meets until it hits o. A rough numerical w does: the
inequality is checked, not assumed. A small change per sweep proves nothing: a nearly decomposable
chain keeps the initial weights of its groups. Then there is no such w, and the states are
eliminated, or refused where they are too many for that. Below p stands for the u of the sweeps:
only ratios of neighbours matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.stationary.aggregation import aggregate
from covey.dynamics.stationary.band import Band, band
from covey.dynamics.stationary.dissection import Dissection
from covey.dynamics.stationary.elimination import (
    DENSE,
    dense_error,
    eliminate,
    elimination_error,
)
from covey.dynamics.stationary.equations import by_equations
from covey.dynamics.stationary.flow_tree import flow_tree
from covey.dynamics.stationary.fronts import Eliminated, eliminated, order_of
from covey.dynamics.stationary.sweeps import Sweeps, why_slow
from covey.dynamics.threads import one_blas_thread
from covey.errors import CoveyError
from covey.numbers import UNIT, Floats, Ints

if TYPE_CHECKING:
    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress


_FEWEST = 200  # sweeps before elimination is thought of
_MOST_ORDERED = 1_000_000  # states that are put in order to be eliminated
_QUICK = 2e9  # additions of an elimination that groups need not be tried before: some seconds
_CREEPING = 1e-7  # log errors above which elimination is taken where it can be

Responses = Callable[[int, Floats], Iterator[Floats]]  # of an origin and eta: p w, ever better


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
        self.origin: int | None = None

    @cached_property
    def band(self) -> Band | None:
        """The order in which a system of equations is quickly solved; none where it is not."""
        if len(self.generator) > _MOST_ORDERED:
            return None
        found = band(self.generator)
        return found if found.quick else None

    @cached_property
    def order(self) -> Dissection | None:
        """The order in which the states can be eliminated; none where they are too many."""
        if len(self.generator) > _MOST_ORDERED:
            return None
        return order_of(self.generator, self._origin(self.origin))

    @one_blas_thread
    def solve(self, origin: int | None = None) -> Floats:
        """Every ln p; `origin` is the o of the proof, by default the most probable state."""
        self.origin = origin
        if len(self.generator) == 1:
            return np.zeros(1)
        if len(self.generator) <= DENSE:
            return self._normalised(self._dense())
        refusal = self._swept(origin)
        # Of a chain that creeps sweeps prove little; elimination does not mind, nor do groups.
        if self.error > _CREEPING and self._groups_are_quicker():
            self._aggregated()
        if self.error > _CREEPING and self.order is not None:
            return self._normalised(self._eliminated(self.order))
        if refusal is not None and math.isinf(self.error):
            raise refusal
        return self._normalised(self.sweeps.logs())

    def _swept(self, origin: int | None) -> CoveyError | None:
        """Sweeps, and what they prove; or why not."""
        try:
            self.sweeps.converge(self._enough)
            self._prove(origin)
        except CoveyError as error:
            self.error = math.inf
            return error
        return None

    def _groups_are_quicker(self) -> bool:
        """Whether to weigh groups of states before any are eliminated."""
        if len(self.generator) > _MOST_ORDERED:
            return False
        return self.order is None or self.order.work > _QUICK

    def _aggregated(self) -> None:
        """Groups weighed against each other; what sweeps have found stays where it is better."""
        before = self.sweeps.logs()
        with suppress(CoveyError):
            self.sweeps.scale(np.zeros(len(before)))  # sweeps that creep are no good guess
            aggregate(self.sweeps)
            error = flow_tree(self.sweeps).error()
            if error < self.error:
                self.error = error
                return
        self.sweeps.scale(before - before.max())

    def _dense(self) -> Floats:
        """Few states: by equations where they prove as much, else the better of two bounds."""
        promised = dense_error(len(self.generator))
        logs = by_equations(self.generator)
        if logs is not None:
            self.error = self._judged(logs)
            if self.error <= promised:
                return logs
        logs = eliminate(self.generator)
        self.error = min(self._judged(logs), promised)
        return logs

    def _judged(self, logs: Floats) -> float:
        """What the certificate proves of these ln p."""
        self.sweeps.scale(logs - logs.max())
        return self._bound(self._origin(self.origin), self._by_matrix)

    def _eliminated(self, order: Dissection) -> Floats:
        """The same of a sparse chain; what sweeps have found stays where it is the more certain."""
        found = eliminated(self.generator, order, self.progress)
        before, logs = self.sweeps.logs(), found.distribution()
        self.sweeps.scale(logs - logs.max())
        bound = self._bound(int(order.order[-1]), partial(self._by_elimination, found))
        bound = min(bound, elimination_error(order.neighbours))
        if bound > self.error:
            return before
        self.error = bound
        return logs

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
        if self.sweeps.done < _FEWEST or self.order is None:
            return False
        return self.sweeps.done * len(self.generator.indices) > self.order.work

    def _prove(self, origin: int | None) -> None:
        """The error bound of the module's docstring; refused where there is none."""
        self.error = self._bound(self._origin(origin), self._by_band_or_sweeps)
        if math.isinf(self.error):
            raise CoveyError(
                f"The steady state on {len(self.generator):,} states is not certain: sweeps came "
                "to rest, but nothing can be proved of where. "
                f"{why_slow(self.generator)}"
            )

    def _bound(self, origin: int, responses: Responses) -> float:
        """What sub- and super-solutions prove; infinite where no w was found."""
        g, p = self.generator, self.sweeps.distribution
        away = np.arange(len(p)) != origin
        # Of each state by itself: very many may lead to the origin.
        rounding = g.row_roundings() * UNIT * g.exits
        drift = self.sweeps.product(p) / p
        eta = np.abs(drift) + rounding
        best = math.inf
        for hits in responses(origin, eta):  # p w, up to a multiple of p
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

    # Solutions z of K z = -eta p off the origin, up to a multiple of p, each better than the last.

    def _by_matrix(self, origin: int, eta: Floats) -> Iterator[Floats]:
        """One, by a dense matrix of doubles."""
        n, (into, source, rates) = len(eta), self._relative(origin)
        matrix = -np.bincount(into * n + source, rates, n * n).reshape(n, n)
        np.fill_diagonal(matrix, self.generator.exits)
        with suppress(np.linalg.LinAlgError):  # singular, but for what rounding has taken away
            w = np.linalg.solve(matrix, np.where(np.arange(n) == origin, 0.0, eta))
            yield self.sweeps.distribution * w

    def _by_band_or_sweeps(self, origin: int, eta: Floats) -> Iterator[Floats]:
        """One by a band of doubles where that is quick, else several by sweeps."""
        p, depth = self.sweeps.distribution, self.sweeps.depth
        if self.band is not None:
            into, source, rates = self._relative(origin)
            costs = np.where(np.arange(len(p)) == origin, 0.0, eta)
            yield p * self.band.solve((into, source), -rates, self.generator.exits, costs)
            return
        source_ = p * eta
        rest = self.sweeps.mass(source_)
        source_[origin] -= rest if depth is None else np.ldexp(rest, -depth[origin])
        yield from self.sweeps.responses_in_depth(source_)

    def _by_elimination(self, found: Eliminated, origin: int, eta: Floats) -> Iterator[Floats]:
        """One, by what elimination has left: the origin is the state that it kept."""
        logs = self.sweeps.logs()
        with np.errstate(over="ignore", under="ignore"):
            w = np.exp(found.sojourn(logs + np.log(eta)) - logs)
        w[origin] = 0.0
        yield self.sweeps.distribution * w

    def _relative(self, origin: int) -> tuple[Ints, Ints, Floats]:
        """The transitions between other states than the origin, their rates as the u have them."""
        g = self.generator
        into, source = g.targets, g.indices.astype(np.intp)
        kept = (into != origin) & (source != origin)
        into, source = into[kept], source[kept]
        return into, source, self.sweeps.relative(g.rates[kept], source, into)
