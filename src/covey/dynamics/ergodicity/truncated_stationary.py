"""The steady state on a truncation of the states, with a proved bound on all that lies outside it.

For networks with too many states for memory, or infinitely many. Let o be a state in the set C.
The stationary distribution of the whole chain is the time spent in each state between two visits to
o, over the length of such a cycle. Up to the first exit from C, the cycle is one of the chain on C
in which whoever leaves is put back to o; let p be the stationary distribution of that chain. After
the exit, to a state y, it takes E_y[time to o] until the cycle is over. Hence, for every state x of
C,

    pi(x) >= p(x) / (1 + loss) >= p(x) (1 - loss),

    loss = sum over x in C, y outside, of p(x) rate(x -> y) E_y[time to o].

p is computed on the truncation, every probability with its proved relative error (`stationary`), so
that the flow out of a truncation that is wide enough is tiny by itself. What is needed besides is a
bound on E_y[time to o], however rough: a function R >= 0 with L R <= -1 in every state but o.

Far out a drift condition gives it (`lyapunov`): L g <= c - l·x, so that g / gamma falls by 1
outside a core K that holds all states with l·x <= c + gamma. In the core two functions are
computed,

    -(L u)(x) >= 1 + sum over y outside K of rate(x -> y) g(y) / gamma     u = 0 outside K, and at o
    -(L v)(x) >=     sum over y outside K of rate(x -> y)                  v = 0 outside K, and at o

in all states of K but o; v is at least the probability of leaving K before o. They are found by
solving for them and then checked, state by state, rounding included. With a number top >= 0, let

    R1 = u + top·v in K, R1 = R2 outside;     R2 = g / gamma + top;     R = min(R1, R2).

L R1 <= -1 in K but at o, by adding up; L R2 <= -1 wherever l·x > c + gamma; and L R <= L R1 where
R = R1, as R is nowhere above R1, and the same for R2. So L R <= -1 everywhere but at o, if

    u + top·v <= g / gamma + top       wherever l·x <= c + gamma,

which says how large top must be. So E_y[time to o] <= g(y) / gamma + top. In particular every state
leads to o, and the steady state is unique and does not depend on the start. K may be larger than
the core needs: it is given a margin, without the states that do not lead to o inside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ergodicity.falling_polynomials import evaluate
from covey.dynamics.ergodicity.lyapunov import Drift
from covey.dynamics.mean_field.rate_equations import jacobian
from covey.dynamics.state_space.conserved_points import ClassPoints, linear_costs
from covey.dynamics.state_space.truncated_chain import TruncatedChain
from covey.dynamics.stationary.communicating_classes import leading_to
from covey.dynamics.stationary.limit import stationary
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError, UnsupportedError
from covey.model.network import Network
from covey.numbers import LOST, UNIT, Floats, Ints

_ROUND_UP = 1 + 1e-12  # more than the roundings of any sum of positive terms here
_MOST_SWEEPS = 2_000
_BETWEEN = 20  # sweeps between two checks
EASY = 30_000  # states of a core: sweeps of some milliseconds
_SHARES = (1.0, 0.5, 0.25, 0.1)  # of c, as gamma
_MORE = 1.1  # how much more than is needed u is made for
_NARROW = 0.25  # least variance of a count, in units of its mean, that a truncation is made for


@dataclass(frozen=True, eq=False)
class TruncatedStationary:
    """`p(x) (1 - loss) <= pi(x)` everywhere, up to `log_error`; all of pi but `truncated_mass`."""

    states: Ints  # (states, species)
    log_probabilities: Floats  # (states,): of p(x) (1 - loss)
    log_error: float
    truncated_mass: float


@dataclass(frozen=True, eq=False)
class Return:
    """E_y[time to o] <= g(y) / pace + top, for every state y."""

    origin: Ints  # (species,): o
    drift: Drift
    pace: float  # gamma
    top: float

    def bound(self, rows: Ints) -> Floats:
        """The bound, for each of these states."""
        bound = evaluate(self.drift.potential, rows) / self.pace + self.top
        return np.asarray(bound * _ROUND_UP)


def core_states(points: ClassPoints, drift: Drift, most: int) -> tuple[Ints, float]:
    """The states with l·x <= c + 2 gamma, and gamma: large where that is easy, else small."""
    weights = drift.weights[list(points.free)]
    for share in _SHARES:
        pace = share * max(drift.level, 1.0)
        budget = drift.level + 2 * pace
        allowed = most if share == _SHARES[-1] else min(most, EASY)
        try:
            return points.within(linear_costs(weights, budget, allowed), budget, allowed), pace
        except TooLargeError as error:
            refusal = error
    raise refusal


def prove_return(
    network: Network, points: ClassPoints, drift: Drift, usual: Floats, max_states: int
) -> Return:
    """A bound on the time it takes to come back to a state near `usual`, from anywhere."""
    rows, pace = core_states(points, drift, max_states)
    free = list(points.free)
    away = (rows[:, free] - usual[free]) / np.sqrt(np.maximum(usual[free], 1.0))
    origin = rows[int(np.argmin((away**2).sum(axis=1)))]
    chain = TruncatedChain.of(network, rows)
    leads = leading_to(chain.generator, int(chain.index.index_of(origin)[0]))
    # A little more than needed: rounding must leave no state of the core out.
    needed = chain.states @ drift.weights <= (drift.level + pace) * _ROUND_UP
    if not leads[needed].all():
        lone = chain.states[int(np.argmax(needed & ~leads))]
        raise UnsupportedError(
            f"no way back was found from {_text(network, lone)} to {_text(network, origin)} by "
            "states with few of everything"
        )
    if not leads.all():
        chain, needed = TruncatedChain.of(network, chain.states[leads]), needed[leads]
    place = int(chain.index.index_of(origin)[0])

    def price(states: Ints) -> Floats:
        return np.asarray(evaluate(drift.potential, states) / pace)

    costs = 1.0 + chain.outflow(price) * _ROUND_UP
    u = _majorant(chain, place, costs, _MORE * costs)
    leaving = chain.leaving * _ROUND_UP
    v = _majorant(chain, place, leaving, leaving + 1e-4 / float(u.max(initial=1.0)))
    short = u * _ROUND_UP - price(chain.states) / _ROUND_UP
    top = _top(short[needed], v[needed] * _ROUND_UP)
    if top is None:
        raise UnsupportedError(
            f"from some of the {len(chain):,} states of the core the team was not shown to come "
            "back before it leaves it again"
        )
    return Return(origin, drift, pace, top)


def _top(short: Floats, v: Floats) -> float | None:
    """A number top >= 0 with short <= top (1 - v) everywhere; None where there is none."""
    inside = v < 1
    top = float((short[inside] / (1 - v[inside])).max(initial=0.0)) * (1 + 1e-9)
    return top if (short <= top * (1 - v)).all() else None


def _majorant(chain: TruncatedChain, origin: int, needed: Floats, wanted: Floats) -> Floats:
    """A function w >= 0, 0 at the origin, with -(L w) >= needed elsewhere, checked.

    It is made for -(L w) = wanted, which is more than what is needed.
    """
    moves, terms = chain.backward(origin), _terms(chain)
    away = np.arange(len(chain)) != origin
    for w in _solutions(moves, np.where(away, wanted, 0.0)):
        falls = moves.exits * w * (1 - terms * UNIT)
        falls -= moves.inflow(w) * (1 + terms * UNIT)
        if (falls >= needed)[away].all():
            return w
    raise UnsupportedError(
        f"the time to come back was not found on the {len(chain):,} states of the core: some of "
        "them hardly lead to each other"
    )


def _terms(chain: TruncatedChain) -> int:
    """How many numbers are added up for one state at the most, and roundings of a rate."""
    return len(chain.network.reactions) + chain.roundings + 4


def _solutions(moves: Generator, source: Floats) -> Iterator[Floats]:
    """Better and better solutions w >= 0 of exits * w = inflow + source.

    By sweeps, and where these creep by elimination: cores in which it takes many steps from end to
    end are long and thin, and then that is quick.
    """
    from scipy.sparse import diags_array  # noqa: PLC0415
    from scipy.sparse.linalg import spsolve  # noqa: PLC0415

    from covey.dynamics.kernels import sparse_rows  # noqa: PLC0415

    w = np.zeros(len(source))
    rows = (moves.rows, moves.exits, source)
    for _ in range(_MOST_SWEEPS // _BETWEEN):
        for _ in range(_BETWEEN):
            sparse_rows.sweep_rows(*rows, w, 0, len(w))
        yield w
    yield np.maximum(spsolve((diags_array(moves.exits) - moves.moves()).tocsc(), source), 0.0)


def _text(network: Network, state: Ints) -> str:
    parts = [f"{n} {s}" for n, s in zip(state.tolist(), network.species, strict=True) if n]
    return ", ".join(parts[:6]) or "nothing"


def truncated_stationary(
    network: Network,
    points: ClassPoints,
    back: Return,
    usual: Floats,
    *,
    tolerance: float,
    max_states: int,
    progress: Progress | None = None,
) -> TruncatedStationary:
    """The distribution on a truncation so wide that the loss is at most `tolerance`."""
    free = list(points.free)
    spread = _spread(network, points, usual)
    budget, slope, tried = math.log(1 / tolerance) + 3.0, 1.0, list[tuple[float, float]]()
    while True:
        costs = [_costs(m, w, budget) for m, w in zip(usual[free], spread, strict=True)]
        try:
            rows = points.within(costs, budget, max_states)
        except TooLargeError as error:
            reached = f"; the best bound reached is {tried[-1][1]:.1e}" if tried else ""
            raise TooLargeError(
                f"a window that leaves out at most {tolerance:.0e} of the probability has "
                f"{error.message}{reached}. Take a smaller team or leave out species that nobody "
                "sees",
                states=error.states,
                larger=("tolerance", "max_states"),
            ) from None
        if not (rows == back.origin).all(axis=1).any():
            rows = np.vstack([rows, back.origin[None]])
        chain = TruncatedChain.of(network, rows)
        origin = int(chain.index.index_of(back.origin)[0])
        start = np.zeros(len(chain))
        start[origin] = 1.0
        guess = -_total(costs, chain.states[:, free])
        result = stationary(
            chain.returning(origin), start, guess=guess, origin=origin, progress=progress
        )
        outflow = chain.outflow(back.bound)
        flow = float(result.probabilities @ outflow) + result.lost * LOST * float(outflow.max())
        loss = flow * math.exp(result.log_error) * (1 + (len(chain) + _terms(chain)) * 2 * UNIT)
        if loss <= tolerance:
            break
        if tried:  # how fast the loss falls with the budget
            fallen = math.log(tried[-1][1] / loss) / (budget - tried[-1][0])
            slope = min(max(fallen, 0.1), 1.5)
        tried.append((budget, loss))
        budget += math.log(loss / tolerance) / slope + 1.0
    kept = np.isfinite(result.log_probabilities)
    logs = result.log_probabilities[kept] + math.log1p(-loss)
    return TruncatedStationary(chain.states[kept], logs, result.log_error + 1e-15, loss * _ROUND_UP)


def _spread(network: Network, points: ClassPoints, usual: Floats) -> Floats:
    """Variance over mean of each free species, by the linear noise equation: to truncate by."""
    from scipy.linalg import solve_continuous_lyapunov  # noqa: PLC0415

    free, follow = list(points.free), list(points.follow)
    slopes = jacobian(network, usual)[free]  # (free, species)
    inverse = np.linalg.inv(points.conserved[:, follow].astype(np.float64))
    inner = slopes[:, free] - slopes[:, follow] @ inverse @ points.conserved[:, free]
    rates = network.flows(usual)
    noise = (network.gamma[free] * rates) @ network.gamma[free].T
    if not np.linalg.eigvals(inner).real.max() < 0:
        return np.ones(len(free))
    covariance = solve_continuous_lyapunov(inner, -noise)
    ratio = np.diagonal(covariance) / np.maximum(usual[free], 1e-9)
    return np.asarray(np.clip(np.nan_to_num(ratio, nan=1.0), _NARROW, None))


def _costs(mean: float, width: float, budget: float) -> Floats:
    """-ln P of a count, roughly: of a Poisson number with this mean, and `width` its variance."""
    mean = max(float(mean), 1e-3)
    top = 8
    while True:
        count = np.arange(top + 1, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            cost = np.where(count > 0, count * np.log(count / mean) - count + mean, mean) / width
        if cost[-1] > budget and top > mean:
            return np.asarray(cost)
        top *= 2


def _total(costs: list[Floats], counts: Ints) -> Floats:
    """The costs together: (states,)."""
    total = np.zeros(len(counts))
    for cost, count in zip(costs, counts.T, strict=True):
        total += cost[np.minimum(count, len(cost) - 1)]
    return total
