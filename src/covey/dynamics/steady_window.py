"""The steady state on a window of the states, with a proved bound on all that lies outside it.

For networks with too many states for memory, or infinitely many. Let o be a state in the window C.
The stationary law of the whole chain is the time spent in each state between two visits to o, over
the length of such a cycle. Up to the first exit from C, the cycle is one of the chain on C in which
whoever leaves is put back to o; let p be the stationary law of that chain. After the exit, to a
state y, it takes E_y[time to o] until the cycle is over. Hence, for every state x of C,

    pi(x) >= p(x) / (1 + loss) >= p(x) (1 - loss),

    loss = sum over x in C, y outside, of p(x) rate(x -> y) E_y[time to o].

p is computed on the window, every probability with its proved relative error (`stationary`), so
that the flow out of a window that is wide enough is tiny by itself. What is needed besides is a
bound on E_y[time to o], however rough: a function R >= 0 with L R <= -1 in every state but o.

Far out a drift condition gives it (`drift`): L g <= c - l·x, so that with the core
K = {l·x <= c + gamma}, g / gamma falls by 1 outside K. In the core two functions are computed,

    -(L u)(x) >= 1 + sum over y outside K of rate(x -> y) g(y) / gamma     u = 0 outside K, and at o
    -(L v)(x) >=     sum over y outside K of rate(x -> y)                  v = 0 outside K, and at o

in all states of K but o; v is at least the probability of leaving K before o. They are found by
sweeps and then checked, state by state, rounding included. If max v < 1, then with
top = max u / (1 - max v)

    R = u + top·v in K,       R = g / gamma + top outside

has L R <= -1 everywhere but at o: inside by adding up, outside since R <= top in K. So
E_y[time to o] <= g(y) / gamma + top. In particular every state leads to o, and the steady state is
unique and does not depend on the start.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.class_points import ClassPoints, linear_costs
from covey.dynamics.drift import Drift
from covey.dynamics.falling import evaluate
from covey.dynamics.mean_field import jacobian
from covey.dynamics.question import Progress
from covey.dynamics.stationary import stationary
from covey.dynamics.window_chain import WindowChain
from covey.errors import TooLargeError, UnsupportedError
from covey.model.network import Network
from covey.numbers import LOST, UNIT, Floats, Ints

_ROUND_UP = 1 + 1e-12  # more than the roundings of any sum of positive terms here
_MOST_TRIES = 8  # windows, each wider than the one before
_MOST_SWEEPS = 20_000
_BETWEEN = 20  # sweeps between two checks
EASY = 30_000  # states of a core: sweeps of some milliseconds
_SHARES = (2.0, 1.0, 0.5, 0.2)  # of c, as gamma
_NARROW = 0.25  # least variance of a count, in units of its mean, that a window is made for


@dataclass(frozen=True, eq=False)
class SteadyWindow:
    """p(x) (1 - loss) <= pi(x) for every state, up to `log_error`; all of pi but `lost_mass`."""

    states: Ints  # (states, species)
    log_probabilities: Floats  # (states,): of p(x) (1 - loss)
    log_error: float
    lost_mass: float


@dataclass(frozen=True, eq=False)
class Return:
    """E_y[time to o] <= g(y) / pace + top, for every state y."""

    origin: Ints  # (species,): o
    drift: Drift
    pace: float  # gamma
    top: float
    core: int  # states in K

    def bound(self, rows: Ints) -> Floats:
        """The bound, for each of these states."""
        bound = evaluate(self.drift.potential, rows) / self.pace + self.top
        return np.asarray(bound * _ROUND_UP)


def core_states(points: ClassPoints, drift: Drift, most: int) -> tuple[Ints, float]:
    """The states of K, and gamma: a wide core where that is easy, else a narrow one."""
    weights = drift.weights[list(points.free)]
    for share in _SHARES:
        pace = share * max(drift.level, 1.0)
        # A little more than the budget: rounding must leave no state of the core out.
        budget = (drift.level + pace) * _ROUND_UP
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
    chain = WindowChain.of(network, rows)
    free = list(points.free)
    away = (chain.states[:, free] - usual[free]) / np.sqrt(np.maximum(usual[free], 1.0))
    origin = int(np.argmin((away**2).sum(axis=1)))
    leads = chain.leading_to(origin)
    if not leads.all():
        lone = int(np.argmin(leads))
        raise UnsupportedError(
            f"no way back was found from {_text(network, chain.states[lone])} to "
            f"{_text(network, chain.states[origin])} by states with few of everything"
        )

    def price(outside: Ints) -> Floats:
        return np.asarray(evaluate(drift.potential, outside) / pace * _ROUND_UP)

    costs = 1.0 + chain.outflow(price) * _ROUND_UP
    u = _majorant(chain, origin, costs, 2 * costs)
    leaving = chain.outflow(lambda outside: np.ones(len(outside))) * _ROUND_UP
    v = _majorant(chain, origin, leaving, leaving + 1e-3 / float(u.max(initial=1.0)))
    escape = float(v.max()) * _ROUND_UP
    if not escape < 1:
        raise UnsupportedError(
            f"from some of the {len(chain):,} states of the core the team was not shown to come "
            "back before it leaves it again"
        )
    top = float(u.max()) * _ROUND_UP / (1 - escape) * _ROUND_UP
    return Return(chain.states[origin], drift, pace, top, len(chain))


def _majorant(chain: WindowChain, origin: int, needed: Floats, wanted: Floats) -> Floats:
    """A function w >= 0, 0 at the origin, with -(L w) >= needed elsewhere, checked.

    Sweeps for -(L w) = wanted, which is more than what is needed, end as soon as the check holds.
    """
    from covey.dynamics import _kernels  # noqa: PLC0415

    moves = chain.backward(origin)
    away = np.arange(len(chain)) != origin
    rows = (moves.indptr, moves.indices, moves.values, moves.exits, np.where(away, wanted, 0.0))
    w = np.zeros(len(chain))
    for _ in range(_MOST_SWEEPS // _BETWEEN):
        for _ in range(_BETWEEN):
            _kernels.sweep_rows(*rows, w, 0, len(w))
        falls = moves.exits * w * (1 - chain.terms * UNIT)
        falls -= moves.inflow(w) * (1 + chain.terms * UNIT)
        if (falls >= needed)[away].all():
            return w
    raise UnsupportedError(
        f"the time to come back was not found in {_MOST_SWEEPS:,} sweeps over {len(chain):,} "
        "states: some of them hardly lead to each other"
    )


def _text(network: Network, state: Ints) -> str:
    parts = [f"{n} {s}" for n, s in zip(state.tolist(), network.species, strict=True) if n]
    return ", ".join(parts[:6]) or "nothing"


def steady_window(
    network: Network,
    points: ClassPoints,
    back: Return,
    usual: Floats,
    *,
    tolerance: float,
    max_states: int,
    progress: Progress | None = None,
) -> SteadyWindow:
    """The law on a window so wide that the loss is at most `tolerance`."""
    free = list(points.free)
    spread = _spread(network, points, usual)
    budget, loss = math.log(1 / tolerance) + 3.0, 1.0
    for _ in range(_MOST_TRIES):
        costs = [
            _costs(mean, width, budget) for mean, width in zip(usual[free], spread, strict=True)
        ]
        try:
            rows = points.within(costs, budget, max_states)
        except TooLargeError as error:
            reached = "" if loss == 1.0 else f"; the best bound reached is {loss:.1e}"
            raise TooLargeError(
                f"a window that leaves out at most {tolerance:.0e} of the probability has "
                f"{error.message}{reached}",
                states=error.states,
            ) from None
        if not (rows == back.origin).all(axis=1).any():
            rows = np.vstack([rows, back.origin[None]])
        chain = WindowChain.of(network, rows)
        origin = int(chain.find(back.origin[None])[0])
        generator = chain.forward(origin)
        start = np.zeros(len(chain))
        start[origin] = 1.0
        guess = np.exp(-np.minimum(_total(costs, chain.states[:, free]), 500.0))
        result = stationary(generator, start, guess=guess, origin=origin, progress=progress)
        flow = float(result.probabilities @ chain.outflow(back.bound))
        loss = flow * math.exp(result.log_error) * (1 + (len(chain) + chain.terms) * 2 * UNIT)
        if loss <= tolerance:
            break
        if progress is not None:
            progress(budget, budget + math.log(loss / tolerance), f"{len(chain):,} states")
        budget += math.log(loss / tolerance) + 1.0
    if not loss <= tolerance:
        raise TooLargeError(
            f"a window of {len(chain):,} states leaves out up to {loss:.1e} of the probability, "
            f"and {tolerance:.0e} is allowed",
            states=len(chain),
        )
    if not result.proved:
        raise UnsupportedError(
            f"the law on the window of {len(chain):,} states was computed, but its error was not "
            "proved: rates very far apart do this"
        )
    kept = result.probabilities > 0
    logs = np.log(result.probabilities[kept]) + math.log1p(-loss)
    lost = loss * _ROUND_UP + result.lost * LOST
    return SteadyWindow(chain.states[kept], logs, result.log_error + 1e-15, lost)


def _spread(network: Network, points: ClassPoints, usual: Floats) -> Floats:
    """Variance over mean of each free species, by the linear noise equation; for windows only."""
    from scipy.linalg import solve_continuous_lyapunov  # noqa: PLC0415

    free, follow = list(points.free), list(points.follow)
    slopes = jacobian(network, usual)[free]  # (free, species)
    inverse = np.linalg.inv(points.laws[:, follow].astype(np.float64))
    inner = slopes[:, free] - slopes[:, follow] @ inverse @ points.laws[:, free]
    rates = network.rate_constants * np.prod(usual**network.reactants, axis=1)
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
