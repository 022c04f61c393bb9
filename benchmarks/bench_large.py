"""Large lattices: the task network with 20 and 30 robots of each type, every state of them.

Each job has a process of its own, so that its peak of memory is its own. Equal rates map the three
types onto each other, and one state in six is solved for. Thirty of each at unequal rates have a
benchmark of their own, `thirty`.
"""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.timing import markdown

AGAINST = "plain uniformisation, by covey itself"
JOB = """
import json, resource, sys, time
from covey import Limits
from covey.dynamics.solver import Solver
from covey.paper.scenarios import task_network
from benchmarks import bench_unequal as unequal
size, rates, what = int(sys.argv[1]), sys.argv[2], sys.argv[3]
equal = ((1.0,) * 3, (1.0,) * 3)
constants = equal if rates == "equal" else (unequal.ENCOUNTER, unequal.ABANDON)
def chain(n):
    team = task_network((n, n, n), *constants)
    engine = Solver(team.network, Limits(max_states=30_000_000))
    return engine.chain(team.start, folded=True)
def distribution(one):
    if what == "steady":
        found = one.stationary()
        return found.sweeps, found.log_error
    found = {"plain": unequal.plain, "every": unequal.without_rest}.get(what, unequal.solve)(one)
    return found.products, float(found.log_error[0])
distribution(chain(6))
began = time.perf_counter()
built = chain(size)
there = time.perf_counter()
steps, error = distribution(built)
print(json.dumps({
    "states": len(built.lattice), "build": there - began, "time": time.perf_counter() - began,
    "steps": steps, "error": error,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
}))
"""
# N, rates, what; the time it took before products had both cores and steps were long
JOBS = [
    (20, "unequal", "τ = 10", "192 s"),
    (20, "unequal", "plain", ""),
    (20, "unequal", "steady", "53 s"),
]
LONG = [
    (20, "unequal", "every", ""),
    (30, "equal", "τ = 10", "405 s"),
    (30, "equal", "steady", "166 s"),
]
JOB_NAMES = {
    "plain": "τ = 10, plain uniformisation stopped at rest",
    "every": "τ = 10, every step of plain uniformisation",
}


def run() -> str:
    return table(JOBS)


def run_long() -> str:
    return table(LONG)


def table(jobs: list[tuple[int, str, str, str]]) -> str:
    """A row for every job: N, rates, what, and what it took before."""
    header = ["N", "rates", "job", "states solved", "before", "time", "of it building",
              "products or sweeps", "peak memory", "proved error of ln p"]  # fmt: skip
    long_steps: dict[int, float] = {}  # seconds that they took, by N
    return markdown(header, [row(*job, long_steps) for job in jobs])


def row(n: int, rates: str, what: str, before: str, long_steps: dict[int, float]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", JOB, str(n), rates, what], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    print(n, rates, what, found, file=sys.stderr, flush=True)
    job, times = JOB_NAMES.get(what, what), ""
    if what == "τ = 10":
        long_steps[n] = found["time"]
    elif what in JOB_NAMES and n in long_steps:
        times = f" ({found['time'] / long_steps[n]:.1f} ×)"
    return [
        str(n), rates, job, f"{found['states']:,}", before, f"**{found['time']:.0f} s**{times}",
        f"{found['build']:.0f} s", f"{found['steps']:,}", f"{found['peak']:.1f} GiB",
        f"{found['error']:.0e}",
    ]  # fmt: skip
