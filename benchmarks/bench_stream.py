"""A day of snapshots: paths that are filtered exactly, against a script that does the same.

The script is what one would write: scipy's exponential of the generator, all paths as one block of
vectors, a product with the whole matrix at every snapshot, and what does not fit the observation
set to zero. It gets the same number of paths, and is timed on a tenth of them.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from scipy.sparse.linalg import expm_multiply

import covey
from benchmarks.bench_unequal import team
from benchmarks.timing import markdown
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.dynamics.stationary.limit import stationary
from covey.numbers import Floats
from covey.privacy.cases import team_of

AGAINST = "a script with scipy's exponential and products with the whole matrix"
CASES = (
    ("examples/warehouse, snapshots at steady state", "warehouse", 1.0, 480, 0.01),
    ("task network (4,4,4), unequal rates, from 10 on", 4, 1.0, 480, 0.01),
    ("task network (7,7,7), unequal rates, from 10 on", 7, 1.0, 100, 0.02),
)
_DENSE = 2_000  # states up to which the script is run


def run() -> str:
    header = ["job", "states", "snapshots", "an observer is right", "paths of either team", "time",
              "the script, same paths", "ratio"]  # fmt: skip
    covey.stream(covey.load("examples/shared-resource.toml"), 1, 50, paths=50)  # compiled now
    return markdown(header, [row(*case) for case in CASES])


def row(name: str, which: str | int, every: float, snapshots: int, accuracy: float) -> list[str]:
    scenario = covey.load(f"examples/{which}.toml") if isinstance(which, str) else team(which)
    began = perf_counter()
    found = covey.stream(scenario, every, every * snapshots, accuracy=accuracy)
    seconds = perf_counter() - began
    right = found.bayes_success[-1]
    cells = [
        name, f"{found.states:,}", str(snapshots),
        f"{right.lower:.1%} – {right.upper:.1%}",
        ", ".join(f"{pair.paths:,}" for pair in found.pairs), f"**{seconds:.1f} s**",
    ]  # fmt: skip
    if (found.states or 0) > _DENSE:
        return [*cells, "–", "–"]
    script = sum(by_script(scenario, pair, every, snapshots) for pair in found.pairs)
    return [*cells, f"{script:.0f} s", f"{script / seconds:.1f} ×"]


def by_script(
    scenario: covey.Scenario, pair: covey.PairStream, every: float, snapshots: int
) -> float:
    """Seconds for the paths of one pair, scaled up from a tenth of them."""
    began = perf_counter()
    chains = [
        Script(scenario, t, every) for t in (scenario.team, team_of(scenario, pair.neighbour))
    ]
    built = perf_counter() - began
    paths = max(pair.paths // 10, 1)
    began = perf_counter()
    for one, other in (chains, chains[::-1]):
        seen = one.paths(paths, snapshots, np.random.default_rng(1))
        one.filtered(seen)
        other.filtered(seen)
    return built + (perf_counter() - began) * pair.paths / paths


class Script:
    """One team: its states, the distribution at the first snapshot, and the dense exponential."""

    def __init__(self, scenario: covey.Scenario, team: covey.Team, every: float) -> None:
        chain = Solver(scenario.network).chain(scenario.start_of(team))
        generator, at = chain.generator, scenario.adversary.at
        if at == "steady":
            self.distribution = stationary(generator, chain.start).probabilities
        else:
            self.distribution = transient(generator, chain.start, [at]).probabilities[0]
        dense = expm_multiply(generator.csr() * every, np.eye(len(generator)))
        self.moves: Floats = np.maximum(dense.T, 0)
        self.moves /= self.moves.sum(axis=1, keepdims=True)
        self.seen = chain.seen(scenario.query)

    def paths(self, count: int, snapshots: int, random: np.random.Generator) -> Floats:
        """What paths show: (snapshots, paths, sums)."""
        cumulative = np.cumsum(self.moves, axis=1)
        states = random.choice(
            len(self.distribution), size=count, p=self.distribution / self.distribution.sum()
        )
        out = np.empty((snapshots, count, self.seen.shape[1]))
        for snapshot in range(snapshots):
            out[snapshot] = self.seen[states]
            draws = random.random(count)
            states = (
                (cumulative[states] < draws[:, None])
                .sum(axis=1)
                .clip(max=len(self.distribution) - 1)
            )
        return out

    def filtered(self, seen: Floats) -> Floats:
        """Ln P of what each path shows."""
        belief = np.tile(self.distribution, (seen.shape[1], 1))
        log = np.zeros(seen.shape[1])
        for observed in seen:
            fits = (self.seen[None] == observed[:, None]).all(axis=2)
            belief = belief * fits
            total = belief.sum(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                log += np.log(total)
                belief = np.where(total[:, None] > 0, belief / total[:, None], 0.0) @ self.moves
        return log
