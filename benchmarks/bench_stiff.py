"""Stiff chains: the MAPK cascade of the Quantitative Verification Benchmark Set, beside storm.

Kinases bind at rates of 1/N and part at 300: 54,000 to 80,000 jumps at the fastest rate by time 30.
Asked are the expected number of activated kinases at 30, and how many reactions of the last stage
happen until then. Storm is given the same chain, as `covey export` writes it, at its own precision
of 1e-6; covey proves its own. Times include building the chain; covey has compiled before. Seconds
of CPU are given besides: they hardly depend on what else the machine does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.timing import markdown
from covey import Scenario, Solver, loads, performance, to_prism

SIZES = (3, 4, 5, 6)
BY_STORM = (3, 4)  # larger ones were not waited for; add 5 on a quiet machine
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
    header = ["N", "states", "covey", "of CPU", "storm", "of CPU", "ratio", "of CPU",
              "activated at 30", "reactions until 30", "proved to within",
              "storm is off by"]  # fmt: skip
    performance(mapk(3))  # compiled now
    return markdown(header, [row(n) for n in SIZES])


def row(n: int) -> list[str]:
    scenario = mapk(n)
    begin = seconds()
    found = performance(scenario).measures
    own = [end - start for start, end in zip(begin, seconds(), strict=True)]
    activated, reactions = (found[name] for name in ("activated", "reactions"))
    states = len(Solver(scenario.network).chain(scenario.start).lattice)
    within = max((one.upper - one.lower) / one.value for one in (activated, reactions))
    values = [activated.value, UNTIL * reactions.value]
    theirs, ratios, apart = ["–", "–"], ["–", "–"], "–"
    if n in BY_STORM:
        taken, answers = by_storm(scenario, n)
        off = max(abs(a / b - 1) for a, b in zip(answers, values, strict=True))
        theirs, apart = [f"{one:.1f} s" for one in taken], f"{off:.0e}"
        ratios = [f"{other / one:.1f}" for one, other in zip(own, taken, strict=True)]
    return [str(n), f"{states:,}", f"**{own[0]:.1f} s**", f"{own[1]:.1f} s", *theirs, *ratios,
            f"{values[0]:.10g}", f"{values[1]:.10g}", f"{within:.0e}", apart]  # fmt: skip


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
