"""The limit law of a chain from a given start, every probability with a relative error bound.

States outside the closed classes get zero. Inside one closed class the law solves K p = 0:

  small classes  elimination without subtractions (GTH [1]);
  large ones     Gauss-Seidel sweeps, sped up by reduced rank extrapolation [2] of the last sweeps
                 *relative* to the newest (of logarithms while they still differ much), which keeps
                 tails as accurate as the bulk.

With several closed classes each is weighted by the probability of ending in it, found from the
sojourn times s >= 0 of the transient states, -K_TT s = p_T(0), again without subtractions.

What is proved. Let g = Kp / p (componentwise), let w >= 0 vanish at one state o only, and let
|g| <= eta and K(pw)/p <= -1 elsewhere. Then p (1 + eta w) and p (1 - eta w) are super- and
sub-solutions of K x = 0 off o, and -K off o is an M-matrix (w shows it), so

    |ln(pi(x)/p(x)) - ln(pi(o)/p(o))| <= about eta w(x)      for every state x.

w is in effect the mean time to hit o in the reversed chain. A rough numerical w does: the
inequality is checked, not assumed. Rounding in g is bounded and counted in eta.

[1] Grassmann, Taksar, Heyman, Oper. Res. 33 (1985). [2] Sidi, Vector Extrapolation
Methods with Applications (2017).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.absorption import class_weights, closed_classes
from covey.dynamics.closing import row_chunks
from covey.dynamics.cores import side_by_side
from covey.errors import CoveyError
from covey.numbers import LEAST, UNIT, Floats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from covey.dynamics.generator import Generator
    from covey.dynamics.question import Progress


_DENSE = 600  # states up to which elimination is used
_DENSE_AT_NEED = 2_500  # the same where sweeps do not converge
_CENSORED = 32  # states that are eliminated together
_CYCLE = 10  # sweeps between extrapolations
_CLOSE = 1e-8  # how near two responses are when the later one will do


@dataclass(frozen=True)
class StationaryResult:
    """The limit law; `log_error` bounds |ln p - ln true p| for every state not `lost`."""

    probabilities: Floats  # (states,)
    log_error: float
    proved: bool  # log_error is proved; otherwise estimated from the speed of convergence
    classes: tuple[NDArray[np.intp], ...]  # the states of each closed class
    weights: Floats  # (classes,): probability of ending in each
    lost: int  # states of the classes whose probability is below all accuracy: 0 here
    sweeps: int


def stationary(
    generator: Generator,
    initial: Floats,
    *,
    tolerance: float = 1e-12,
    guess: Floats | None = None,
    origin: int | None = None,
    max_sweeps: int = 5_000,
    progress: Progress | None = None,
) -> StationaryResult:
    """The limit of p(t) from `initial`; `guess` (any positive vector) only saves time.

    `origin` is the o of the proof, by default the most probable state.
    """
    classes = closed_classes(generator, initial)
    weights = class_weights(generator, initial, classes)
    law = np.zeros(len(generator))
    errors, proofs, sweeps = [0.0], [True], 0
    for members, weight in zip(classes, weights, strict=True):
        whole = len(members) == len(generator)
        part = generator if whole else generator.restrict(members)
        first = np.ones(len(part)) if guess is None else guess[members]
        solver = _Solver(part, first / first.sum(), tolerance, max_sweeps, progress)
        law[members] = weight * solver.solve()
        error, proved = solver.certify(np.flatnonzero(members == origin))
        errors.append(error)
        proofs.append(proved and len(classes) == 1)
        sweeps += solver.sweeps
    members = np.concatenate(classes)
    lost = members[law[members] <= LEAST]
    law[lost] = 0.0
    return StationaryResult(law, max(errors), all(proofs), classes, weights, len(lost), sweeps)


def response(generator: Generator, law: Floats, source: Floats) -> Floats:
    """The solution of K z = −source with Σ z = 0, by sweeps; `law` is stationary, Σ source = 0.

    For derivatives: it is as near as sweeps come, and no bound is proved.
    """
    solver, before = _Solver(generator, law, 0.0, 0, None), np.full(len(law), np.inf)
    scale = np.maximum(law, LEAST)
    for rough in solver.responses(source):
        found = rough - rough.sum() * law
        change = np.abs(found - before) / scale
        if change.max() <= _CLOSE * max(float((np.abs(found) / scale).max()), LEAST):
            break
        before = found
    solution: Floats = found
    return solution


class _Solver:
    """K p = 0 on one irreducible class."""

    def __init__(
        self,
        generator: Generator,
        guess: Floats,
        tolerance: float,
        max_sweeps: int,
        progress: Progress | None,
    ) -> None:
        self.generator, self.law, self.tolerance = generator, guess, tolerance
        self.max_sweeps, self.progress = max_sweeps, progress
        self.sweeps = 0
        self.estimate = 0.0
        self.dense = len(generator) <= _DENSE

    def solve(self) -> Floats:
        if not self.dense:
            try:
                self._iterate()
            except CoveyError:
                # Rates too far apart for sweeps; elimination does not mind, but is cubic.
                if len(self.law) > _DENSE_AT_NEED:
                    raise
                self.dense = True
        if self.dense:
            self.law = _eliminate(self.generator)
        return self.law

    def _iterate(self) -> None:
        """Cycles of sweeps and an extrapolation, until the estimated error is small enough."""
        source, shown = np.zeros(len(self.law)), monotonic()
        best, before, stalled = math.inf, math.inf, 0
        while True:
            history = self._cycle(self.law, source)
            last = [h / h.sum() for h in history[-3:]]
            kept = [np.maximum(h, LEAST) for h in last]
            moves = [float(np.abs(a / b - 1).max()) for a, b in itertools.pairwise(kept)]
            decay = min(moves[1] / moves[0], 0.999) if moves[0] > 0 else 0.0
            self.estimate = moves[1] / (1 - max(decay, 0.5))
            self.law = last[-1]
            stalled = stalled + 1 if self.estimate > best / 2 else 0
            worse, before = self.estimate > before, self.estimate
            best = min(best, self.estimate)
            if self.estimate <= self.tolerance or (stalled > 3 and best < 1e-11):
                return
            if self.sweeps >= self.max_sweeps:
                raise CoveyError(
                    f"The steady state is not settled after {self.sweeps:,} sweeps: the relative "
                    f"error is about {self.estimate:.1e}, {self.tolerance:.1e} was asked for. "
                    "Rates very far apart do this: bring them nearer to each other, or leave out "
                    "what is slowest or fastest."
                )
            if not worse:  # after a bad jump, sweeps alone
                self.law = _extrapolate(history, logarithmic=True)
            if self.progress is not None and monotonic() - shown > 0.3:
                shown = monotonic()
                digits = -math.log10(max(min(self.estimate, 1.0), self.tolerance))
                self.progress(digits, -math.log10(self.tolerance), "steady state, digits")

    def _cycle(self, start: Floats, source: Floats) -> Floats:
        """Sweeps for exits * x = inflow + source; each one's outcome, the newest last."""
        from covey.dynamics import _kernels  # noqa: PLC0415

        g = self.generator
        copies = np.tile(start, (len(g.blocks), 1))  # (blocks, states)
        rows = (g.rows, g.exits, source)
        history = np.empty((_CYCLE, len(start)))
        for fresh in history:

            def work(block: int, fresh: Floats = fresh) -> None:
                begin, end = g.blocks[block]
                _kernels.sweep_rows(*rows, copies[block], begin, end)
                fresh[begin:end] = copies[block, begin:end]

            side_by_side(work, len(g.blocks))
            copies[:] = fresh
        self.sweeps += _CYCLE
        return history

    def certify(self, anchor: NDArray[np.intp]) -> tuple[float, bool]:
        """The error bound of the module's docstring, or an estimate where no w could be found."""
        g, p = self.generator, self.law
        if len(p) == 1:
            return UNIT, True
        if p.min() <= LEAST:
            return max(2 * self.estimate, 4 * UNIT * float(g.lengths.max() + 3)), False
        origin = int(anchor[0]) if len(anchor) else int(np.argmax(p))
        away = np.arange(len(p)) != origin
        terms = int(g.lengths[away].max()) + 3
        drift = g.product(p) / p
        eta = float((np.abs(drift) + 2 * terms * UNIT * g.exits)[away].max())
        for hits in self._hitting_times(origin):  # p w, up to a multiple of p
            level = hits[origin] / p[origin]
            w = hits / p - level
            descent = -(g.product(hits) / p - level * drift)
            descent -= 2 * terms * UNIT * g.exits * (np.abs(hits) / p + abs(level))
            if w[away].min() > 0 and descent[away].min() > 0.1:
                reach = eta * float(w.max()) / float(descent[away].min())
                if reach < 0.1:
                    return -2 * math.log1p(-reach), True
        return max(2 * self.estimate, 4 * terms * UNIT), False

    def _hitting_times(self, origin: int) -> Iterator[Floats]:
        """Better and better solutions z of K z = e_origin - p."""
        p = self.law
        if self.dense:
            matrix = -self.generator.dense_rates().T
            matrix[np.diag_indices(len(p))] = self.generator.exits
            away = np.flatnonzero(np.arange(len(p)) != origin)
            hits = np.zeros(len(p))
            hits[away] = np.linalg.solve(matrix[np.ix_(away, away)], p[away])
            yield hits
            return
        source = p.copy()
        source[origin] -= 1.0
        yield from self.responses(source)

    def responses(self, source: Floats) -> Iterator[Floats]:
        """Better and better solutions z of K z = −source, each up to a multiple of the law."""
        found = np.zeros(len(self.law))
        for _ in range(30):
            found = _extrapolate(self._cycle(found, source), logarithmic=False, scale=self.law)
            yield self._cycle(found, source)[-1]


def _extrapolate(history: Floats, *, logarithmic: bool, scale: Floats | None = None) -> Floats:
    """Reduced rank extrapolation: the affine combination with the least relative residual."""
    newest: Floats = history[-1]
    reference = np.maximum(newest if scale is None else scale, LEAST)
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
    np.copyto(out, newest, where=newest <= LEAST)  # these follow their neighbours in the next sweep
    if not (np.isfinite(out).all() and out.min() >= 0):
        return newest
    out /= out.sum()
    return out


def _eliminate(generator: Generator) -> Floats:
    """GTH: censor the states one by one from the last, then go back; sums of positives only.

    By blocks: what censoring a block does to all states before it is one product of matrices.
    """
    rates = generator.dense_rates()
    n = len(rates)
    for end in range(n, 1, -_CENSORED):
        begin = max(end - _CENSORED, 1)
        for k in range(end - 1, begin - 1, -1):
            later = slice(k + 1, end)  # those of the block that are censored already
            rates[k, :k] += rates[k, later] @ rates[later, :k]
            rates[:k, k] += rates[:k, later] @ rates[later, k]
            rates[:k, k] /= rates[k, :k].sum()
        block = slice(begin, end)
        rates[:begin, :begin] += rates[:begin, block] @ rates[block, :begin]
    law = np.ones(n)
    for k in range(1, n):
        law[k] = law[:k] @ rates[:k, k]
        if law[k] > 1e200:  # far from underflow at either end
            law[: k + 1] /= law[k]
    law /= law.sum()
    return law
