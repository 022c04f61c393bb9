"""Random rates on the symmetric tree with 8 leaves: leakage against the average group size.

The caption weighs the i-th count by i, from 1 to the number of counts. Counts are of the sizes 1,
2, 4 and 8. Either i is meant to be the size, as the section before says and the words do, or it is
the place of the size among the four: both are computed, as `group_size` and `size_class`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from covey.paper.case_studies.settings import LEAKAGES, SEARCHED, searched, told
from covey.paper.case_studies.tree_leakage import TreeTeam, tree_readings
from covey.paper.case_studies.tree_shapes import symmetric_tree
from covey.paper.claims import Claim, Criterion, agrees, judge
from covey.paper.readings import DRAWS, NU, correlation, pearson
from covey.paper.workspace import Array, Part, Table, Workspace

DEPTH = 3
RANGE = (0.1, 2.0)
SEED = 2016
ROBOTS = 2  # of each type, in the figure
VARIED = (1, 2, 3, 4, 5)
SAMPLES, COARSE = 2000, 200
MEASURES = ("group_size", "size_class")
PAPER = 0.97
_CHUNK = 10


@dataclass(frozen=True)
class _Job:
    rates: tuple[tuple[float, ...], ...]
    robots: int


def run(workspace: Workspace) -> Part:
    """The scatter, and how its correlation moves with what the paper leaves open."""
    number = SAMPLES if workspace.full else COARSE
    tables = {
        f"sizes{robots}": workspace.table(
            workspace.name(f"group-sizes-{robots}-per-type"),
            {"samples": number, "seed": SEED, "robots": robots, "nu": SEARCHED, "range": RANGE},
            partial(_scatter, workspace, number, robots),
        )
        for robots in VARIED
    }
    by_robots = {robots: tables[f"sizes{robots}"] for robots in VARIED}
    tables["settings"] = workspace.table(
        workspace.name("group-settings"),
        {"samples": number, "seed": SEED, "robots": VARIED, "nu": SEARCHED, "draws": DRAWS},
        lambda: searched(by_robots, MEASURES),
    )
    return Part("groups", tables, (_correlation(tables), _rates(tables)))


def random_rates(number: int) -> Array:
    """The forming rate of each of the 7 compounds, uniform over the range: (number, 7)."""
    return np.random.default_rng(SEED).uniform(*RANGE, size=(number, 2**DEPTH - 1))


def _scatter(workspace: Workspace, number: int, robots: int) -> Mapping[str, Sequence[Any] | Array]:
    rates = random_rates(number)
    pieces = np.array_split(rates, -(-number // _CHUNK))
    jobs = [_Job(tuple(map(tuple, piece.tolist())), robots) for piece in pieces]
    found = workspace.map(_measure, jobs, f"rates, {robots} of each type")
    columns = zip(*(row for piece in found for row in piece), strict=True)
    named = {f"k{i + 1}": rates[:, i] for i in range(rates.shape[1])}
    return {**named, **dict(zip((*MEASURES, *LEAKAGES, "tv"), columns, strict=True))}


def _measure(job: _Job) -> list[list[float]]:
    """Both average sizes, and the readings, for each vector of rates."""
    team = TreeTeam(symmetric_tree(DEPTH), job.robots)
    counts = team.family.outcomes.copy()  # of groups of each size
    counts[:, 0] += job.robots * team.tree.leaves
    weights = [2 ** np.arange(DEPTH + 1), 1 + np.arange(DEPTH + 1)]
    averages = [counts @ weight / counts.sum(axis=1) for weight in weights]
    found = []
    for forming in job.rates:
        rates = [(rate, 1.0) for rate in forming]
        distribution, _ = team.distributions(rates)
        sizes = [float(distribution @ average) for average in averages]
        found.append([*sizes, *tree_readings(team, SEARCHED, rates)])
    return found


def _correlation(tables: Mapping[str, Table]) -> Claim:
    sizes, settings = tables[f"sizes{ROBOTS}"], tables["settings"]
    by_class, tv = (
        correlation(sizes[a], sizes[b]) for a, b in (("size_class", NU), ("group_size", "tv"))
    )
    least, most = settings["pearson"].min(), settings["pearson"].max()
    return judge(
        "groups", "Sec. Impact of Topology and Parameters, Fig. average group size",
        f"leakage grows with the average group size: Pearson {PAPER}",
        f"it does; Pearson is {least:.2f} to {most:.2f}, by robots of each type, ν and what "
        "size means, which the paper does not say",
        Criterion(
            [(f"Pearson agrees with {PAPER} at all settings that are searched",
              agrees(least, PAPER) and agrees(most, PAPER))],
            [("it is positive at all of them", bool(least > 0))],
            "underdetermined",
        ),
        f"Over {len(sizes)} random rates, seed {SEED}, {ROBOTS} robots of each type and ν = "
        f"1e-5, as for the trees: {correlation(sizes['group_size'], sizes[NU])} by size, "
        f"{by_class} where the i-th size weighs i, as the caption may be read. "
        f"{told(settings, PAPER)}. The exact leakage is infinite at every rate; of the total "
        f"variation Pearson is {tv}.",
    )  # fmt: skip


def _rates(tables: Mapping[str, Table]) -> Claim:
    """What the mean of the seven rates does to the size of groups, and to the leakage."""
    columns = {"group_size": "size", NU: "leakage", "tv": "total variation"}
    least, told = dict.fromkeys(columns, 1.0), dict.fromkeys(columns, "")
    for table in (tables[f"sizes{robots}"] for robots in VARIED):
        mean = np.mean([table[f"k{i + 1}"] for i in range(2**DEPTH - 1)], axis=0)
        for column in columns:
            least[column] = min(least[column], pearson(mean, table[column]))
            told[column] += f" {correlation(mean, table[column])}"
    return judge(
        "groups", "Sec. Impact of Topology and Parameters, text",
        "faster collaboration makes larger groups; slower increases privacy",
        f"Pearson of the mean rate is {least['group_size']:.2f} or more with size, "
        f"{least[NU]:.2f} or more with leakage",
        Criterion([
            ("Pearson of the mean rate with the average group size is positive, for all robots of "
             "each type", least["group_size"] > 0),
            ("so is that with the leakage, smoothed by 1e-5", least[NU] > 0),
        ]),
        f"With {', '.join(map(str, VARIED))} robots of each type, Pearson of the mean rate: "
        + "; ".join(f"with {what}{told[column]}" for column, what in columns.items())
        + ". A tendency over random rates; step by step, the design rules try it.",
    )  # fmt: skip
