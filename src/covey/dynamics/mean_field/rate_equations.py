"""Mean field: the team as smoothly varying amounts, ẋ = M A ψ(x) = Γ v(x).

It is what the chain's mean follows when there are many robots of every kind; exact for the mean
where every reaction has at most one reactant. The rates are v_l(x) = κ_l ∏ x_i^ρ_il, whichever
kinetics the chain has, and the Jacobian Γ ∂v/∂x is given to the solver, which needs it where fast
and slow reactions meet. A conservation law w (w Γ = 0) is kept by every step of the solver up to
rounding, since its steps combine values of ẋ. A reaction that has a rate law of its own has v_l by
that rate law at real amounts, and its slope from half a robot less to half a robot more; then the
mean field is a guide to where counts lie, and nothing more is claimed of it.

An equilibrium is found by following the mean field for ever longer times until nothing moves, and
then by Newton's method on Γ v(x) = 0 together with the conservation laws w x = w x(0), which
Γ v(x) = 0 alone does not know. It is the one that this start leads to, where there are several.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from covey.dynamics.validation import check_start, check_times
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.rate_laws.program import Program
from covey.model.structure.structure import Structure
from covey.numbers import SPACING, Floats

_RELATIVE, _ABSOLUTE = 1e-10, 1e-12  # of the amounts; the second in units of the team's size
_SETTLED = 1e-6  # relative speed at which Newton's method takes over
_MAX_STRETCHES = 60  # each twice as long as the one before
_MAX_STANDSTILL = 1000  # evaluations at one time; a step takes some tens
_MAX_EVALUATIONS = 30_000  # a second or two: a mean field that has not settled by then circles


def mean_field(
    network: Network,
    start: ArrayLike,
    times: Iterable[float],
    *,
    max_evaluations: int | None = None,
) -> Floats:
    """The mean field, from the start at time 0: (times, species).

    Args:
        network: The reactions, and how fast they are.
        start: How many of each species there are at time 0.
        times: The times, in increasing order.
        max_evaluations: How often ẋ may be computed before it is refused; by default any number.
    """
    wanted = check_times(times)  # (times,)
    state = check_start(network, start).astype(float)
    later, place = np.unique(np.append(wanted, 0.0), return_inverse=True)  # from 0 on
    path = state[None, :]
    if len(later) > 1:
        path = np.vstack([path, _follow(network, state, later[1:], most=max_evaluations)[0]])
    return path[place[:-1]]


def equilibrium(
    network: Network, start: ArrayLike, *, max_evaluations: int | None = None
) -> Floats:
    """Where the mean field from this start comes to rest: (species,).

    Args:
        network: The reactions, and how fast they are.
        start: How many of each species there are at time 0.
        max_evaluations: How often ẋ may be computed on any stretch of its way; never more than
            30,000 times in all.
    """
    first = check_start(network, start).astype(float)
    state = first
    stretch, now, evaluations = 0.1 / _fastest(network, first), 0.0, 0
    for _ in range(_MAX_STRETCHES):
        left = _MAX_EVALUATIONS - evaluations
        most = left if max_evaluations is None else min(left, max_evaluations)
        ends, spent = _follow(network, state, np.array([stretch]), now, most)
        state, now, evaluations = ends[-1], now + stretch, evaluations + spent
        if _settles(network, state):
            rest = _newton(network, state, first)
            if rest is not None and _stays(network, state, rest, 10 * stretch, most):
                return rest
        if evaluations > _MAX_EVALUATIONS:
            break
        stretch *= 2
    raise UnsupportedError(
        f"the mean field has not come to rest by time {now:.3g}: it circles, grows without bound "
        f"or creeps, and was at {_text(network, state)}. Ask for it at given times instead"
    )


def jacobian(network: Network, x: Floats) -> Floats:
    """∂ẋ/∂x: (species, species)."""
    order = network.reactants
    powers = x**order  # (reactions, species)
    slopes = order * x ** np.maximum(order - 1, 0)
    others = np.ones_like(powers)  # products over all other species, without dividing by zero
    others[:, 1:] = np.cumprod(powers[:, :-1], axis=1)
    others[:, :-1] *= np.cumprod(powers[:, :0:-1], axis=1)[:, ::-1]
    gradient = network.rate_constants[:, None] * slopes * others  # (reactions, species)
    for reaction, program in network.programs.items():
        gradient[reaction] = _rate_law_gradient(program, x)
    return np.asarray(network.gamma @ gradient, dtype=float)


def _rate_law_gradient(program: Program, x: Floats) -> Floats:
    """How a rate law changes with each amount, from half a robot less to half a robot more."""
    slopes = np.zeros(len(x))
    for i in program.counted:
        ends = np.tile(x[:, None], 2)
        ends[i] = max(x[i] - 0.5, 0.0), x[i] + 0.5
        low, high = np.maximum(np.nan_to_num(program.run(ends)), 0.0)
        slopes[i] = (high - low) / (ends[i, 1] - ends[i, 0])
    return slopes


class _Flow:
    """ẋ as the solver calls it.

    It overshoots zero by a little, where a negative amount could run off to minus infinity; so ẋ
    is taken at the nearest amounts that are not negative. Near a blow-up it would try ever smaller
    steps for ever; that is noticed by the time standing still.
    """

    def __init__(self, network: Network, most: int | None) -> None:
        self.network, self.most = network, most
        self.evaluations = 0
        self.time, self.stood_still = 0.0, 0

    def __call__(self, time: float, x: Floats) -> Floats:
        moved = time > self.time * (1 + 1e-15)
        self.evaluations += 1
        self.stood_still = 0 if moved else self.stood_still + 1
        self.time = max(time, self.time)
        if self.stood_still > _MAX_STANDSTILL:
            raise _BlowUpError
        if self.most is not None and self.evaluations > self.most:
            raise UnsupportedError(
                f"the mean field takes more than {self.most:,} evaluations until time "
                f"{time:.3g}: it is stiff, or jumps"
            )
        return self.network.drift(np.maximum(x, 0.0))

    def jacobian(self, _: float, x: Floats) -> Floats:
        return jacobian(self.network, np.maximum(x, 0.0)) * (x >= 0)  # its slope, to match


class _BlowUpError(Exception):
    """The mean field reaches infinity in finite time."""


def _follow(
    network: Network,
    state: Floats,
    times: Floats,
    since: float = 0.0,
    most: int | None = None,
) -> tuple[Floats, int]:
    """The mean field at positive times, and how often ẋ was computed."""
    from scipy.integrate import solve_ivp  # noqa: PLC0415  (takes most of a second)

    flow = _Flow(network, most)
    try:
        with np.errstate(over="ignore", invalid="ignore"), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "lsoda", UserWarning)  # said below, with the time
            solution = solve_ivp(
                flow,
                (0.0, float(times[-1])),
                state,
                method="LSODA",
                t_eval=times,
                jac=flow.jacobian,
                rtol=_RELATIVE,
                atol=_ABSOLUTE * _size(state),
            )
    except _BlowUpError:
        solution = None
    if solution is None or not solution.success or not np.isfinite(solution.y).all():
        raise UnsupportedError(
            f"the mean field cannot be followed beyond time {since + flow.time:.6g}, and "
            f"{since + times[-1]:.6g} was asked for: it grows without bound, most likely"
        )
    return np.maximum(solution.y.T, 0.0), flow.evaluations  # (times, species)


def _newton(network: Network, near: Floats, first: Floats) -> Floats | None:
    """The zero of ẋ close to `near` with the conserved quantities of `first`, if there is one."""
    conserved = Structure(network).conservation_matrix  # (rate laws, species)
    x, step = near, np.inf
    for _ in range(100):  # where the Jacobian is singular it halves the distance, no more
        pace = _pace(network, x)  # brings fast and slow species, and the rate laws, to like size
        pace[pace == 0] = 1.0
        matrix = np.vstack([jacobian(network, x) / pace[:, None], conserved])  # (…, species)
        right = np.concatenate([-network.drift(x) / pace, conserved @ (first - x)])
        move, *_ = np.linalg.lstsq(matrix, right, rcond=1e-13)
        before, step = step, float(np.abs(move).max())
        x = x + move
        if not np.isfinite(x).all():
            return None
        if step <= 4 * SPACING * _size(x) or (step >= before and _rests(network, x)):
            break
    x = np.where(np.abs(x) <= 1e-14 * _size(first), 0.0, x)
    return x if (x >= 0).all() and _rests(network, x) else None


def _stays(network: Network, state: Floats, rest: Floats, time: float, most: int | None) -> bool:
    """Whether the mean field, followed on, does come to the point that Newton's method found.

    It passes slowly by an equilibrium that it will leave again, and that must not be taken.
    """
    ends, _ = _follow(network, state, np.array([time]), most=most)
    away, towards = np.abs(state - rest).max(), np.abs(ends[-1] - rest).max()
    return bool(towards <= max(away / 2, 1e3 * _RELATIVE * _size(state)))


def _settles(network: Network, x: Floats) -> bool:
    """Whether every species moves so slowly, for its own fastest reactions, that rest is near."""
    return bool((np.abs(network.drift(x)) <= _SETTLED * _pace(network, x) * _size(x)).all())


def _rests(network: Network, x: Floats) -> bool:
    """Whether what comes and what goes of every species are equal, up to rounding."""
    gross = np.abs(network.gamma) @ network.flows(x)  # (species,)
    slack = 1e-11 * gross + 1e-14 * _pace(network, x) * _size(x)
    return bool((np.abs(network.drift(x)) <= slack).all())


def _pace(network: Network, x: Floats) -> Floats:
    """How fast each species answers to a change of any other: (species,)."""
    return np.asarray(np.abs(jacobian(network, x)).max(axis=1), dtype=float)


def _size(x: Floats) -> float:
    return max(1.0, float(np.abs(x).max()))


def _fastest(network: Network, x: Floats) -> float:
    """A rate at which something can happen here: its inverse is a short time."""
    rates = [np.abs(jacobian(network, x)).max(), np.abs(network.drift(x)).max() / _size(x)]
    return float(max(rates)) or float(np.nan_to_num(network.rate_constants).max()) or 1.0


def _text(network: Network, x: Floats) -> str:
    largest = np.argsort(-x)[:4]
    return ", ".join(f"{x[i]:.3g} {network.species[i]}" for i in largest if x[i] > 0) or "zero"
