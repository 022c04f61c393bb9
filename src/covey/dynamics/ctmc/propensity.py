"""How often a reaction happens, in every state of a block: what all chains are made of.

    a_r(x) = rate_r * prod_i x_i! / (x_i - rho_ri)!     (kinetics "falling")
           = rate_r * prod_i x_i ^ rho_ri               (kinetics "power")
           = law_r(x)                                   (a rate law of its own)

A rate law is any function that a user may write, so what it gives is looked at in every state
before anything is made of it: it must be a finite number, not negative, and 0 where the reactants
are not there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError, UnsupportedError
from covey.model.network import Network
from covey.numbers import Floats


def propensity(network: Network, reaction: int, columns: NDArray[np.integer]) -> Floats:
    """a_r(x) of one reaction in every state; `columns` holds the states as (species, states)."""
    if network.reactions[reaction].rate_law is not None:
        return _by_rate_law(network, reaction, columns)
    return float(network.rate_constants[reaction]) * ways(network, reaction, columns)


def ways(network: Network, reaction: int, columns: NDArray[np.integer]) -> Floats:
    """a_r(x) / rate_r of a reaction without a rate law: in how many ways it finds what it takes."""
    found = np.ones(columns.shape[1])
    for species in np.flatnonzero(network.reactants[reaction]):
        counts, order = columns[species], int(network.reactants[reaction, species])
        most = int(counts.max(initial=0))
        if most <= len(counts):  # fewer different counts than states: a table of them
            found *= _choices(np.arange(most + 1), order, network.kinetics)[counts]
        else:
            found *= _choices(counts, order, network.kinetics)
    return found


def _choices(counts: NDArray[np.integer], order: int, kinetics: str) -> Floats:
    """In how many ways a reaction finds so many robots of a species: for each count."""
    numbers = counts.astype(np.float64)
    found = np.ones(len(numbers))
    for taken in range(order):
        found *= np.maximum(numbers - taken, 0.0) if kinetics == "falling" else numbers
    # The power law alone would let a reaction fire that consumes more than there is.
    return np.where(counts < order, 0.0, found)


def check_exits(exits: Floats) -> None:
    """Refuses the total rates out of states where one is more than any number."""
    if not np.isfinite(exits).all():
        raise UnsupportedError(
            "some rates are so large that a sum of them is more than any number here: give them in "
            "another unit of time"
        )


def fires(network: Network, reaction: int, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
    """In which states a reaction can happen; `rows` holds them as (states, species)."""
    if network.reactions[reaction].rate_law is not None:
        return _by_rate_law(network, reaction, rows.T) > 0
    needed = np.flatnonzero(network.reactants[reaction])
    there: NDArray[np.bool_] = (rows[:, needed] >= network.reactants[reaction, needed]).all(axis=1)
    return there


def _by_rate_law(network: Network, reaction: int, columns: NDArray[np.integer]) -> Floats:
    rates = network.programs[reaction].run(columns)
    needed = np.flatnonzero(network.reactants[reaction])
    lacking = (columns[needed] < network.reactants[reaction, needed, None]).any(axis=0)
    wrong = ~np.isfinite(rates) | (rates < 0) | (lacking & (rates != 0))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise wrong_rate_law(network, reaction, columns[:, first], float(rates[first]))
    return rates


def wrong_rate_law(
    network: Network, reaction: int, state: NDArray[np.integer], rate: float
) -> InputError:
    """The error for a rate law that gives no rate in some state."""
    guilty = network.reactions[reaction]
    if not np.isfinite(rate):
        what = "is no finite number"
        advice = "a division by 0 is avoided by dividing by max(..., 1)"
    elif rate < 0:
        what = f"is {rate:.6g}, which is negative"
        advice = "max(0, ...) keeps it from that"
    else:
        what = f"is {rate:.6g}, though there is not enough of {guilty.reactants} to take"
        lacking = next(s for s, n in guilty.reactants if state[network.index[s]] < n)
        advice = f"a factor such as min({lacking}, 3) or ({lacking} > 0) makes it 0 there"
    return InputError(
        f"the rate law of {guilty.arrow}, {str(guilty.rate_law)[:120]}, {what} in the state "
        f"{state_text(network, state)}: {advice}",
        key="network.reactions",
    )


def state_text(network: Network, state: NDArray[np.integer]) -> str:
    """A state as a message names it: `3 {A}, 1 w{A}`."""
    there = [f"{n} {s}" for s, n in zip(network.species, state.tolist(), strict=True) if n]
    return ", ".join(there[:12]) + (", ..." if len(there) > 12 else "") or "with nobody in it"
