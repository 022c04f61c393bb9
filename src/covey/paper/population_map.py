"""Leakage over a map of populations, at steady state, by the closed form.

Every team of the map shares one list of states (`TeamFamily`): its law and those of its neighbours
are a few look-ups each. Teams that a relabelling maps onto each other are computed once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from covey.dynamics.closed_form.product_form import ProductForm
from covey.dynamics.closed_form.team_family import family_of
from covey.errors import InputError, UnsupportedError
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints
from covey.privacy.laws import symmetries

_BLOCK = 300  # teams that share a list of states


def population_map(
    scenario: Scenario,
    populations: Mapping[str, Sequence[int]],
    *,
    smoothing: float | None = None,
    executor: Executor | None = None,
    pieces: int = 2,
) -> Floats:
    """The leakage of every team of a grid: one axis for each type, in the order given.

    With an `executor` the map is dealt out in so many pieces; without one it is computed here.
    """
    for name in populations:
        if name not in scenario.team.types:
            known = ", ".join(scenario.team.types)
            raise InputError(f"{name} is not a type here: the types are {known}")
    nu = scenario.adversary.smoothing if smoothing is None else smoothing
    starts = _starts(scenario, populations)  # (teams, species)
    images = symmetries(scenario)
    keys = [min(tuple(start[image].tolist()) for image in images) for start in starts]
    distinct = list(dict.fromkeys(keys))
    share = pieces if executor else 1  # every so-many-th: each piece has small and large teams
    jobs = [_Job(scenario, np.array(distinct[i::share]), nu) for i in range(share)]
    found = list(executor.map(_leakages, jobs) if executor else map(_leakages, jobs))
    values = {
        key: value
        for i, piece in enumerate(found)
        for key, value in zip(distinct[i::share], piece, strict=True)
    }
    shape = tuple(len(counts) for counts in populations.values())
    return np.array([values[key] for key in keys]).reshape(shape)


def largest_log_ratio(log_p: Floats, log_q: Floats) -> float:
    """Max over outcomes of |ln p − ln q|; outcomes that neither can show do not count."""
    possible = np.isfinite(log_p) | np.isfinite(log_q)
    return float(np.abs(log_p[possible] - log_q[possible]).max())


def largest_smoothed_ratio(p: Floats, q: Floats, smoothing: float) -> float:
    """Max over outcomes of |ln((p + ν)/(q + ν))|, for ν > 0."""
    ratio = (p + smoothing) / (q + smoothing)
    return float(max(np.log(ratio.max()), -np.log(ratio.min())))


@dataclass(frozen=True, eq=False)
class _Job:
    """One piece of a map: whose leakage is wanted, each as its start."""

    scenario: Scenario
    starts: Ints  # (teams, species)
    smoothing: float


def _leakages(job: _Job) -> list[float]:
    """The leakage of each team of a piece, over all its neighbours."""
    form = ProductForm(job.scenario.network)
    order = np.lexsort(np.sort(job.starts, axis=1).T)
    found = np.zeros(len(order))
    for block in np.array_split(order, -(-len(order) // _BLOCK)):
        found[block] = _block(job, form, job.starts[block])
    return found.tolist()


def _block(job: _Job, form: ProductForm, starts: Ints) -> list[float]:
    """The leakage of teams of about the same size: they share a list of states."""
    scenario = job.scenario
    unit = {name: _unit(scenario, name) for name in scenario.protected}
    most = starts.max(axis=0) + sum(unit.values())
    family, totals_of, constant_of = family_of(form, most, scenario.query)
    moves = {
        (away, to): unit[to] - unit[away]
        for away, to in itertools.permutations(scenario.protected, 2)
    }
    for (away, to), move in moves.items():
        if (move @ constant_of).any():
            raise UnsupportedError(
                f"one {away} turned {to} changes what is seen of every state: "
                "compare the laws of the two teams instead"
            )
    found = []
    for start in starts:
        others = [start + move for move in moves.values() if (start + move >= 0).all()]
        if job.smoothing > 0:
            ours = family.law(start @ totals_of)
            laws = (family.law(other @ totals_of) for other in others)
            ratios = [largest_smoothed_ratio(ours, law, job.smoothing) for law in laws]
        else:
            ours = family.log_law(start @ totals_of)
            laws = (family.log_law(other @ totals_of) for other in others)
            ratios = [largest_log_ratio(ours, law) for law in laws]
        found.append(max(ratios, default=0.0))
    return found


def _starts(scenario: Scenario, populations: Mapping[str, Sequence[int]]) -> Ints:
    """The start of every team of the grid: (teams, species)."""
    grid = np.array(list(itertools.product(*populations.values())), dtype=np.int64)
    current = np.array([scenario.team.types[name] for name in populations])
    units = np.array([_unit(scenario, name) for name in populations])
    return np.asarray(scenario.start + (grid - current) @ units, dtype=np.int64)


def _unit(scenario: Scenario, name: str) -> Ints:
    """Where one more robot of a type starts: (species,)."""
    start = np.zeros(len(scenario.network.species), dtype=np.int64)
    place = scenario.initial[name]
    assert not isinstance(place, int)  # types start in species
    start[scenario.network.index[place]] = 1
    return start
