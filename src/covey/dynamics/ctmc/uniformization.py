"""The distribution at given times, every probability with a bound on its *relative* error.

Uniformisation [1]: with q above every exit rate and P = I + K/q >= 0,

    p(t) = sum_k w_k(qt) v_k,    v_k = P^k p(0),    w_k(m) = e^-m m^k / k!.

No number is ever subtracted, so rounding costs each probability, however small, only some units
in the last place per step (twice the terms of a row, and 12). One pass serves all times. It ends
when, for every time still open, one of two things is *proved* for every state at once.

Truncation. If v_{k+1} <= r v_k componentwise, positivity of P gives v_{k+j} <= r^j v_k, so the
rest of the series is at most v_k sum_j w_{k+j} r^j.

Closing. All later v_{k+j} are fitted from a few earlier vectors, relative to v_k state by state,
and the fit is certified in logs (see `extrapolation`): the rest of the sum is then a combination of
those vectors. With a single vector this is the proved stop at stationarity. What drifts more slowly
than rounding shows is counted: at rest the bound grows with time, beyond the tolerance if it must.

Long steps. Once every state is reached and changes slowly enough, all later times are had by long
steps with a certificate of their own, at the square root of the cost (see `chebyshev`).

A chain of few states that is not done after as many steps as squares cost, because fast and slow
rates lie far apart, is finished by squaring (see `squaring`). Squares keep a bound as long as steps
do, for some 1e13 of them: what is asked for beyond that is answered where the law is at rest by
then, and refused at once where it is not.

[1] Grassmann, Transient solutions in Markovian queueing systems, Comput. Oper. Res. 4 (1977).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc import squaring
from covey.dynamics.ctmc.chebyshev import Strider, far, milestones
from covey.dynamics.ctmc.extrapolation import close
from covey.dynamics.ctmc.poisson_weights import SCALE as WEIGHT_SCALE
from covey.dynamics.ctmc.poisson_weights import PoissonWeights
from covey.errors import CoveyError
from covey.numbers import UNIT, Floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress


# Vectors and weights are kept this much larger, so that probabilities down to 1e-400 survive.
_VECTOR_SCALE = 2.0**600
SCALE = _VECTOR_SCALE * WEIGHT_SCALE
_SCALE_POWER = int(math.log2(SCALE))
_DEAD = 2.0**-1000  # entries below this have left the range in which arithmetic is relative
_SLACK = 1.02  # q over the largest exit rate: P must not be periodic
_SNAPSHOTS = 9  # more were measured to add more noise than knowledge
_PROMISING = 1.0  # a fit is tried once (relative change per step) * (steps ahead) is below this
_HOPELESS = 1e9  # steps that nobody waits for
_GIVEN_UP = 20_001  # steps after which a chain with so many to go is given up
_HOPE = 500_000  # steps in which a chain whose squares have no bound may still come to rest
_LONG_WAY = 400.0  # expected jumps from which on long steps are tried
_STRIDES = 3.0  # what they may add to the error of ln p, in units of the tolerance,
_ROUNDINGS = 10.0  # and in units of what the rounding of plain steps would add
_SAFE = 2.0**-900  # no entry below this: products and their differences keep their accuracy
_WORST = 1e-2  # the largest error of ln p that is worth an answer,
_AT_REST = 0.5  # and at rest, where it is by how much the law may move unseen
_HIDDEN = 700.0  # an error of ln p so large that no float holds e to the power of it


@dataclass(frozen=True)
class TransientResult:
    """p(t) for each time; see the fields for what is promised of them."""

    times: Floats
    scaled: Floats  # (times, states): probabilities * 2^1000, so that tails do not underflow
    log_error: Floats  # (times,): bound on |ln p - ln true p|, for every state not `lost`
    lost: NDArray[np.int64]  # (times,): states whose probability is below all accuracy: 0 here
    products: int
    stopped_at: float  # time up to which steps were made; later is by the fitted sequence

    @property
    def probabilities(self) -> Floats:
        """(times, states)."""
        return self.scaled / SCALE

    @property
    def log_probabilities(self) -> Floats:
        """(times, states); -inf where nothing is left, finite down to about ln p = -1070."""
        # Powers of two apart, so that ln p has the roundings of a number of its own size.
        part, power = np.frexp(self.scaled)
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(part) + (power - _SCALE_POWER) * math.log(2)
        return logs


def transient(
    generator: Generator,
    initial: Floats,
    times: Sequence[float] | Floats,
    *,
    tolerance: float = 1e-10,
    max_products: int = 5_000_000,
    progress: Progress | None = None,
) -> TransientResult:
    """p(t) at every time, sorted or not, from the distribution `initial`."""
    moments = np.asarray(times, dtype=np.float64)
    if not (np.isfinite(moments).all() and (moments >= 0).all()):
        raise CoveyError(f"Times must be finite and not negative; found {moments.tolist()}.")
    end = float(moments.max(initial=0.0))
    rate = float(generator.exits.max(initial=0.0))
    stones = milestones(rate, end) if generator.compiled and rate * end > _LONG_WAY else []
    times = np.unique(np.concatenate([moments, stones]))
    run = _Run(generator, initial, times, tolerance)
    patience = squaring.worth(len(generator))
    if rate * end > _HOPELESS:  # only at rest, by squares or by long steps could it get there
        max_products = min(max_products, _GIVEN_UP)
    _check_hidden(run.roundings * UNIT * rate * end, end)
    shown = monotonic()
    while run.first_open < len(times):
        done = run.first_open
        run.advance()
        if done < run.first_open < len(times) and times[run.first_open - 1] in stones:
            paid = run.finish_by_strides(np.isin(times, moments), progress)
            stones = stones if paid else []
        if run.k == patience and run.steps_left > patience and not run.finish_by_squaring(initial):
            max_products = min(max_products, _HOPE)
        if run.products > max_products:
            raise _still_changes(run.products, run.time, end)
        if progress is not None and monotonic() - shown > 0.3:
            shown = monotonic()
            progress(min(run.time, end), end, "uniformisation")
    place = np.searchsorted(times, moments)
    _check_hidden(float(run.errors[place].max(initial=0.0)), end)
    return TransientResult(
        moments, run.sums[place], run.errors[place], run.lost[place],
        run.products, run.time,
    )  # fmt: skip


def _still_changes(products: int, now: float, end: float) -> CoveyError:
    return CoveyError(
        f"After {products:,} steps the chain is at time {now:.4g} of {end:.4g} and still changes. "
        "Ask for the steady state, for an earlier time, or about slower rates."
    )


def _check_hidden(error: float, end: float) -> None:
    """Refuses an error of ln p that leaves nothing of the law."""
    if error > _HIDDEN:
        raise CoveyError(
            f"Up to time {end:.4g} there are so many steps that rounding hides the law. Ask for "
            "the steady state, for an earlier time, or about slower rates."
        )


class _Run:
    """One pass of uniformisation over sorted times; `first_open` is the first unfinished one."""

    def __init__(
        self, generator: Generator, initial: Floats, times: Floats, tolerance: float
    ) -> None:
        self.generator, self.times, self.tolerance = generator, times, tolerance
        n, count = len(generator), len(times)
        self.rate = _SLACK * float(generator.exits.max(initial=0.0)) or 1.0
        self.stay = self.rate - generator.exits
        self.roundings = generator.roundings
        self.vector = np.asarray(initial, dtype=np.float64) * _VECTOR_SCALE
        self.sums = np.zeros((count, n))
        self.errors = np.zeros(count)
        self.lost = np.zeros(count, dtype=np.int64)
        self.weights = [PoissonWeights(self.rate * float(t)) for t in times]
        self.first_open = int(np.searchsorted(times, 0.0, side="right"))
        self.sums[: self.first_open] = self.vector * WEIGHT_SCALE
        self.k = self.products = 0
        self.spare = np.empty(n)
        self.settled = False  # whether every reachable state has been reached
        self.snapshots: list[Floats] = []
        self.next_attempt = 0.0

    @property
    def time(self) -> float:
        return self.k / self.rate

    def step(self, vector: Floats) -> Floats:
        """P v."""
        self.products += 1
        return self.generator.advance(vector, self.stay, 1 / self.rate)

    def advance(self) -> None:
        """Add v_k to the open sums, go on to v_{k+1}, and see what can be finished."""
        low = high = self.first_open
        while high < len(self.times) and self.weights[high].begins_by(self.k):
            high += 1
        now = np.array([w.at(self.k) for w in self.weights[low:high]])
        before = self.vector
        self.vector = self.generator.advance(
            before, self.stay, 1 / self.rate, now, self.sums[low:high], self.spare
        )
        self.products += 1
        ending = low < high and self.weights[low].beyond(self.k) < 1e-3 * self.tolerance
        if self.k % 8 == 0 or ending:
            self._examine(before, ending)
        kept = any(before is s for s in self.snapshots)
        self.spare = np.empty_like(before) if kept else before
        self.k += 1

    def _examine(self, before: Floats, ending: bool) -> None:
        if not self.settled:
            self.settled = np.count_nonzero(self.vector) == np.count_nonzero(before)
            if not self.settled:
                return
        least, most = self.generator.ratios(self.vector, before, _DEAD)
        if ending:
            self._truncate(before, max(most, 0.0))
        if self.k % 8 or self.first_open == len(self.times):
            return
        if self.k % max(self.k // 24 // 8 * 8, 8) == 0:  # the snapshots span the recent past
            self.snapshots = [*self.snapshots[2 - _SNAPSHOTS :], self.vector]
        change = max(most - 1, 1 - least, 0.0)
        ahead = min(self._ahead(len(self.times) - 1), 20 * self.k)
        if self.k >= self.next_attempt and change * ahead < _PROMISING:
            error = self._close(np.flatnonzero(before > _DEAD))
            missing = math.log10(max(error / self.tolerance, 3.0))
            self.next_attempt = self.k * (1 + 0.12 * min(missing, 3.0))  # as measured, per digit

    def _truncate(self, before: Floats, ratio: float) -> None:
        """Finish times whose remaining terms are negligible in every state."""
        while self.first_open < len(self.times):
            i = self.first_open
            kept = self.sums[i] > self._lost_below(i)
            rest = self.weights[i].rest(self.k, ratio)
            if not math.isfinite(rest):
                return
            with np.errstate(over="ignore"):  # infinite is a truthful answer here
                error = float((before[kept] / self.sums[i][kept]).max(initial=0.0)) * rest
            if not error <= self.tolerance / 10:
                return
            self._finish(i, error)

    @property
    def steps_left(self) -> float:
        """Until the last time is done, if nothing ends it before."""
        return self._ahead(len(self.times) - 1) if self.first_open < len(self.times) else 0.0

    def _ahead(self, i: int) -> float:
        """Steps from v_{k+1} to where the weights of time i end for all purposes."""
        return max(_reach(self.weights[i].mean) - self.k, 0.0)

    def _close(self, alive: NDArray[np.intp]) -> float:
        """Finish open times from the fitted sequence where its error, returned, allows it."""
        everything = len(alive) == len(self.vector)
        rows = slice(None) if everything else alive

        def step(part: Floats) -> Floats:
            whole = part if everything else np.zeros_like(self.vector)
            whole[rows] = part
            return self.step(whole)[rows]

        earlier = [s[rows] for s in self.snapshots if s is not self.vector]
        ahead = self._ahead(len(self.times) - 1)
        closing = close([*earlier, self.vector[rows]], step, ahead, self.roundings)
        while closing is not None and self.first_open < len(self.times):
            i = self.first_open
            error = closing.error(self._ahead(i))
            if error > self.tolerance and not closing.at_rest:
                return error
            weights = self.weights[i]
            passed = max(self.k + 1 - weights.first, 0)
            sums = closing.combine(max(weights.first - self.k - 1, 0), weights.values[passed:])
            self.sums[i][rows] += self.vector[rows] * sums
            self._finish(i, error)
        return 0.0 if closing is not None else math.inf

    def _close_from(
        self, recent: list[Floats], now: float, times: Sequence[float], allowed: float
    ) -> tuple[list[Floats], list[float]] | None:
        """The laws at later times from the sequence fitted to laws up to now, if it is exact."""
        weights = [PoissonWeights(self.rate * (time - now)) for time in times]
        ahead = [_reach(w.mean) for w in weights]
        closing = close(recent, self.step, ahead[-1], self.roundings)
        if closing is None or not closing.error(ahead[-1]) <= allowed:
            return None
        sums = [closing.combine(w.first, w.values) / WEIGHT_SCALE for w in weights]
        return [recent[-1] * part for part in sums], [closing.error(steps) for steps in ahead]

    def finish_by_strides(self, asked: NDArray[np.bool_], progress: Progress | None) -> bool:
        """Finishes all open times that are asked for; False where long steps do not pay."""
        i = self.first_open - 1
        law = self.sums[i] / WEIGHT_SCALE  # as large as the vectors: terms may be much larger
        strider = Strider(self.generator, self.roundings)
        if self.lost[i] or not law.min() > _SAFE or not strider.ready(law):
            return True  # perhaps later
        self.snapshots.clear()  # they take as much memory as strides do
        later = [j for j in range(i + 1, len(self.times)) if asked[j]]
        times = self.times[later].tolist()
        jumps = self.rate * (times[-1] - self.times[i])
        allowed = _STRIDES * self.tolerance + _ROUNDINGS * self.roundings * UNIT * jumps
        found = far(strider, law, float(self.times[i]), times, allowed, self._close_from, progress)
        self.products += strider.products
        if found is None:
            return False
        for j, there, error in zip(later, *found, strict=True):
            self.sums[j] = there * WEIGHT_SCALE
            self.errors[j] = self.errors[i] + error
        self.first_open = len(self.times)
        return True

    def finish_by_squaring(self, initial: Floats) -> bool:
        """Finishes all open times; False where squares have no bound.

        What lies beyond the reach of the bound is as it was there, if it is at rest there.
        """
        h = 2.0 ** math.floor(math.log2(squaring.STEPS / self.rate))  # so that m h is exact
        found = squaring.stretch(self.generator, self.rate, h, self.roundings)
        if found is None:
            return False
        matrix, error = found
        times = self.times[self.first_open :]
        reach = h * math.floor(0.9 * _WORST / (error + (len(matrix) + 1) * UNIT))
        ends = np.minimum(times, reach)
        short = np.fmod(ends, h)
        counts = np.rint((ends - short) / h).astype(np.int64)
        first = transient(self.generator, initial, short, tolerance=self.tolerance)
        rows, errors = squaring.follow(matrix, error, first.scaled, first.log_error, counts)
        self.products += first.products
        errors /= 1 - errors
        lost = rows <= squaring.LOST * SCALE
        rows[lost] = 0.0
        if times[-1] > reach:
            moving = squaring.moving(self.generator, rows[-1] / SCALE, self.roundings)
            errors += moving * (times - ends)
        if not float(errors.max()) < (_WORST if times[-1] <= reach else _AT_REST):
            raise _still_changes(self.products, reach, float(times[-1]))
        self.errors[self.first_open :] = errors
        self.lost[self.first_open :] = lost.sum(axis=1)
        self.sums[self.first_open :] = rows
        self.first_open = len(self.times)
        return True

    def _lost_below(self, i: int) -> float:
        """Sums below this may have lost more than tolerance / 1000 to underflow, here or before.

        An operation loses at most 2^-1074, a dead entry 2^-1000, and P never enlarges the total;
        unlisted weights lose at most themselves times the largest vector.
        """
        entries = len(self.vector) * (_DEAD + self.roundings * self.k * 2.0**-1074)
        lost = entries * WEIGHT_SCALE + self.weights[i].dropped * _VECTOR_SCALE
        return 1e3 * lost / self.tolerance

    def _finish(self, i: int, error: float) -> None:
        """The error of time i: of the method, of rounding in all steps so far, of underflow."""
        lost = self.sums[i] <= self._lost_below(i)
        self.sums[i][lost] = 0.0  # what is left there is rounding: a floor, and no probability
        self.lost[i] = np.count_nonzero(lost)
        rounding = self.roundings * UNIT * (self.k + 2)
        self.errors[i] = error + rounding + self.tolerance / 1000
        self.first_open = i + 1


def _reach(mean: float) -> float:
    """Steps after which Poisson weights are over for all purposes."""
    return mean + 9 * math.sqrt(mean) + 40
