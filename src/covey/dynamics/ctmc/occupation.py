"""How much of a span of time a chain spends in each state, on average.

By uniformisation at a rate q ≥ every exit rate, with P = I + K/q and Poisson weights of mean qT,

    (1/T) ∫₀ᵀ p(s) ds = 1/(qT) Σ_k P(Poisson(qT) > k) P^k p(0),

a mixture of distributions with weights that fall from 1 to 0 around k = qT: nothing is subtracted,
so that every share has a small relative error. Terms after the last are lost: they add up to at
most E (Poisson(qT) − k)₊ / qT.

Over a long span that is done for its beginning only, until every state is reached; then long steps
with a certificate go on, where they pay, and add up the time on their way (see `chebyshev`): they
end with the distribution at T, which is then known as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.dynamics.ctmc.chebyshev.path import TimeSpent, allowance, milestones, propagate_to
from covey.dynamics.ctmc.chebyshev.stepper import ChebyshevStepper
from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.poisson_weights import term_count
from covey.dynamics.ctmc.uniformization import SAFE, SCALE, TOLERANCE, TransientResult, transient
from covey.dynamics.ctmc.uniformized_chain import UniformizedChain
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError
from covey.numbers import UNIT, Floats

_TAIL = 1e-14  # of the span
_WEIGHTS = 1e-12  # relative error of pdtrc: below 5e-13 wherever it is compared with 50 digits
_MOST_WORK, _MOST_STEPS = 3e11, 3_000_000  # multiplications, products
_SAID_EVERY = 1_000  # steps
_LONG_WAY = 2_000.0  # expected jumps from which on long steps are tried
_COMPILING = 10_000.0  # the same where compiled code is for them alone
_FARTHEST = 1e7  # expected jumps: a part of them is made one by one


@dataclass(frozen=True)
class Occupation:
    """The share of the span in each state: at least `shares` e^-log_error, but for `lost`."""

    shares: Floats  # (states,)
    log_error: float
    lost: float
    end: TransientResult | None = None  # the distribution at its end, where it was met on the way


def occupation(
    generator: Generator, start: Floats, span: float, progress: Progress | None = None
) -> Occupation:
    """The mean share of the time from 0 to `span` that is spent in each state."""
    if span == 0 or not generator.exits.any():
        return Occupation(start.copy(), 0.0, 0.0)
    rate = float(generator.exits.max())
    far = _LONG_WAY if generator.compiled else _COMPILING
    if far < rate * span < _FARTHEST:
        for begin in milestones(rate, span):
            found = _by_long_steps(generator, start, begin, span, progress)
            if found is not None:
                return found
    return _by_plain_steps(generator, start, span, progress)


def _by_long_steps(
    generator: Generator, start: Floats, begin: float, span: float, progress: Progress | None
) -> Occupation | None:
    """The same by plain steps until `begin` and by long ones after it; None where they do not."""
    there = transient(generator, start, [begin], progress=progress)
    stepper = ChebyshevStepper(generator, generator.roundings)
    p = there.probabilities[0]
    if there.lost[0] or not p.min() > SAFE or not stepper.ready(p):
        return None
    spent = TimeSpent(np.zeros(len(p)))
    jumps = float(generator.exits.max()) * (span - begin)
    allowed = allowance(TOLERANCE, generator.roundings, jumps)
    found = propagate_to([span], stepper, p, begin, allowed, progress=progress, spent=spent)
    if found is None:
        return None
    early = _by_plain_steps(generator, start, begin, progress)
    shares = (begin * early.shares + spent.total) / span
    late = float(there.log_error[0]) + spent.error
    end = TransientResult(
        np.array([span]), SCALE * np.array(found[0]), there.log_error + found[1][0], there.lost,
        there.products + stepper.products, begin,
    )  # fmt: skip
    error = max(early.log_error, late) + 4 * UNIT
    return Occupation(shares, error, begin / span * early.lost, end)


def _by_plain_steps(
    generator: Generator, start: Floats, span: float, progress: Progress | None
) -> Occupation:
    chain = UniformizedChain(generator, start)
    jumps = chain.rate * span
    last = term_count(jumps)
    if last > _MOST_STEPS or last * (len(generator.indices) + len(generator)) > _MOST_WORK:
        raise TooLargeError(
            f"an average until {span:g} takes {min(last, 1e308):.3g} products on "
            f"{len(generator):,} states: ask for a shorter span, or for the measure at steady state"
        )
    beyond = span_weights(jumps)
    left = np.append(np.cumsum(beyond[::-1])[::-1], 0.0)  # from k on, the small ones first
    shares = np.zeros((1, len(start)))
    for k, weight in enumerate(beyond.tolist()):
        if progress is not None and k % _SAID_EVERY == 0:
            progress(k, last, f"average until {span:g}")
        chain.step(np.array([weight]), shares)
        if left[k + 1] <= _TAIL:
            break
    rounding = (k + 2) * generator.roundings * UNIT
    return Occupation(shares[0], rounding + _WEIGHTS, float(left[k + 1]) + _TAIL)


def span_weights(jumps: float) -> Floats:
    """P(Poisson(qT) > k) / qT for k = 0, 1, … until they are negligible, qT being the jumps."""
    from scipy.special import pdtrc  # noqa: PLC0415

    return np.asarray(pdtrc(np.arange(int(term_count(jumps))), jumps)) / jumps
