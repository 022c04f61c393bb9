"""The Markov engine on the paper's task network, beside its peers in the same run.

End to end means states, generator and solution. covey is measured unfolded, on every state, and
folded by the symmetry of the three types, which a team with equal counts and rates has and most
neighbours have not. The first call, which compiles, is not counted: numba keeps what it compiled.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.linalg import expm_multiply

from benchmarks.task_network import chain, long_double_distribution, scenario
from benchmarks.timing import best_of, least_cpu, markdown
from covey import event_log
from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.kernels.sampling.ssa import compilable
from covey.dynamics.ssa.simulation import end_points
from covey.dynamics.stationary.limit import stationary

AGAINST = "stormpy, scipy's `expm_multiply`, power iteration in scipy, and bioscrape on all cores"
REPEATS = 3


def run() -> str:
    parts = [
        ("Building states and generator", building()),
        ("Transient, end to end", transients()),
        ("Steady state, end to end", steady()),
        ("2,589,763 states: N = 20", large()),
        ("Simulation: end points at τ = 10, N = 10", simulation()),
        ("Growth: time per state and product", growth()),
    ]
    return "\n\n".join(f"### {title}\n\n{table}" for title, table in parts)


def _ratio(peer: float, ours: float) -> str:
    return f"{ours:.2f} s, **{peer / ours:.1f} ×**"


def building() -> str:
    rows = []
    for n in (10, 12):
        flat, folded = (best_of(REPEATS, partial(chain, n, fold)) for fold in (False, True))
        peer = _stormpy_build(n)
        rows.append([n, f"{peer:.2f} s", _ratio(peer, flat), _ratio(peer, folded)])
    return markdown(["N", "stormpy", "covey", "covey, folded"], rows)


def transients() -> str:
    rows = []
    for n in (8, 10):
        lattice, generator = chain(n, folded=False)
        matrix, start = generator.csr(), lattice.point_mass()
        build = best_of(REPEATS, partial(chain, n, False))
        for tau in (10.0, 0.2):
            peer = build + best_of(1, partial(expm_multiply, matrix * tau, start))
            ours = [best_of(REPEATS, partial(_transient, n, fold, tau)) for fold in (False, True)]
            error = _log_error(generator, lattice.start, tau) if n == 8 else "–"
            bound = f"{_transient(n, False, tau):.0e}"
            times = [_ratio(peer, seconds) for seconds in ours]
            rows.append([n, f"{tau:g}", f"{peer:.1f} s", *times, bound, error])
    header = ["N", "τ", "scipy expm_multiply", "covey", "covey, folded", "proved log error",
              "log error, against 80 bits"]  # fmt: skip
    return markdown(header, rows)


def _transient(n: int, folded: bool, tau: float) -> float:
    lattice, generator = chain(n, folded)
    return float(transient(generator, lattice.point_mass(), [tau]).log_error[0])


def _log_error(generator: Generator, start: int, tau: float) -> str:
    initial = np.zeros(len(generator))
    initial[start] = 1.0
    ours = transient(generator, initial, [tau]).log_probabilities[0]
    reference = np.log(long_double_distribution(generator, start, tau))
    return f"{float(np.abs(ours - reference).max()):.0e}"


def steady() -> str:
    rows = []
    for n in (10, 12):
        lattice, generator = chain(n, folded=False)
        build = best_of(REPEATS, partial(chain, n, False))
        matrix, start = generator.csr(), lattice.point_mass()
        peer = build + best_of(1, partial(_power_iteration, matrix, start, generator.exits.max()))
        ours = [best_of(REPEATS, partial(_steady, n, fold)) for fold in (False, True)]
        rows.append(
            [n, f"{peer:.1f} s", *(_ratio(peer, t) for t in ours), f"{_steady(n, False):.0e}"]
        )
    header = ["N", "scipy power iteration", "covey", "covey, folded", "proved log error"]
    return markdown(header, rows)


def _steady(n: int, folded: bool) -> float:
    lattice, generator = chain(n, folded)
    return stationary(generator, lattice.point_mass()).log_error


def _power_iteration(matrix: Any, vector: Any, largest_exit: float) -> int:
    """Until no probability changes by more than 1e-13 of itself in a step."""
    step = matrix / (1.02 * largest_exit)
    for k in range(1, 100_000):
        after = vector + step @ vector
        if k % 20 == 0 and (vector > 0).all() and np.abs(after / vector - 1).max() < 1e-13:
            return k
        vector = after
    return k


LARGE = """
import resource, sys, time
from benchmarks.task_network import chain
from covey.dynamics.stationary.limit import stationary
from covey.dynamics.ctmc.uniformization import transient
what, folded = sys.argv[1], sys.argv[2] == "True"
chain(6, folded)
began = time.perf_counter()
lattice, generator = chain(20, folded)
if what == "steady":
    error = stationary(generator, lattice.point_mass()).log_error
else:
    error = transient(generator, lattice.point_mass(), [float(what)]).log_error[0]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(f"{time.perf_counter() - began:.1f} s, {peak:.2f} GiB, {error:.0e}")
"""


def large() -> str:
    rows = []
    for what in ("10", "steady"):
        cells = []
        for folded in (False, True):
            done = subprocess.run(
                [sys.executable, "-c", LARGE, what, str(folded)],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            cells.append(done.stdout.strip())
        rows.append([what if what == "steady" else f"τ = {what}", *cells])
    return markdown(["job", "covey: time, peak memory, proved log error", "covey, folded"], rows)


def simulation() -> str:
    team = scenario(10)
    samples = 20_000
    end_points(team.network, team.start, 10.0, samples=2_000)
    seconds = best_of(REPEATS, partial(end_points, team.network, team.start, 10.0, samples=samples))
    ours = samples / seconds
    peer = _bioscrape()
    rows = [
        ["bioscrape", f"{peer:,.0f}", ""],
        ["covey", f"{ours:,.0f}", f"**{ours / peer:.1f} ×**"],
    ]
    return markdown(["program", "end points per second", "ratio"], rows) + f"\n\n{an_event()}"


def an_event() -> str:
    """What of an event is drawing: no other sampler could save more than that."""
    team, samples, many = scenario(10), 2_000, 1_000_000
    logs = [event_log(team.network, team.start, 10.0, seed=seed) for seed in range(50)]
    events = sum(len(log.times) for log in logs) / len(logs)
    job = partial(end_points, team.network, team.start, 10.0, samples=samples, cores=1)
    whole = 1e9 * least_cpu(5, job) / samples / events
    stream, draws = np.arange(1, 5, dtype=np.uint64), _draws()
    draws(10, stream)  # compiled now
    drawn = 1e9 * least_cpu(5, partial(draws, many, stream)) / many
    return (
        f"An event takes {whole:.0f} ns of a core. Its two draws and their logarithm take "
        f"{drawn:.1f} ns by themselves, {drawn / whole:.0%} of that: a quicker sampler would save "
        "no more, and would change what every seed prints."
    )


def _draws() -> Callable[[int, Any], float]:
    import numba  # noqa: PLC0415

    uniform = compilable().uniform

    def draws(events: int, stream: Any) -> float:
        total = 0.0
        for _ in range(events):
            total += math.log(uniform(stream)) + uniform(stream)
        return total

    compiled: Callable[[int, Any], float] = numba.njit(draws)
    return compiled


def growth() -> str:
    rows = []
    for n in (6, 8, 10, 12, 14, 16, 20):
        lattice, generator = chain(n, folded=False)
        vector = lattice.point_mass()
        products = 3 if n == 20 else 50
        seconds = best_of(REPEATS, partial(_products, generator, vector, products)) / products
        per = 1e9 * seconds / len(generator)
        rows.append([n, f"{len(generator):,}", f"{1e3 * seconds:.2f} ms", f"{per:.1f} ns"])
    return markdown(["N", "states", "one product", "per state"], rows)


def _products(generator: Generator, vector: Any, times: int) -> None:
    for _ in range(times):
        generator.product(vector)


def _stormpy_build(n: int) -> float:
    import stormpy  # noqa: PLC0415

    team = scenario(n)
    names = [f"x{i}" for i in range(len(team.network.species))]
    lines = ["ctmc", "module team"]
    lines += [f"{x}: [0..{n}] init {k};" for x, k in zip(names, team.start, strict=True)]
    for needs, change in zip(team.network.reactants, team.network.changes, strict=True):
        guards = [f"{names[i]}>={needs[i]}" for i in np.flatnonzero(needs)]
        guards += [f"{names[i]}+{change[i]}<={n}" for i in np.flatnonzero(change > 0)]
        rate = "*".join(names[i] for i in np.flatnonzero(needs))
        moves = [f"({names[i]}'={names[i]}{change[i]:+d})" for i in np.flatnonzero(change)]
        lines.append(f"[] {' & '.join(guards)} -> {rate} : {' & '.join(moves)};")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "team.sm"
        path.write_text("\n".join([*lines, "endmodule"]))
        program = stormpy.parse_prism_program(str(path), prism_compatibility=True)
        build: Callable[[], Any] = partial(stormpy.build_model, program)
        seconds = best_of(REPEATS, build)
        assert build().nr_states == len(chain(n, folded=False)[0])
    return seconds


def _bioscrape() -> float:
    """End points per second, on all cores, each with a process of its own."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    cores, each = os.cpu_count() or 1, 2_000
    with ProcessPoolExecutor(cores) as pool:
        list(pool.map(_bioscrape_samples, [10] * cores))
        began = time.perf_counter()
        list(pool.map(_bioscrape_samples, [each] * cores))
        return cores * each / (time.perf_counter() - began)


def _bioscrape_samples(samples: int) -> None:
    from bioscrape.simulator import ModelCSimInterface, SSASimulator  # noqa: PLC0415
    from bioscrape.types import Model  # noqa: PLC0415

    team = scenario(10)
    names = [f"x{i}" for i in range(len(team.network.species))]
    reactions = []
    for needs, change in zip(team.network.reactants, team.network.changes, strict=True):
        left = [names[i] for i in np.flatnonzero(needs) for _ in range(needs[i])]
        gives = needs + change
        right = [names[i] for i in np.flatnonzero(gives) for _ in range(gives[i])]
        reactions.append((left, right, "massaction", {"k": 1.0}))
    start = dict(zip(names, map(float, team.start), strict=True))
    model = Model(species=names, reactions=reactions, initial_condition_dict=start)
    interface, simulator = ModelCSimInterface(model), SSASimulator()
    times = np.array([0.0, 10.0])
    for _ in range(samples):
        simulator.py_simulate(interface, times)
