"""Rates from glances: the likelihood of the transitions between them, exactly (see `fit`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.lattice import Lattice, explore
from covey.errors import InputError, TooLargeError
from covey.model.network import Network
from covey.numbers import Floats, Ints
from covey.study.fit.event_file import Run
from covey.study.fit.profile_likelihood import Profile
from covey.study.fit.task import Estimate, Task, check_separable

MAX_STATES = 250  # of a chain seen by glances
_MAX_WORK = 4e7  # states³ · different gaps: about half a second for each try of the rates
_NOTHING = 1e-9  # expected events at a rate that is as good as 0
_INSTANT = 1e6  # events per gap at a rate that is as good as infinite
_LEAST = 1e-300  # a probability below all that numbers can tell


def fit_glances(task: Task) -> list[Estimate]:
    """Every parameter: where the transitions from glance to glance are most likely."""
    chains = _chains(task)
    for chain in chains:
        chain.check_reachable()
    felt = np.flatnonzero([any(c.moves[p].any() for c in chains) for p in range(len(task.names))])
    found = [Estimate(math.nan, (0.0, math.inf), given) for given in task.given.tolist()]
    if not len(felt):
        return found
    moves = np.concatenate([chain.moves[felt].reshape(len(felt), -1) for chain in chains], axis=1)
    check_separable([task.names[p] for p in felt], moves.T)

    def likelihood(logs: Floats) -> tuple[float, Floats]:
        rates = np.zeros(len(task.names))
        rates[felt] = np.exp(logs)
        parts = [chain.likelihood(rates) for chain in chains]
        return sum(value for value, _ in parts), rates[felt] * sum(g[felt] for _, g in parts)

    time = sum(float(chain.gaps @ chain.pairs.sum(axis=(1, 2))) for chain in chains)
    fastest = np.max([-chain.moves[felt].min(axis=(1, 2)) for chain in chains], axis=0)
    low = np.log(_NOTHING / (time * fastest))
    high = np.full(len(felt), math.log(_INSTANT / min(chain.gaps.min() for chain in chains)))
    given = np.log(task.given[felt])
    # The given rates may be in another unit of time: begin at the best multiple of them.
    starts = [np.clip(given + shift, low, high) for shift in np.arange(-15.0, 16.0, 3.0)]
    start = max(starts, key=lambda logs: likelihood(logs)[0])
    fitted = Profile(likelihood, low, high, task, infinite=0.01).estimates(start)
    for p, (value, interval) in zip(felt, fitted, strict=True):
        found[p] = Estimate(value, interval, found[p].given)
    return found


@dataclass(frozen=True)
class _Chain:
    """The states that can be reached from where some runs begin, and how the runs went."""

    network: Network
    lattice: Lattice
    moves: Floats  # (parameters, states, states): dQ/dκ
    gaps: Floats  # (gaps,): the different times between two glances
    pairs: Floats  # (gaps, states, states): how often one state was followed by another
    line_of: dict[tuple[int, int], int]  # where a pair is first seen

    def likelihood(self, rates: Floats) -> tuple[float, Floats]:
        """What the glances say of κ: ln L and its gradient, (parameters,)."""
        Q = np.tensordot(rates, self.moves, axes=1)
        value, slope = 0.0, np.zeros_like(Q)
        q = float(-Q.diagonal().min()) or 1.0
        halvings = np.maximum(np.ceil(np.log2(16 * q * self.gaps)), 4).astype(int)
        for s in np.unique(halvings):
            members = halvings == s
            part = _log_exponential(Q, q, self.gaps[members], int(s), self.pairs[members])
            value += part[0]
            slope += part[1]
        return value, np.tensordot(self.moves, slope, axes=2)

    def check_reachable(self) -> None:
        """Refuses a state that follows another though no reactions lead there."""
        linked = self.moves.sum(axis=0) > 0
        np.fill_diagonal(linked, True)
        while (wider := (linked.astype(float) @ linked) > 0).sum() > linked.sum():
            linked = wider
        for _, source, target in np.argwhere(self.pairs > 0).tolist():
            if not linked[source, target]:
                raise _unreachable(
                    self.network, self.lattice.states[source], self.lattice.states[target],
                    self.line_of[source, target],
                )  # fmt: skip


_TERMS = 9  # of the Taylor series of a matrix of norm 1/16: the rest is below 1e-18


def _log_exponential(
    Q: Floats, q: float, gaps: Floats, halvings: int, pairs: Floats
) -> tuple[float, Floats]:
    """Σ pairs · ln exp(Q gap), and its gradient with respect to Q; q is the largest exit rate."""
    delta = gaps[:, None, None] / 2.0**halvings
    one = np.eye(len(Q))
    A = (Q + q * one) * delta  # (gaps, states, states), none negative
    series = [np.broadcast_to(one, A.shape)]
    for j in range(_TERMS, 0, -1):
        series.append(one + A @ series[-1] / j)
    shrink = np.exp(-q * delta)
    powers = [shrink * series[-1]]
    for _ in range(halvings):
        square = powers[-1] @ powers[-1]
        powers.append(square / square.sum(axis=2, keepdims=True))  # or roundings would double
    P = np.maximum(powers[-1], _LEAST)
    value = float((pairs * np.log(P)).sum())
    back = pairs / P
    for power in reversed(powers[:-1]):
        X = power.transpose(0, 2, 1)
        back = back @ X + X @ back
    back = shrink * back
    slope = np.zeros_like(A)
    A = A.transpose(0, 2, 1)
    for j, T in enumerate(reversed(series[:-1]), start=1):
        slope += back @ T.transpose(0, 2, 1) / j
        back = A @ back / j
    return value, (delta * slope).sum(axis=0)


def _chains(task: Task) -> list[_Chain]:
    """Runs by the set of states that they begin in; refused where these are too many."""
    groups: list[tuple[Lattice, list[Run]]] = []
    for run in task.log.runs:
        if run.times[-1] == run.times[0]:
            continue
        for lattice, members in groups:
            if lattice.index_of(run.states[0])[0] >= 0:
                members.append(run)
                break
        else:
            groups.append((_explore(task, run), [run]))
    work = sum(
        len(_rounded(_gaps(runs))[0]) * (len(lattice) ** 3 + 2000) for lattice, runs in groups
    )
    if work > _MAX_WORK:
        states = sum(len(lattice) for lattice, _ in groups)
        raise TooLargeError(_too_large(task, f"{states:,}"), states=states)
    return [_chain(task, lattice, runs) for lattice, runs in groups]


def _explore(task: Task, run: Run) -> Lattice:
    try:
        return explore(task.network, run.states[0], max_states=MAX_STATES)
    except TooLargeError:
        many = _too_large(task, f"more than {MAX_STATES}")
        raise TooLargeError(many, states=MAX_STATES + 1) from None


def _too_large(task: Task, states: str) -> str:
    gaps = _gaps(task.log.runs)
    return (
        f"the chain has {states} states, seen in {len(gaps):,} pairs of glances with "
        f"{len(_rounded(gaps)[0]):,} different times between them: too large for a fit to glances "
        f"(at most {MAX_STATES} states). Glance at even times, watch a smaller team, or log events"
    )


def _gaps(runs: Iterable[Run]) -> Floats:
    return np.concatenate([np.diff(run.times) for run in runs])


def _rounded(gaps: Floats) -> tuple[Floats, Ints]:
    """The different gaps, to nine digits, and which of them each one is."""
    with np.errstate(divide="ignore"):
        digits = np.where(gaps > 0, np.minimum(8 - np.floor(np.log10(gaps)), 290), 0.0)
    different, which = np.unique(np.rint(gaps * 10.0**digits) / 10.0**digits, return_inverse=True)
    return different, which.ravel()


def _chain(task: Task, lattice: Lattice, runs: Sequence[Run]) -> _Chain:
    n = len(lattice)
    moves = np.zeros((len(task.names), n, n))
    for r, p in enumerate(task.parameter):
        if task.silent[r]:
            continue
        h = task.propensity(r, lattice.states)
        sources = np.flatnonzero(h)
        targets = lattice.successors(sources, task.network.changes[r])
        moves[p, sources, targets] += h[sources]
        moves[p, sources, sources] -= h[sources]
    places = [_places(task.network, lattice, run) for run in runs]
    before, after = (np.concatenate([place[part] for place in places]) for part in _ENDS)
    lines = np.concatenate([run.lines[1:] for run in runs]).tolist()
    gaps, which = _rounded(_gaps(runs))
    pairs = np.zeros((len(gaps), n, n))
    np.add.at(pairs, (which, before, after), 1.0)
    seen = zip(before.tolist(), after.tolist(), lines, strict=True)
    line_of = {(source, target): line for source, target, line in reversed(list(seen))}
    if gaps[0] == 0:  # twice the same glance says nothing
        gaps, pairs = gaps[1:], pairs[1:]
    return _Chain(task.network, lattice, moves, gaps, pairs, line_of)


_ENDS = slice(None, -1), slice(1, None)


def _places(network: Network, lattice: Lattice, run: Run) -> Ints:
    """Where in the lattice a run is at each glance."""
    place = lattice.index_of(run.states)
    if place.min() < 0:
        lost = int(place.argmin())
        raise _unreachable(network, run.states[lost - 1], run.states[lost], int(run.lines[lost]))
    torn = np.flatnonzero((np.diff(run.times) == 0) & (np.diff(place) != 0))
    if len(torn):
        raise InputError(
            f"two different states at time {run.times[torn[0]]:g}: one glance a time is expected",
            line=int(run.lines[torn[0] + 1]) or None,
        )
    return place


def _unreachable(
    network: Network, source: NDArray[np.integer], target: NDArray[np.integer], line: int
) -> InputError:
    def text(state: NDArray[np.integer]) -> str:
        terms = zip(state.tolist(), network.species, strict=True)
        return ", ".join(f"{count} {species}" for count, species in terms if count) or "nothing"

    return InputError(
        f"no reactions lead from {text(source)} to {text(target)}, which is seen next",
        line=line or None,
    )
