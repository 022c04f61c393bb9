"""Rates from snapshots: the likelihood of what they show one after the other (see `fit`).

Parts of a network that share no species, and of which no sum is seen, go their own ways: the
likelihood is a product over them, and each has its own chain. A log of four species that are two
and two has chains of tens of states instead of one of thousands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.ctmc.propensity import propensity
from covey.dynamics.state_space.enumeration import Lattice, explore
from covey.errors import InputError, TooLargeError
from covey.model.complex import Complex
from covey.model.network import Network
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.numbers import Floats, Ints
from covey.study.fit.logs.log import Log, Run
from covey.study.fit.profile_likelihood import Profile
from covey.study.fit.snapshot_chain import Places, SnapshotChain, Walk
from covey.study.fit.task import Estimate, Task, check_separable, unit_network

MAX_STATES = 250  # of a chain seen by snapshots
_MAX_WORK = 4e7  # states³ · different gaps: about half a second for each try of the rates
_NOTHING = 1e-9  # expected events at a rate that is as good as 0
_INSTANT = 1e6  # events per gap at a rate that is as good as infinite


def fit_snapshots(task: Task, log: Log, scenario: Scenario) -> list[Estimate]:
    """Every parameter: where what follows from snapshot to snapshot is most likely."""
    chains = [chain for chain in chains_of(task, log, scenario) if chain.moves.any()]
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

    time = sum(run.weight * float(np.ptp(run.times)) for run in log.runs)
    fastest = np.max([-chain.moves[felt].min(axis=(1, 2)) for chain in chains], axis=0)
    low = np.log(_NOTHING / (time * fastest))
    high = np.full(len(felt), math.log(_INSTANT / min(c.gaps[c.gaps > 0].min() for c in chains)))
    given = np.log(task.given[felt])
    # The given rates may be in another unit of time: begin at the best multiple of them.
    starts = [np.clip(given + shift, low, high) for shift in np.arange(-15.0, 16.0, 3.0)]
    start = max(starts, key=lambda logs: likelihood(logs)[0])
    fitted = Profile(likelihood, low, high, task, infinite=0.01).estimates(start)
    for p, (value, interval) in zip(felt, fitted, strict=True):
        found[p] = Estimate(value, interval, found[p].given)
    return found


@dataclass(frozen=True)
class _Part:
    """Species that react with each other, and with no others."""

    network: Network  # every κ = 1
    parameters: tuple[int, ...]  # of each of its reactions
    columns: Places  # its species among all
    counted: Places  # which counts of a snapshot are about it
    seen: Ints | None  # (counts, species): what they count; None where each is a species


def chains_of(task: Task, log: Log, scenario: Scenario) -> list[SnapshotChain]:
    """The chains behind the snapshots; refused where their states are too many."""
    runs = [run for run in log.runs if run.times[-1] > run.times[0]]
    stationary = scenario.adversary.at == "steady"
    begun: list[tuple[_Part, Lattice, list[Run]]] = []
    for part in _parts(task, log):
        groups: list[tuple[Lattice, list[Run]]] = []
        for run in runs:
            x = run.states[0, part.counted] if part.seen is None else scenario.start[part.columns]
            for lattice, members in groups:
                if lattice.index_of(x)[0] >= 0:
                    members.append(run)
                    break
            else:
                groups.append((_explore(task, log, part, x), [run]))
        begun.extend((part, lattice, members) for lattice, members in groups)
    work = sum(
        len(_rounded(_gaps(members))[0]) * (len(lattice) ** 3 + 2000)
        for _, lattice, members in begun
    )
    if work > _MAX_WORK:
        states = sum(len(lattice) for _, lattice, _ in begun)
        raise TooLargeError(_too_large(log, f"{states:,}"), states=states)
    return [
        _pair_chain(task, part, lattice, members)
        if part.seen is None
        else _walk_chain(task, part, lattice, members, None if stationary else scenario.start)
        for part, lattice, members in begun
    ]


def _parts(task: Task, log: Log) -> list[_Part]:
    network = task.network
    unit, n = unit_network(network), len(network.species)
    touched = network.reactants + np.abs(network.changes)
    for number, reaction in enumerate(network.reactions):
        if reaction.rate_law is not None:  # which counts others, too
            words = {Species(word) for word in reaction.rate_law.words - network.rates.keys()}
            touched[number, [network.index[one] for one in reaction.rate_law.species | words]] = 1
    linked = [np.flatnonzero(row) for row in touched]
    together = linked + ([] if log.seen is None else [np.flatnonzero(row) for row in log.seen])
    label = np.arange(n)
    for _ in range(n):
        for places in together:
            label[np.isin(label, label[places])] = label[places].min()
    parts = []
    for which in np.unique(label):
        numbers = [r for r, places in enumerate(linked) if label[places[0]] == which]
        part = Network([unit.reactions[r] for r in numbers], unit.rates, unit.kinetics)
        columns = np.array([network.index[species] for species in part.species])
        counted, seen = columns, None
        if log.seen is not None:
            counted = np.flatnonzero(log.seen[:, columns].any(axis=1))
            seen = log.seen[np.ix_(counted, columns)]
            if not len(counted):
                continue  # nothing is seen of it
        parameters = tuple(task.parameter[r] for r in numbers)
        parts.append(_Part(part, parameters, columns, counted, seen))
    return parts


def _explore(task: Task, log: Log, part: _Part, start: Ints) -> Lattice:
    try:
        return explore(part.network, start, max_states=MAX_STATES)
    except TooLargeError:
        many = _too_large(log, f"more than {MAX_STATES}")
        raise TooLargeError(many, states=MAX_STATES + 1) from None


def _too_large(log: Log, states: str) -> str:
    gaps = _gaps(log.runs)
    return (
        f"the chain has {states} states, seen in {log.observations:,} pairs of snapshots with "
        f"{len(_rounded(gaps)[0]):,} different times between them: too large for a fit to "
        f"snapshots (at most {MAX_STATES} states). Look at even times, watch a smaller team, or "
        "log events"
    )


def _gaps(runs: Iterable[Run]) -> Floats:
    return np.concatenate([np.diff(run.times) for run in runs])


def _rounded(gaps: Floats) -> tuple[Floats, Ints]:
    """The different gaps, to nine digits, and which of them each one is."""
    with np.errstate(divide="ignore"):
        digits = np.where(gaps > 0, np.minimum(8 - np.floor(np.log10(gaps)), 290), 0.0)
    different, which = np.unique(np.rint(gaps * 10.0**digits) / 10.0**digits, return_inverse=True)
    return different, which.ravel()


def _moves(task: Task, part: _Part, lattice: Lattice) -> Floats:
    """dQ/dκ: (parameters, states, states)."""
    n = len(lattice)
    moves = np.zeros((len(task.names), n, n))
    states = np.ascontiguousarray(lattice.states.T)
    for r, p in enumerate(part.parameters):
        if not part.network.changes[r].any():
            continue
        h = propensity(part.network, r, states)
        sources = np.flatnonzero(h)
        targets = lattice.successors(sources, part.network.changes[r])
        moves[p, sources, targets] += h[sources]
        moves[p, sources, sources] -= h[sources]
    return moves


def _linked(moves: Floats) -> NDArray[np.bool_]:
    """Which states can follow which: (states, states)."""
    linked = moves.sum(axis=0) > 0
    np.fill_diagonal(linked, True)
    while (wider := (linked.astype(float) @ linked) > 0).sum() > linked.sum():
        linked = wider
    return np.asarray(linked)


def _pair_chain(task: Task, part: _Part, lattice: Lattice, runs: Sequence[Run]) -> SnapshotChain:
    """Of runs that show every species of the part."""
    n, moves = len(lattice), _moves(task, part, lattice)
    places = [_places(part, lattice, run) for run in runs]
    before, after = (np.concatenate([place[end] for place in places]) for end in _ENDS)
    lines = np.concatenate([run.lines[1:] for run in runs]).tolist()
    gaps, which = _rounded(_gaps(runs))
    linked = _linked(moves)
    for source, target, line in zip(before.tolist(), after.tolist(), lines, strict=True):
        if not linked[source, target]:
            raise _unreachable(part, lattice.states[source], lattice.states[target], line)
    pairs = np.zeros((len(gaps), n, n))
    weights = np.concatenate([np.full(len(run.times) - 1, float(run.weight)) for run in runs])
    np.add.at(pairs, (which, before, after), weights)
    if gaps[0] == 0:  # twice the same snapshot says nothing
        gaps, pairs = gaps[1:], pairs[1:]
    return SnapshotChain(moves, gaps, pairs)


_ENDS = slice(None, -1), slice(1, None)


def _places(part: _Part, lattice: Lattice, run: Run) -> Ints:
    """Where in the lattice a run is at each snapshot."""
    states = run.states[:, part.counted]
    place = lattice.index_of(states)
    if place.min() < 0:
        lost = int(place.argmin())
        raise _unreachable(part, states[lost - 1], states[lost], int(run.lines[lost]))
    torn = np.flatnonzero((np.diff(run.times) == 0) & (np.diff(place) != 0))
    if len(torn):
        raise _torn(run.times[torn[0]], int(run.lines[torn[0] + 1]))
    return place


def _torn(time: float, line: int) -> InputError:
    return InputError(
        f"two different states at time {time:g}: one snapshot a time is expected",
        line=line or None,
    )


def _walk_chain(
    task: Task, part: _Part, lattice: Lattice, runs: Sequence[Run], start: Ints | None
) -> SnapshotChain:
    """Of runs that show sums of the part's species, after a start or once it has settled."""
    assert part.seen is not None
    moves = _moves(task, part, lattice)
    linked = _linked(moves)
    if start is None and not linked.all():
        raise InputError(
            "the team cannot come back to every state, so that no distribution is the one it "
            "settles to: "
            "if the log begins with the team's start, say so (--set adversary.at=0)"
        )
    shown = lattice.states @ part.seen.T  # (states, counts)
    alike: dict[bytes, Places] = {}
    walks, times = [], []
    for run in runs:
        looks = [_alike(part, shown, row, alike) for row in run.states[:, part.counted]]
        for k, (look, line) in enumerate(zip(looks, run.lines.tolist(), strict=True)):
            before = looks[k - 1] if k else look
            if not len(look) or not linked[np.ix_(before, look)].any():
                raise _not_shown(task, part, run.states[k, part.counted], line)
            at_once = k > 0 and run.times[k] == run.times[k - 1]
            if at_once and not np.isin(look, before).any():
                raise _torn(run.times[k], line)
        when = run.times
        if start is not None:
            looks = [lattice.index_of(start[part.columns]), *looks]
            when = np.append(min(0.0, when[0]), when)
        walks.append(looks)
        times.append(when)
    gaps, which = _rounded(np.concatenate([np.diff(when) for when in times]))
    ends = np.cumsum([len(when) - 1 for when in times])[:-1]
    n = len(lattice)
    return SnapshotChain(
        moves, gaps, np.zeros((len(gaps), n, n)),
        tuple(Walk.of(*one) for one in zip(walks, np.split(which, ends), strict=True)),
        start is None,
    )  # fmt: skip


def _alike(part: _Part, shown: Ints, counts: Ints, known: dict[bytes, Places]) -> Places:
    """The states that look like some counts; a count that is not there may be anything."""
    key = counts.tobytes()
    if key not in known:
        known[key] = np.flatnonzero(((shown == counts) | (counts < 0)).all(axis=1))
    return known[key]


def _not_shown(task: Task, part: _Part, counts: Ints, line: int) -> InputError:
    assert part.seen is not None
    sums = [
        f"{count} in {_sum(part, row)}"
        for count, row in zip(counts.tolist(), part.seen, strict=True)
        if count >= 0
    ]
    return InputError(
        f"{', '.join(sums)[:300]} is seen, which this team cannot show then: does it have as many "
        "robots as are seen (--set types.A=…)?",
        line=line or None,
    )


def _sum(part: _Part, row: Ints) -> str:
    """What a column counts."""
    terms = [(part.network.species[i], int(row[i])) for i in np.flatnonzero(row)]
    return str(Complex(tuple(terms)))


def _unreachable(
    part: _Part, source: NDArray[np.integer], target: NDArray[np.integer], line: int
) -> InputError:
    def text(state: NDArray[np.integer]) -> str:
        terms = zip(state.tolist(), part.network.species, strict=True)
        return ", ".join(f"{count} {species}" for count, species in terms if count) or "nothing"

    return InputError(
        f"no reactions lead from {text(source)} to {text(target)}, which is seen next",
        line=line or None,
    )
