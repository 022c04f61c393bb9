"""Stiff chains: the MAPK cascade of the Quantitative Verification Benchmark Set, beside storm.

Kinases bind at rates of 1/N and part at 300: 54,000 to 80,000 jumps at the fastest rate by time 30.
Asked are the expected number of activated kinases at 30, and how many reactions of the last stage
happen until then. Storm is given the same chain, as `covey export` writes it, at its own precision
of 1e-6; covey proves its own. Times include building the chain; covey has compiled before. Seconds
of CPU are given besides: they hardly depend on what else the machine does. At N = 5 storm is ended
after a minute and a half of CPU: "more than" is all that is then known of it, and `stiff_long`
waits for it. N = 6 is for covey alone: storm published 6,260 s for it, on a machine of 2018.
"""

from __future__ import annotations

import resource
import signal
import sys
import tempfile
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.timing import markdown
from covey import Scenario, Solver, loads, performance, to_prism

AGAINST = "storm, through stormpy, on the chain that `covey export` writes"
SIZES = {3: 600, 4: 600, 5: 90, 6: 0}  # kinases, and for how many seconds of CPU storm may try
LONG_SIZES = {5: 4 * 3600}
UNTIL = 30
ENZYMES = {"e1": 1, "e2": 1, "kptase": 1, "kkptase": 1}
# What binds to what, and what comes of it; the enzyme is set free again.
STAGES = (
    ("kkk", "e1", "kkkp"), ("kkkp", "e2", "kkk"), ("kk", "kkkp", "kkp"), ("kkp", "kkptase", "kk"),
    ("kkp", "kkkp", "kkpp"), ("kkpp", "kkptase", "kkp"), ("k", "kkpp", "kp"), ("kp", "kptase", "k"),
    ("kp", "kkpp", "kpp"), ("kpp", "kptase", "kp"),
)  # fmt: skip


def mapk(n: int) -> Scenario:
    """The cascade with n kinases of each of its three stages."""
    lines = []
    for number, (kinase, enzyme, product) in enumerate(STAGES, 1):
        held = f"{kinase}_{enzyme}"
        lines += [f"a{number}: {kinase} + {enzyme} -> {held} @ {1 / n!r}",
                  f"d{number}: {held} -> {kinase} + {enzyme} @ 150",
                  f"k{number}: {held} -> {product} + {enzyme} @ 150"]  # fmt: skip
    start = {"kkk": n, "kk": n, "k": n} | ENZYMES
    last = " + ".join(f"rate({kind}{number})" for number in (7, 9) for kind in "adk")
    return loads(
        '[network]\nreactions = """\n' + "\n".join(lines) + '\n"""\n[initial]\n'
        + "\n".join(f"{name} = {count}" for name, count in start.items())
        + f'\n[observe]\nactive = "kpp"\n[adversary]\nat = {UNTIL}\n[performance]\n'
        + f'activated = "mean(kpp)"\nreactions = "{last} until {UNTIL}"\n'
    )  # fmt: skip


def run() -> str:
    return table(SIZES)


def run_long() -> str:
    """Five kinases, until storm has answered too."""
    return table(LONG_SIZES)


def table(limits: dict[int, int]) -> str:
    """A row for every number of kinases, with so many seconds of CPU for storm."""
    header = ["N", "states", "covey", "of CPU", "activated at 30", "reactions until 30",
              "proved to within", "storm", "of CPU", "ratio of CPU", "storm is off by"]  # fmt: skip
    performance(mapk(3))  # compiled now
    return markdown(header, [row(n, limit) for n, limit in limits.items()])


def row(n: int, limit: int) -> list[str]:
    scenario = mapk(n)
    begin = seconds()
    found = performance(scenario).measures
    own = [end - start for start, end in zip(begin, seconds(), strict=True)]
    activated, reactions = (found[name] for name in ("activated", "reactions"))
    states = len(Solver(scenario.network).chain(scenario.start).lattice)
    within = max((one.upper - one.lower) / one.value for one in (activated, reactions))
    values = [activated.value, UNTIL * reactions.value]
    cells = [str(n), f"{states:,}", f"**{own[0]:.1f} s**", f"{own[1]:.1f} s",
             f"{values[0]:.10g}", f"{values[1]:.10g}", f"{within:.0e}"]  # fmt: skip
    print(" | ".join(cells), file=sys.stderr, flush=True)
    return [*cells, *(beside(scenario, n, limit, own, values) if limit else ["–"] * 4)]


def beside(
    scenario: Scenario, n: int, limit: int, own: list[float], values: list[float]
) -> list[str]:
    """What storm took, by the wall and of CPU, how many times covey's that is, and its error."""
    found = limited(scenario, n, limit)
    if found is None:
        return ["–", f"more than {limit} s", f"**more than {limit / own[1]:.1f} ×**", "–"]
    taken, answers = found
    off = max(abs(a / b - 1) for a, b in zip(answers, values, strict=True))
    ratio = taken[1] / own[1]
    return [*(f"{one:.1f} s" for one in taken), f"**{ratio:.1f} ×**", f"{off:.0e}"]


def limited(scenario: Scenario, n: int, limit: int) -> tuple[list[float], list[float]] | None:
    """The same as `by_storm`, in a process of its own; None where its CPU time did not do."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=answer, args=(sender, scenario, n, limit))
    process.start()
    sender.close()
    process.join()
    return None if process.exitcode == -signal.SIGXCPU else receiver.recv()


def answer(sender: Connection, scenario: Scenario, n: int, limit: int) -> None:
    """Sends what storm took and found, within the limit; the system ends the process after it."""
    most = int(process_time()) + limit + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 60))
    sender.send(by_storm(scenario, n))


def seconds() -> tuple[float, float]:
    """By the clock on the wall, and of CPU."""
    return perf_counter(), process_time()


def by_storm(scenario: Scenario, n: int) -> tuple[list[float], list[float]]:
    """How long storm takes, and its answers."""
    import stormpy  # noqa: PLC0415  (not everywhere)

    last = f"n_k * n_kkpp / {n} + 300 * n_k_kkpp + n_kp * n_kkpp / {n} + 300 * n_kp_kkpp"
    text = f'{to_prism(scenario)}\nrewards "reactions"\n  true : {last};\nendrewards\n'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mapk.sm"
        path.write_text(text, encoding="utf-8")
        begin = seconds()
        program = stormpy.parse_prism_program(str(path), prism_compatibility=True)
        asked = f'R{{"y_active"}}=? [I={UNTIL}]; R{{"reactions"}}=? [C<={UNTIL}]'
        properties = stormpy.parse_properties(asked, program)
        model = stormpy.build_model(program, properties)
        answers = [
            stormpy.model_checking(model, one).get_value(model.initial_states[0])
            for one in properties
        ]
    return [end - start for start, end in zip(begin, seconds(), strict=True)], answers
