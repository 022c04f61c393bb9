"""What the paper proves or takes for granted, put to the test by numbers.

A statement about all networks is refuted by one; for one about all teams and rates of a system,
many are drawn. What a computation cannot prove, docs/theory does.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.mean_field.equilibrium import equilibrium_point
from covey.dynamics.state_space.enumeration import explore
from covey.errors import DirectBreachWarning
from covey.model.network import Network
from covey.model.scenario import Scenario
from covey.model.structure.structure import Structure
from covey.numbers import Floats
from covey.paper.scenarios import DAG, shared_resource, task_network, three_types
from covey.paper.theory import foundation_claims, foundations
from covey.paper.theory.theory_claims import claims
from covey.paper.workspace import Array, Part, Workspace
from covey.privacy.snapshot.leakage import leakage
from covey.privacy.snapshot.paper_index import paper_index

SEED = 2016
DRAWS = 200  # rates, or teams and rates, that a statement about all of them is tried on
TIMED = (4, 16, 64, 128)  # robots of each type
_REPEATS = 3
_MOST = 100_000
_TEAM = (6, 5, 4)
_PAIRS = [str(s) for s in three_types().network.species].index("{1,2}")
_SWAPPED = ((12, 7, 9), (20, 11, 5), (9, 2, 14))

# The first case study, and a collaboration-DAG that is no complex-balanced network.
_THREE = """{{1}} + {{2}} <-> {{1,2}} @ {}, {}
{{1,2}} + {{3}} <-> {{1,2,3}} @ {}, {}"""
_TWO_WAYS = f"""{_THREE}
{{{{2}}}} + {{{{3}}}} <-> {{{{2,3}}}} @ {{}}, {{}}
{{{{1}}}} + {{{{2,3}}}} <-> {{{{1,2,3}}}} @ {{}}, {{}}"""

Columns = Mapping[str, Sequence[Any] | Array]


def run(workspace: Workspace) -> Part:
    """The numbers that decide the theory's claims, and how long both methods take."""
    settings = {"seed": SEED, "draws": DRAWS, "team": _TEAM, "swapped": _SWAPPED,
                "repeated": foundations.REPEATED,
                "projected": [foundations.LEFT_OUT, foundations.TIGHT]}  # fmt: skip
    tables = {
        "numbers": workspace.table("theory-numbers", settings, _numbers),
        "foundations": workspace.table("theory-foundations", settings, _foundations),
        "times": workspace.table("theory-times", {"teams": TIMED, "repeats": _REPEATS}, _times),
    }
    more = foundation_claims.claims(tables["foundations"], DRAWS)
    return Part("theory", tables, (*claims(tables, DRAWS), *more))


def _foundations() -> Columns:
    found = foundations.numbers(DRAWS)
    return {"what": list(found), "value": [float(value) for value in found.values()]}


def _numbers() -> Columns:
    dag, two_ways = (Structure(_drawn(t, np.random.default_rng(SEED))) for t in (DAG, _TWO_WAYS))
    elementary = [s for s in dag.network.species if len(s.members) == 1]
    found = {
        **_proposition_1(),
        **{f"balanced: {name}": _balanced(text) for name, text in _NETWORKS.items()},
        "deficiency: two ways": two_ways.deficiency,
        **_roots(),
        **{f"irreducible: {name}": _irreducible(one) for name, one in _SYSTEMS.items()},
        "linkage classes": len(dag.linkage_classes),
        "complexes": len(dag.network.complexes),
        "rank": dag.rank,
        "elementary": len(elementary),
        "compound": len(dag.network.species) - len(elementary),
        "swapped": max(map(_swap, _SWAPPED)),
    }
    return {"what": list(found), "value": [float(value) for value in found.values()]}


def _proposition_1() -> dict[str, float]:
    """The formula and the leakage, how the formula varies over states, and the Poisson mass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectBreachWarning)  # the proposition's own query
        scenario = Scenario(three_types(_TEAM).network, three_types(_TEAM).team)
        exact = leakage(scenario).value
        index = paper_index(scenario)
    network, start = scenario.network, scenario.start
    ours = equilibrium_point(network, start)
    most, spread = 0.0, 0.0
    for neighbour in scenario.team.neighbours():
        other = scenario.start_of(neighbour.team)
        theirs = equilibrium_point(network, other)
        for begin in (start, other):
            states = explore(network, begin, max_states=_MOST).states.astype(float)
            values = np.abs(states @ np.log(ours / theirs) - (ours - theirs).sum())
            most, spread = max(most, float(values.max())), max(spread, float(np.ptp(values)))
    mass = sum(
        math.exp(sum(_log_poisson(n, mean) for n, mean in zip(state, ours.tolist(), strict=True)))
        for state in explore(network, start, max_states=_MOST).states.tolist()
    )
    return {
        "formula": index.value,
        "leakage": exact,
        "formula over states": most,
        "spread": spread,
        "mass": mass,
    }


def _log_poisson(count: int, mean: float) -> float:
    return count * math.log(mean) - math.lgamma(count + 1) - mean


def _drawn(text: str, chance: np.random.Generator) -> Network:
    return Network(text.format(*chance.uniform(0.1, 2.0, size=text.count("{}")).tolist()))


def _balanced(text: str) -> int:
    """At how many of `DRAWS` rates the network is complex-balanced."""
    chance = np.random.default_rng(SEED)
    return sum(bool(Structure(_drawn(text, chance)).complex_balanced) for _ in range(DRAWS))


def _roots() -> dict[str, float]:
    """For how many of `DRAWS` teams and rates one root is all-positive, and is the equilibrium."""
    chance = np.random.default_rng(SEED)
    one = resting = 0
    for _ in range(DRAWS):
        team, rates = chance.integers(1, 301, 3), chance.uniform(0.1, 2.0, 4)
        roots = _positive_roots(team, rates)
        scenario = three_types(team.tolist(), rates.tolist())
        rest = equilibrium_point(scenario.network, scenario.start)[_PAIRS]
        one += len(roots) == 1
        resting += len(roots) == 1 and math.isclose(roots[0], rest, rel_tol=1e-6)
    return {"one positive root": one, "root is the equilibrium": resting}


def _positive_roots(team: Array, rates: Floats) -> list[float]:
    """The roots x of the paper's quartic for which all five amounts are positive.

    With x = {1,2}: {1,2,3} = κ3 N3 x / (κ3 x + κ4), the lone robots are what is left, and
    κ1 {1}{2} = κ2 x, times (κ3 x + κ4)², is the polynomial.
    """
    n1, n2, n3 = team.tolist()
    k1, k2, k3, k4 = rates.tolist()
    free = np.poly1d([k3, k4])
    whole = np.poly1d([k3 * n3, 0.0])
    one, two = (np.poly1d([-1.0, n]) * free - whole for n in (n1, n2))
    quartic = k1 * one * two - k2 * np.poly1d([1.0, 0.0]) * free * free
    found = []
    for root in quartic.roots:
        x = float(root.real)
        if abs(root.imag) > 1e-9 * abs(root) or x <= 0:
            continue
        if min(one(x), two(x), n3 * free(x) - whole(x)) > 0:
            found.append(x)
    return found


def _irreducible(scenario: Scenario) -> bool:
    """Whether the start can be reached from every state that it leads to."""
    network = scenario.network
    states = explore(network, scenario.start, max_states=_MOST).states
    return all(
        explore(network, state, max_states=_MOST).index_of(scenario.start)[0] >= 0
        for state in states.astype(np.int64)
    )


def _swap(team: tuple[int, int, int]) -> float:
    """By how much the leakage changes when types 1 and 2 are exchanged."""
    first, second, third = team
    here, there = (
        leakage(three_types(counts), smoothing=1e-5).value
        for counts in ((first, second, third), (second, first, third))
    )
    return abs(here - there)


def _times() -> Columns:
    """The fastest of a few runs by the closed form, and by the chain's own steady state."""
    rows = []
    for robots in TIMED:
        scenario = three_types((robots,) * 3)
        closed, chain = (
            min(_seconds(scenario, Limits(method=method)) for _ in range(_REPEATS))
            for method in ("product-form", "stationary")
        )
        rows.append((robots, closed, chain, chain / closed))
    robots_, closed_, chain_, ratio = zip(*rows, strict=True)
    return {"robots": robots_, "closed": closed_, "chain": chain_, "ratio": ratio}


def _seconds(scenario: Scenario, limits: Limits) -> float:
    began = time.perf_counter()
    leakage(scenario, smoothing=1e-5, limits=limits)
    return time.perf_counter() - began


_NETWORKS = {"three types": _THREE, "the figure's": DAG, "two ways": _TWO_WAYS}
_SYSTEMS = {
    "motivating": shared_resource(),
    "three types": three_types((3, 3, 3)),
    "tasks": task_network((2, 2, 2)),
}
