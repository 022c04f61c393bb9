"""The distribution at given times, every probability with a bound on its *relative* error.

Uniformisation [1]: with q above every exit rate and P = I + K/q >= 0,

    p(t) = sum_k w_k(qt) v_k,    v_k = P^k p(0),    w_k(m) = e^-m m^k / k!.

No number is ever subtracted, so rounding costs each probability, however small, only some units
in the last place per step (twice the terms of a row, and 12). One pass serves all times. It ends
when, for every time still open, one of two things is *proved* for every state at once.

Truncation. If v_{k+1} <= r v_k componentwise, positivity of P gives v_{k+j} <= r^j v_k, so the
rest of the series is at most v_k sum_j w_{k+j} r^j.

Extrapolation. All later v_{k+j} are fitted from a few earlier vectors, relative to v_k state by
state, and the fit is certified in logs (see `extrapolation`): the rest of the sum is then a
combination of those vectors. With a single vector this is the proved stop at stationarity. What
drifts more slowly than rounding shows is counted: at rest the bound grows with time, beyond the
tolerance if it must.

Long steps. Once every state is reached and changes slowly enough, all later times are had by long
steps with a certificate of their own, at the square root of the cost (see `chebyshev`).

A chain of few states that is not done after as many steps as squares cost, because fast and slow
rates lie far apart, is finished by `squaring`. What is asked for beyond the reach of its bound is
answered where the distribution is at rest by then, and refused at once where it is not.

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
from covey.dynamics.ctmc.chebyshev.path import allowance, milestones, propagate_to
from covey.dynamics.ctmc.chebyshev.stepper import ChebyshevStepper
from covey.dynamics.ctmc.poisson_weights import SCALE as WEIGHT_SCALE
from covey.dynamics.ctmc.poisson_weights import PoissonWeights, term_count
from covey.dynamics.ctmc.uniformized_chain import UniformizedChain, rest_of_sum, rows_where
from covey.errors import CoveyError, TooLargeError
from covey.numbers import UNIT, Bools, Floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from covey.dynamics.ctmc.generator import Generator
    from covey.dynamics.validation import Progress


# Vectors and weights are kept this much larger, so that probabilities down to 1e-400 survive.
_VECTOR_SCALE = 2.0**600
SCALE = _VECTOR_SCALE * WEIGHT_SCALE
_DEAD = 2.0**-1000  # entries below this have left the range in which arithmetic is relative
_LOOK = 8  # steps between looks at what can be finished
_HOPELESS = 1e9  # steps that nobody waits for
_GIVEN_UP = 20_001  # steps after which a chain with so many to go is given up
_HOPE = 500_000  # steps in which a chain whose squares have no bound may still come to rest
_LONG_WAY = 400.0  # expected jumps from which on long steps are tried
_COMPILING = 10_000.0  # the same where compiled code is for them alone
TOLERANCE = 1e-10  # of ln p, unless another is asked for
SAFE = 2.0**-900  # no entry below this: products and their differences keep their accuracy
_AT_REST = 0.5  # the largest error of ln p at rest: by so much the distribution may move unseen
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
            logs: Floats = np.log(part) + (power - math.log2(SCALE)) * math.log(2)
        return logs


def transient(
    generator: Generator,
    initial: Floats,
    times: Sequence[float] | Floats,
    *,
    tolerance: float = TOLERANCE,
    max_products: int = 5_000_000,
    progress: Progress | None = None,
) -> TransientResult:
    """p(t) at every time, sorted or not, from the distribution `initial`."""
    moments = np.asarray(times, dtype=np.float64)
    if not (np.isfinite(moments).all() and (moments >= 0).all()):
        raise CoveyError(f"Times must be finite and not negative; found {moments.tolist()}.")
    end = float(moments.max(initial=0.0))
    rate = float(generator.exits.max(initial=0.0))
    patience = squaring.worth(len(generator))
    far = _LONG_WAY if generator.compiled else _COMPILING
    stones = milestones(rate, end) if rate * end > far and math.isinf(patience) else []
    times = np.unique(np.concatenate([moments, stones]))
    run = _Run(generator, initial, times, tolerance)
    if rate * end > _HOPELESS:  # only at rest, by squares or by long steps could it get there
        max_products = min(max_products, _GIVEN_UP)
    _check_hidden(run.roundings * UNIT * rate * end, end)
    shown = monotonic()
    while run.first_open < len(times):
        done = run.first_open
        run.advance()
        if done < run.first_open < len(times) and times[run.first_open - 1] in stones:
            paid = run.finish_by_chebyshev_steps(np.isin(times, moments), progress)
            stones = stones if paid else []
        if run.chain.k == patience and not run.finish_by_squaring(initial, patience):
            max_products = min(max_products, _HOPE)
        if run.products > max_products:
            raise _still_changes(run.products, run.chain.time, end)
        if progress is not None and monotonic() - shown > 0.3:
            shown = monotonic()
            progress(min(run.chain.time, end), end, "uniformisation")
    place = np.searchsorted(times, moments)
    _check_hidden(float(run.errors[place].max(initial=0.0)), end)
    return TransientResult(
        moments, run.sums[place], run.errors[place], run.lost[place],
        run.products, run.chain.time,
    )  # fmt: skip


def _still_changes(products: int, now: float, end: float) -> CoveyError:
    return CoveyError(
        f"After {products:,} steps the chain is at time {now:.4g} of {end:.4g} and still changes. "
        "Ask for the steady state, for an earlier time, or about slower rates."
    )


def _check_hidden(error: float, end: float) -> None:
    """Refuses an error of ln p that leaves nothing of the distribution."""
    if error > _HIDDEN:
        raise CoveyError(
            f"Up to time {end:.4g} there are so many steps that rounding hides the distribution. "
            "Ask for the steady state, for an earlier time, or about slower rates."
        )


class _Run:
    """One pass of uniformisation over sorted times; `first_open` is the first unfinished one."""

    def __init__(
        self, generator: Generator, initial: Floats, times: Floats, tolerance: float
    ) -> None:
        self.times, self.tolerance = times, tolerance
        self.chain = UniformizedChain(generator, initial * _VECTOR_SCALE)
        self.roundings = generator.roundings
        self.sums = np.zeros((len(times), len(generator)))
        self.errors = np.zeros(len(times))
        self.lost = np.zeros(len(times), dtype=np.int64)
        if not self.chain.rate * float(times[-1]) < math.inf:
            raise TooLargeError(
                f"the rate {self.chain.rate:.3g} times the time {float(times[-1]):.3g} is larger "
                'than any number here: take a shorter time, or "steady"'
            )
        self.weights = [PoissonWeights(self.chain.rate * float(t)) for t in times]
        self.first_open = int(np.searchsorted(times, 0.0, side="right"))
        self.sums[: self.first_open] = self.chain.v * WEIGHT_SCALE
        self.other_products = 0  # of long steps and squares
        self.all_reached = False  # whether every reachable state has been reached

    @property
    def products(self) -> int:
        return self.chain.products + self.other_products

    def advance(self) -> None:
        """Add a term to the open sums, go on to the next, and see what can be finished."""
        k, low = self.chain.k, self.first_open
        high = low
        while high < len(self.times) and self.weights[high].begins_by(k):
            high += 1
        now = np.array([w.at(k) for w in self.weights[low:high]])
        self.chain.step(now, self.sums[low:high])
        ending = low < high and self.weights[low].beyond(k) < 1e-3 * self.tolerance
        look = k % _LOOK == 0
        if not (look or ending):
            return
        v, before = self.chain.v, self.chain.before
        self.all_reached = self.all_reached or np.count_nonzero(v) == np.count_nonzero(before)
        if self.all_reached:
            least, most = self.chain.change(_DEAD)
            if ending:
                self._truncate(k, max(most, 0.0))
            if look and self.first_open < len(self.times):
                self._extrapolate(k, max(most - 1, 1 - least, 0.0))

    def _truncate(self, k: int, ratio: float) -> None:
        """Finish times whose terms after the k-th are negligible in every state."""
        while self.first_open < len(self.times):
            i = self.first_open
            kept = self.sums[i] > self._lost_below(i)
            term, total = self.chain.before[kept], self.sums[i][kept]
            error = rest_of_sum(self.weights[i], k, ratio, term, total)
            if not error <= self.tolerance / 10:
                return
            self._finish(i, error)

    def _ahead(self, i: int) -> float:
        """Steps from now to where the weights of time i end for all purposes."""
        return max(term_count(self.weights[i].mean) - self.chain.k + 1, 0.0)

    def _extrapolate(self, k: int, change: float) -> None:
        """Finish open times from the fitted sequence, where it is promising and its error small."""
        chain, ahead = self.chain, self._ahead(len(self.times) - 1)
        chain.remember(k // _LOOK)
        if not chain.promising(change, min(ahead, 20 * k)):
            return
        rows = rows_where(chain.before > _DEAD)
        fitted, error = chain.extrapolate(rows, ahead, self.roundings), math.inf
        while fitted is not None and self.first_open < len(self.times):
            i = self.first_open
            error = fitted.error(self._ahead(i))
            if error > self.tolerance and not fitted.at_rest:
                break
            weights = self.weights[i]
            passed = max(chain.k - weights.first, 0)
            sums = fitted.combine(max(weights.first - chain.k, 0), weights.values[passed:])
            self.sums[i][rows] += chain.v[rows] * sums
            self._finish(i, error)
        chain.put_off(error, self.tolerance)

    def finish_by_chebyshev_steps(self, asked: Bools, progress: Progress | None) -> bool:
        """Finishes all open times that are asked for; False where long steps do not pay."""
        i = self.first_open - 1
        p = self.sums[i] / WEIGHT_SCALE  # as large as the terms, which may be much larger
        stepper = ChebyshevStepper(self.chain.generator, self.roundings)
        if self.lost[i] or not p.min() > SAFE or not stepper.ready(p):
            return True  # perhaps later
        self.chain.recent.clear()  # they take as much memory as Chebyshev steps do
        later = [j for j in range(i + 1, len(self.times)) if asked[j]]
        times = self.times[later].tolist()
        jumps = self.chain.rate * (times[-1] - self.times[i])
        allowed = allowance(self.tolerance, self.roundings, jumps)
        now = float(self.times[i])
        found = propagate_to(times, stepper, p, now, allowed, self.chain, progress)
        self.other_products += stepper.products
        if found is None:
            return False
        for j, there, error in zip(later, *found, strict=True):
            self.sums[j] = there * WEIGHT_SCALE
            self.errors[j] = self.errors[i] + error
        self.first_open = len(self.times)
        return True

    def finish_by_squaring(self, initial: Floats, patience: float) -> bool:
        """Finishes all open times, unless that is soon done; False where squares have no bound."""
        generator, times = self.chain.generator, self.times[self.first_open :]
        if not (len(times) and self._ahead(len(self.times) - 1) > patience):
            return True

        def begin(short: Floats) -> tuple[Floats, Floats]:
            first = transient(generator, initial, short, tolerance=self.tolerance)
            self.other_products += first.products
            return first.scaled, first.log_error

        found = squaring.by_squaring(generator, self.chain.rate, times, begin, SCALE)
        if found is None:
            return False
        rows, errors, reach = found
        worst = squaring.WORST if times[-1] <= reach else _AT_REST
        if not float(errors.max()) < worst:
            raise _still_changes(self.products, reach, float(times[-1]))
        self.sums[self.first_open :] = rows
        self.errors[self.first_open :] = errors
        self.lost[self.first_open :] = np.count_nonzero(rows == 0, axis=1)
        self.first_open = len(self.times)
        return True

    def _lost_below(self, i: int) -> float:
        """Sums below this may have lost more than tolerance / 1000 to underflow, here or before.

        An operation loses at most 2^-1074, a dead entry 2^-1000, and P never enlarges the total;
        unlisted weights lose at most themselves times the largest vector.
        """
        entries = self.sums.shape[1] * (_DEAD + self.roundings * self.chain.k * 2.0**-1074)
        lost = entries * WEIGHT_SCALE + self.weights[i].dropped * _VECTOR_SCALE
        return 1e3 * lost / self.tolerance

    def _finish(self, i: int, error: float) -> None:
        """The error of time i: of the method, of rounding in all steps so far, of underflow."""
        lost = self.sums[i] <= self._lost_below(i)
        self.sums[i][lost] = 0.0  # what is left there is rounding: a floor, and no probability
        self.lost[i] = np.count_nonzero(lost)
        rounding = self.roundings * UNIT * (self.chain.k + 1)
        self.errors[i] = error + rounding + self.tolerance / 1000
        self.first_open = i + 1
