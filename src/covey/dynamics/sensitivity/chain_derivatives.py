"""How a chain's distribution changes with the rates: `s = dp/d ln θ` for every rate θ.

The generator moves with the rates by dK/d ln θ = D_θ, so that

    steady    K s = −D_θ p,  Σ s = 0        one factorisation for all rates, or sweeps
    at τ      ds/dt = K s + D_θ p,  s(0) = 0,

the second by uniformisation of p and every s together: with P = I + K/q and v_k = P^k p(0),

    s(τ) = Σ_k w_k u_k,   u_{k+1} = P u_k + D_θ v_k / q,   u_0 = 0,   w_k Poisson of mean qτ.

The average over a span has the same terms at other weights, those of `occupation`.

These are derivatives, for steps of a search: what they lead to is computed again by itself. Signed
terms may lose digits, which nothing here bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack
from scipy.sparse.linalg import splu

from covey.dynamics.chain import Chain
from covey.dynamics.ctmc.occupation import span_weights
from covey.dynamics.ctmc.poisson_weights import PoissonRange
from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.ctmc.uniformized_chain import UniformizedChain, uniformization_rate
from covey.dynamics.stationary.limit import response
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.numbers import Floats, Ints

_DIRECT = 4_000  # states up to which a factorisation is as fast as sweeps
_MOST_WORK = 3e10  # multiplications of a time derivative
_MOST_STEPS = 500_000  # each takes its time, however small the chain
_FIRST_LOOK = 64  # steps before it is looked whether the chain rests
_RESTS = 1e-13
_TAIL = 1e-17  # of the Poisson weights, left out
_STEP = 1e-5  # of ln θ, for distributions that are not proportional to θ

Parameter = str | int  # a rate by its name, or that of one reaction by its number


@dataclass(frozen=True)
class Tangent:
    """A distribution of states, and how it changes with the logarithm of each rate."""

    distribution: Floats  # (states,)
    sensitivities: Floats  # (rates, states)


def tangent(chain: Chain, at: Moment, knobs: Sequence[Parameter]) -> Tangent:
    """The distribution at a moment, and its derivatives; of a chain that is not folded."""
    if at == "steady":
        return _steady(chain, [_derivative(chain, knob) for knob in knobs])
    jumps, most = _steps(chain, at, len(knobs))
    moved = [_derivative(chain, knob) for knob in knobs]
    if not moved or jumps == 0:
        return Tangent(chain.at([at]).probabilities[0], np.zeros((len(moved), len(chain.lattice))))
    if jumps > most:  # the weights lie far behind: it has to rest by then
        return _mixed(chain, moved, np.zeros(most), 1.0)
    weights = PoissonRange(jumps, _TAIL)
    return _mixed(chain, moved, weights.between(0, weights.last + 1))


def tangent_until(chain: Chain, span: float, knobs: Sequence[Parameter]) -> Tangent:
    """The share of the time until `span` that is spent in each state, and its derivatives."""
    jumps, most = _steps(chain, span, len(knobs))
    moved = [_derivative(chain, knob) for knob in knobs]
    if jumps == 0:
        return Tangent(chain.start, np.zeros((len(moved), len(chain.lattice))))
    if jumps > 2 * most:  # all weights are alike as far as is gone
        return _mixed(chain, moved, np.full(most, 1 / jumps), 1 - most / jumps)
    return _mixed(chain, moved, span_weights(jumps))


def _steps(chain: Chain, time: float, knobs: int) -> tuple[float, int]:
    """How many steps uniformisation takes on average, and how many may be taken."""
    jumps = uniformization_rate(chain.generator) * time
    if not jumps < math.inf:
        raise UnsupportedError(f"derivatives at time {time:g}: no number is so large; ask earlier")
    work = (knobs + 2) * len(chain.generator.indices)  # of a step
    return jumps, int(min(_MOST_WORK / max(work, 1), _MOST_STEPS))


def _steady(chain: Chain, moved: list[csr_array]) -> Tangent:
    found = chain.stationary()
    distribution = found.probabilities
    if len(found.classes) > 1 or len(found.classes[0]) < len(distribution):
        raise UnsupportedError("the team does not settle in one class of states")
    sources = np.array([matrix @ distribution for matrix in moved]).reshape(
        len(moved), len(distribution)
    )
    if len(distribution) <= _DIRECT:
        sensitivities = _factored(chain, distribution, sources)
    else:
        sensitivities = np.array(
            [response(chain.generator, distribution, source) for source in sources]
        )
    return Tangent(distribution, sensitivities.reshape(sources.shape))


def _factored(chain: Chain, distribution: Floats, sources: Floats) -> Floats:
    """K s = −b for all b, the most probable state held fixed and the sum put right after."""
    origin = int(np.argmax(distribution))
    away = np.delete(np.arange(len(distribution)), origin)
    sensitivities = np.zeros(sources.shape)
    if len(away):
        matrix = csc_array(chain.generator.csr())[:, away][away, :]
        sensitivities[:, away] = splu(matrix).solve(np.ascontiguousarray(-sources[:, away].T)).T
    sensitivities -= sensitivities.sum(axis=1)[:, None] * distribution
    return sensitivities


def _mixed(chain: Chain, moved: list[csr_array], weights: Floats, beyond: float = 0.0) -> Tangent:
    """Σ_k w_k v_k and Σ_k w_k u_k, for the weights of k = 0, 1, …, and of all `beyond` together.

    It ends where the vectors rest, and is refused where they do not while weights lie beyond.
    """
    terms, n = UniformizedChain(chain.generator, chain.start), len(chain.lattice)
    step = chain.generator.csr() / terms.rate
    step.setdiag(step.diagonal() + 1.0)
    together = vstack(moved).tocsr() / terms.rate  # (rates × states, states)
    distribution, u = np.zeros((1, n)), np.zeros((n, len(moved)))
    sensitivities = np.zeros_like(u)
    before = None  # the vectors at the last power of two
    for k, weight in enumerate(weights.tolist()):
        if k >= _FIRST_LOOK and k & (k - 1) == 0:
            if before is not None and _rests(before, (terms.v, u)):
                rest = float(weights[k:].sum()) + beyond
                sensitivities += rest * u
                terms.step(np.array([rest]), distribution)
                return Tangent(distribution[0], sensitivities.T.copy())
            before = terms.v.copy(), u
        if weight:
            sensitivities += weight * u
        u = step @ u + (together @ terms.v).reshape(len(moved), n).T
        terms.step(weights[k : k + 1], distribution)
    if beyond:
        raise UnsupportedError(
            f"derivatives take more than {len(weights):,} steps at so late a time, by which the "
            "team has not come to rest: ask for an earlier time, or for steady"
        )
    return Tangent(distribution[0], sensitivities.T.copy())


def _rests(before: tuple[Floats, Floats], now: tuple[Floats, Floats]) -> bool:
    """Whether nothing has changed from k steps to 2k: what decays by steps does not come back."""
    changes = [np.abs(new - old).max(initial=0.0) for old, new in zip(before, now, strict=True)]
    sizes = [np.abs(new).max(initial=0.0) for new in now]
    return all(c <= _RESTS * size for c, size in zip(changes, sizes, strict=True))


def _derivative(chain: Chain, knob: Parameter) -> csr_array:
    """`D_θ` of a rate."""
    network, lattice = chain.network, chain.lattice
    columns = np.ascontiguousarray(lattice.states.T)
    n = len(lattice)
    rows, places, values = [], [], []
    for r in range(len(network.reactions)):
        change = rate_sensitivity(network, r, knob, columns)
        sources = np.flatnonzero(change)
        if not len(sources) or not network.changes[r].any():
            continue
        targets = lattice.successors(sources, network.changes[r])
        rows += [targets, sources]
        places += [sources, sources]
        values += [change[sources], -change[sources]]
    if not rows:
        return csr_array((n, n))
    return csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(places))), shape=(n, n)
    )


def rate_sensitivity(network: Network, reaction: int, knob: Parameter, columns: Ints) -> Floats:
    """How a reaction's rate changes with ln θ, in every state of (species, states)."""
    distribution = network.reactions[reaction].rate_law
    if distribution is not None and isinstance(knob, str) and knob in distribution.words:
        up, down = (
            propensity(network.with_rates({knob: rate}), reaction, columns)
            for rate in network.rates[knob] * np.exp([_STEP, -_STEP])
        )
        return (up - down) / (2 * _STEP)
    if is_rate_of(network, reaction, knob):
        return propensity(network, reaction, columns)
    return np.zeros(columns.shape[1])


def is_rate_of(network: Network, reaction: int, knob: Parameter) -> bool:
    """Whether a reaction is as fast as θ says, in proportion."""
    if isinstance(knob, int):  # a rate of 1.0 is not the number 1 of a reaction
        return knob == reaction
    return knob == network.reactions[reaction].rate
