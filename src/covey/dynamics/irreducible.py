"""The law of an irreducible chain, every probability with a relative error bound: K p = 0.

  small chains  elimination without subtractions (GTH [1]);
  large ones    Gauss-Seidel sweeps, sped up by reduced rank extrapolation [2] of the last sweeps
                *relative* to the newest (of logarithms while they still differ much), which keeps
                tails as accurate as the bulk.

What is proved of sweeps. Let g = Kp / p (componentwise), let w >= 0 vanish at one state o only, and
let |g| <= eta and K(pw)/p <= -1 elsewhere. Then p (1 + eta w) and p (1 - eta w) are super- and
sub-solutions of K x = 0 off o, and -K off o is an M-matrix (w shows it), so

    |ln(pi(x)/p(x)) - ln(pi(o)/p(o))| <= about eta w(x)      for every state x.

w is in effect the mean time to hit o in the reversed chain. A rough numerical w does: the
inequality is checked, not assumed. Rounding in g is bounded and counted in eta. That sweeps change
little proves nothing: where a team hardly ever moves between groups of states, each sweep keeps the
weights of the groups as they were guessed. Then there is no such w, and the law is refused, or
found by elimination.

What is proved of elimination. pi(x) is a sum of products of n - 1 rates over a sum of such (the
trees of the chain [3]): rates that are off by a factor e^d each move ln pi by at most 2 (n - 1) d.
Elimination of one state makes new rates of sums and products of positive numbers only, and so does
the way back.

[1] Grassmann, Taksar, Heyman, Oper. Res. 33 (1985). [2] Sidi, Vector Extrapolation
Methods with Applications (2017). [3] O'Cinneide, Numer. Math. 65 (1993).
"""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.closing import row_chunks
from covey.dynamics.cores import side_by_side
from covey.errors import CoveyError
from covey.numbers import LEAST, UNIT, Floats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from covey.dynamics.generator import Generator
    from covey.dynamics.question import Progress


_DENSE = 600  # states up to which elimination is used
_DENSE_AT_NEED = 2_500  # the same where sweeps do not converge, or nothing can be proved of them
_CENSORED = 32  # states that are eliminated together
_CYCLE = 10  # sweeps between extrapolations
_ADVICE = (
    "Rates very far apart do this: bring them nearer to each other, leave out what is slowest or "
    f"fastest, or take a smaller team (up to {_DENSE_AT_NEED:,} states are eliminated one by one, "
    "which minds none of it)."
)


class Solver:
    """K p = 0 on an irreducible chain.

    `error` bounds |ln p - ln true p| for every state above LEAST: proved, or where some are below
    it estimated.
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
        self.generator, self.law, self.tolerance = generator, guess, tolerance
        self.max_sweeps, self.progress = max_sweeps, progress
        self.sweeps = 0
        self.error, self.proved = UNIT, True
        self.estimate = 0.0
        self.dense = len(generator) <= _DENSE

    def solve(self, origin: int | None = None) -> Floats:
        """The law; `origin` is the o of the proof, by default the most probable state."""
        if len(self.law) == 1:
            return self.law
        try:
            if not self.dense:
                self._iterate()
                self._prove(origin)
        except CoveyError:
            # Elimination does not mind what sweeps do mind, but is cubic.
            if len(self.law) > _DENSE_AT_NEED:
                raise
            self.dense = True
        if self.dense:
            self.law = _eliminate(self.generator)
            self._prove(origin)
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
                    f"{_ADVICE}"
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

    def _prove(self, origin: int | None) -> None:
        """The error bound of the module's docstring; refused where there is none."""
        self.proved = bool(self.law.min() > LEAST)
        bound = self._bound(int(np.argmax(self.law)) if origin is None else origin)
        if self.dense:
            bound = min(bound, _elimination_error(len(self.law)))
        elif math.isinf(bound):
            raise CoveyError(
                f"The steady state on {len(self.law):,} states is not certain: sweeps came to "
                "rest, but nothing can be proved of where. Groups of states between which the team "
                f"hardly ever moves do this. {_ADVICE}"
            )
        self.error = bound if self.proved else max(bound, 2 * self.estimate)

    def _bound(self, origin: int) -> float:
        """What sub- and super-solutions prove; infinite where no w was found."""
        g, p = self.generator, self.law
        away = p > LEAST  # the others are lost
        away[origin] = False
        terms = int(g.lengths[away].max(initial=0)) + 3
        safe = np.maximum(p, LEAST)
        drift = g.product(p) / safe
        eta = float((np.abs(drift) + 2 * terms * UNIT * g.exits)[away].max(initial=0.0))
        for hits in self._hitting_times(origin):  # p w, up to a multiple of p
            if not np.isfinite(hits).all():
                continue
            level = hits[origin] / p[origin]
            w = hits / safe - level
            descent = -(g.product(hits) / safe - level * drift)
            descent -= 2 * terms * UNIT * g.exits * (np.abs(hits) / safe + abs(level))
            least = float(descent[away].min(initial=1.0))
            if w[away].min(initial=1.0) > 0 and least > 0.1:
                reach = eta * float(w[away].max(initial=0.0)) / least
                if reach < 0.1:
                    return max(-2 * math.log1p(-reach), UNIT)
        return math.inf

    def _hitting_times(self, origin: int) -> Iterator[Floats]:
        """Better and better solutions z of K z = e_origin - p."""
        p = self.law
        if self.dense:
            matrix = -self.generator.dense_rates().T
            matrix[np.diag_indices(len(p))] = self.generator.exits
            away = np.flatnonzero(np.arange(len(p)) != origin)
            hits = np.zeros(len(p))
            with suppress(np.linalg.LinAlgError):  # singular, but for what rounding has taken away
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


def _elimination_error(n: int) -> float:
    """The bound on |ln p| of `_eliminate`, for n states.

    Of k states, one is censored with at most k + 40 roundings in each new rate: its share of the
    others' sum, and the products of a block. The rates themselves have a few, and the way back has
    as many as there are states before.
    """
    k = np.arange(2.0, n + 1)
    return 1.01 * UNIT * float((2 * (k - 1) * (k + 40) + k + 3).sum() + 16 * n)
