"""The closed form, beside the same job done by listing the states, and beside the Markov chain.

Listing means: search all reachable states, weigh each by the product, add up by what is seen. Jobs
too long to list are listed in part, and the time is that of the part times what is left out (~).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter

import numpy as np

from benchmarks.timing import best_of, markdown
from covey import Network, Query, Scenario, Team, sweep
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits
from covey.dynamics.product_form.product_form import ProductForm
from covey.dynamics.solve import solve
from covey.dynamics.state_space.enumeration import explore
from covey.paper.case_studies.tree_leakage import TreeTeam, tree_readings
from covey.paper.case_studies.tree_shapes import Tree, all_trees, symmetric_tree

AGAINST = "listing the states by covey's own search, and covey's Markov chain"
THREE = Network("{1} + {2} <-> {1,2} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1")
SIZES = Query(alone="{1} + {2} + {3}", pairs="{1,2}", triples="{1,2,3}")
MOTIVATING = Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1")
BUSY = Query(free="{A} + {B}", busy="{A,R} + {B,R}")
NU = 1e-10


def listed(form: ProductForm, start: list[int], query: Query) -> Distribution:
    """The distribution by listing every state."""
    network = form.network
    states = explore(network, np.array(start), max_states=10**7).states
    logs = form.log_weight(states)
    logs -= np.logaddexp.reduce(logs)
    shown = query.shown(states, network.index)
    return Distribution.merge(tuple(query.groups(network)), shown, logs, log_error=0.0)


def leakage(distribution: Callable[[list[int]], Distribution], team: tuple[int, int, int]) -> float:
    """The smoothed leakage of a three-type team, over its six neighbours."""
    tables = []
    for move in [(0, 0), *itertools.permutations(range(3), 2)]:
        start = [*team, 0, 0]
        start[move[0]] -= 1
        start[move[1]] += 1
        found = distribution(start)
        tables.append((found.outcomes[:, 1] * 1000 + found.outcomes[:, 2], found.probabilities))
    worst = 0.0
    for keys, probabilities in tables[1:]:
        every = np.union1d(tables[0][0], keys)
        p, q = np.full(len(every), NU), np.full(len(every), NU)
        p[np.searchsorted(every, tables[0][0])] += tables[0][1]
        q[np.searchsorted(every, keys)] += probabilities
        worst = max(worst, float(np.abs(np.log(p / q)).max()))
    return worst


def run() -> str:
    header = ["job", "closed form", "listing the states", "result"]
    rows = [*three_types(), *one_tree(), huge()]
    chain = [
        "system",
        "states",
        "closed form",
        "Markov chain",
        "ratio",
        "largest difference of ln p",
    ]
    return markdown(header, rows) + "\n\n" + markdown(chain, against_the_chain())


def three_types() -> list[list[str]]:
    form = ProductForm(THREE)
    team = (220, 220, 200)
    ours = best_of(3, lambda: leakage(lambda start: form.observe(start, SIZES), team))
    theirs = best_of(1, lambda: leakage(lambda start: listed(form, start, SIZES), team))
    value = leakage(lambda start: form.observe(start, SIZES), team)
    scenario = Scenario(THREE, Team({"1": 220, "2": 220, "3": 200}), SIZES)
    axis = range(150, 301, 10)
    found: list[np.ndarray] = []

    def whole_map() -> None:
        axes = {"types.1": axis, "types.2": axis}
        found.append(sweep(scenario, axes, smoothing=NU, workers=2).values)

    seconds = best_of(1, whole_map)
    lowest = np.unravel_index(int(found[0].argmin()), found[0].shape)
    at = ", ".join(str(axis[int(i)]) for i in lowest)
    distinct = len(axis) * (len(axis) + 1) // 2
    return [
        [f"three types {team}: seven distributions, leakage at ν = {NU:g}", f"{ours:.2f} s",
         f"{theirs:.1f} s ({theirs / ours:.1f} ×)", f"{value:.6f}"],
        ["`covey sweep` over 16 × 16 teams, two processes", f"{seconds:.0f} s",
         f"~ {theirs * distinct / 2 / 3600:.1f} h", f"least at ({at}, 200)"],
    ]  # fmt: skip


def _leakage(tree: Tree) -> float:
    return tree_readings(TreeTeam(tree, 2), [1e-5])[0]


def run_long() -> str:
    """The leakage of every tree with 16 leaves: minutes."""
    every = all_trees(16)
    began = perf_counter()
    with ProcessPoolExecutor(2) as executor:
        found = list(executor.map(_leakage, every, chunksize=64))
    seconds = perf_counter() - began
    correlation = np.corrcoef([tree.depth for tree in every], found)[0, 1]
    header = ["job", "closed form", "correlation with depth"]
    job = f"leakage of all {len(every):,} trees with 16 leaves, ν = 1e-5, two processes"
    return markdown(header, [[job, f"{seconds:.0f} s", f"{correlation:.2f}"]])


def one_tree() -> list[list[str]]:
    tree = symmetric_tree(4)
    form, start = ProductForm(tree.network()), [2] * 16 + [0] * 15
    ours = best_of(3, lambda: form.observe(start, tree.sizes()))
    theirs = best_of(1, lambda: listed(form, start, tree.sizes()))
    distribution = form.observe(start, tree.sizes())
    one = best_of(1, lambda: _leakage(tree))
    return [
        ["symmetric tree, 16 types, 2 robots each: distribution of the sizes", f"{ours:.3f} s",
         f"{theirs:.1f} s ({theirs / ours:.1f} ×)",
         f"{distribution.states:,} states, {len(distribution)} outcomes"],
        ["the same: leakage over all neighbours", f"{one:.2f} s", "", ""],
    ]  # fmt: skip


def huge() -> list[str]:
    form, start = ProductForm(THREE), [20_000, 20_000, 18_000, 0, 0]
    seconds = best_of(3, lambda: form.observe(start, SIZES, tolerance=1e-12))
    distribution = form.observe(start, SIZES, tolerance=1e-12)
    return [
        "three types (20000, 20000, 18000), all but 1e-12", f"{seconds:.2f} s", "",
        f"{len(distribution):,} outcomes, lost mass ≤ {distribution.truncated_mass:.1e}",
    ]  # fmt: skip


def against_the_chain() -> list[list[str]]:
    systems: list[tuple[str, Network, Query, list[int]]] = [
        ("motivating example", MOTIVATING, BUSY, [2, 1, 2, 0, 0]),
        ("the same, ten times the team", MOTIVATING, BUSY, [20, 10, 20, 0, 0]),
        ("three types (30, 30, 30)", THREE, SIZES, [30, 30, 30, 0, 0]),
        ("three types (60, 60, 60)", THREE, SIZES, [60, 60, 60, 0, 0]),
        (
            "symmetric tree, 8 types, 2 robots each",
            symmetric_tree(3).network(),
            symmetric_tree(3).sizes(),
            [2] * 8 + [0] * 7,
        ),
    ]
    rows = []
    for name, network, query, start in systems:

        def closed(n: Network = network, q: Query = query, s: list[int] = start) -> Distribution:
            return ProductForm(n).observe(s, q)

        def chain(n: Network = network, q: Query = query, s: list[int] = start) -> Distribution:
            return solve(n, s, ["steady"], query=q, limits=Limits("stationary"))[0]

        ours, theirs = best_of(3, closed), best_of(2, chain)
        one, other = closed(), chain()
        assert (one.outcomes == other.outcomes).all()
        difference = float(np.abs(one.log_probabilities - other.log_probabilities).max())
        rows.append(
            [name, f"{one.states:,}", f"{1e3 * ours:.1f} ms", f"{1e3 * theirs:.1f} ms",
             f"{theirs / ours:.1f} ×", f"{difference:.0e}"]
        )  # fmt: skip
    return rows
