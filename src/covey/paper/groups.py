"""Random rates on the symmetric tree with 8 leaves: leakage against the average group size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.paper.claims import Claim, agrees, judge
from covey.paper.desk import Array, Desk, Part, Table
from covey.paper.readings import pearson
from covey.paper.tree_leakage import tree_family, tree_leakage
from covey.paper.tree_shapes import symmetric_tree

DEPTH = 3
RANGE = (0.1, 2.0)
SEED = 2016
ROBOTS = 2  # of each type
NU = 1e-5
VARIED = ((1, 1e-5), (2, 1e-2), (2, 1e-3), (2, 1e-5), (2, 1e-10), (3, 1e-5))  # robots and ν
PAPER = 0.97
_CHUNK = 10


@dataclass(frozen=True)
class _Job:
    rates: tuple[tuple[float, ...], ...]
    robots: int
    smoothing: float


def run(desk: Desk) -> Part:
    """The scatter, and how its correlation moves with what the paper leaves open."""
    number = 2000 if desk.full else 200
    tables = {
        "sizes": desk.table(
            desk.name("group-sizes"),
            {"samples": number, "seed": SEED, "robots": ROBOTS, "nu": NU, "range": RANGE},
            lambda: _scatter(desk, number),
        ),
        "settings": desk.table(
            "group-sizes-settings",
            {"samples": 100, "seed": SEED, "varied": VARIED},
            lambda: _settings(desk, 100),
        ),
    }
    return Part("groups", tables, _claims(tables))


def random_rates(number: int) -> Array:
    """The forming rate of each of the 7 compounds, uniform over the range: (number, 7)."""
    return np.random.default_rng(SEED).uniform(*RANGE, size=(number, 2**DEPTH - 1))


def _scatter(desk: Desk, number: int) -> Mapping[str, Sequence[Any] | Array]:
    rates = random_rates(number)
    sizes, leaks = _measured(desk, rates, ROBOTS, NU)
    columns = {f"k{i + 1}": rates[:, i] for i in range(rates.shape[1])}
    return {**columns, "group_size": sizes, "leakage": leaks}


def _settings(desk: Desk, number: int) -> Mapping[str, Sequence[Any] | Array]:
    rates = random_rates(number)
    found = [pearson(*_measured(desk, rates, robots, nu)) for robots, nu in VARIED]
    robots, nus = zip(*VARIED, strict=True)
    return {"robots": robots, "nu": nus, "samples": [number] * len(found), "pearson": found}


def _measured(desk: Desk, rates: Array, robots: int, nu: float) -> tuple[Array, Array]:
    pieces = np.array_split(rates, -(-len(rates) // _CHUNK))
    jobs = [_Job(tuple(map(tuple, piece.tolist())), robots, nu) for piece in pieces]
    found = np.array([row for piece in desk.map(_measure, jobs, "rates") for row in piece])
    return found[:, 0], found[:, 1]


def _measure(job: _Job) -> list[tuple[float, float]]:
    """The average group size and the leakage for each vector of rates."""
    tree = symmetric_tree(DEPTH)
    robots = job.robots * tree.leaves
    found = []
    for forming in job.rates:
        rates = [(rate, 1.0) for rate in forming]
        family = tree_family(tree, job.robots, rates)
        law = family.law(np.full(tree.leaves, job.robots))
        groups = robots + family.outcomes.sum(axis=1)
        leak = tree_leakage(tree, job.robots, smoothing=job.smoothing, rates=rates).value
        found.append((float(law @ (robots / groups)), leak))
    return found


def _claims(tables: Mapping[str, Table]) -> tuple[Claim, ...]:
    sizes, settings = tables["sizes"], tables["settings"]
    r = pearson(sizes["group_size"], sizes["leakage"])
    moves = "; ".join(
        f"{robots:.0f} a type, ν = {nu:g}: {value:.2f}"
        for robots, nu, value in zip(
            settings["robots"], settings["nu"], settings["pearson"], strict=True
        )
    )
    near = agrees(r, PAPER)
    return (
        judge(
            "groups", "Sec. Impact of Topology and Parameters, Fig. average group size",
            f"leakage grows with the average group size: Pearson {PAPER} over 2000 random rates",
            [("Pearson is positive", r > 0), (f"it agrees with {PAPER}", near)],
            f"Pearson {r:.3f} over {len(sizes)} random rates",
            "a strong correlation, near the paper's" if near
            else "the same tendency; how strong it is depends on what the paper leaves open",
            f"robots of each type and ν are not said: {ROBOTS} and {NU:g} are taken, seed {SEED}. "
            f"On {settings['samples'][0]:.0f} rates: {moves}. The exact leakage is infinite at "
            "every rate",
        ),
    )  # fmt: skip
