"""Models of the Quantitative Verification Benchmark Set [1] that are reaction networks.

The set publishes what Storm 1.2.4 printed for them, ten digits at a precision of 1e-6 or better.

[1] Hartmanns, Klauck, Parker, Quatmann, Ruijters, The Quantitative Verification Benchmark Set,
TACAS 2019; the models are `toggle-switch`, `majority` and `speed-ind` of type ctmc. `mapk_cascade`
is in `benchmarks/bench_stiff`.
"""

from __future__ import annotations

from collections.abc import Mapping

from covey import Scenario, loads

# A protein of a genetic circuit [2]: the molecules in one of its steps, its steps at most and at
# first, and what represses it. Of each step it makes 9.9 / molecules Σ 1 / (1.99 + (molecules of a
# repressor / 2)²), and each of its steps decays at 0.0075.
# [2] Madsen, Zhang, Roehner, Winstead, Myers, Stochastic model checking of genetic circuits, ACM J.
# Emerg. Technol. Comput. Syst. 11 (2014).
Protein = tuple[int, int, int, tuple[str, ...]]
INPUTS = {"AA": 0, "B": 120}  # molecules that stay

TOGGLE: Mapping[str, Protein] = {"LacI": (10, 8, 6, ("TetR",)), "TetR": (5, 10, 0, ("LacI",))}
MAJORITY: Mapping[str, Protein] = {
    "D": (50, 5, 4, ("XX", "Y", "Z")),
    "Y": (30, 4, 0, ("AA", "D")),
    "Z": (30, 4, 0, ("B", "D")),
    "CC": (10, 15, 12, ("EE",)),
    "XX": (30, 4, 0, ("AA", "B")),
    "EE": (3, 15, 0, ("D",)),
}
# Without Z and CC, which follow the others and act on none of them.
SPEED_INDEPENDENT: Mapping[str, Protein] = {
    "S1": (50, 5, 4, ("XX", "Y")),
    "S2": (10, 10, 0, ("S1", "S3")),
    "S3": (15, 10, 8, ("S4", "S2")),
    "S4": (40, 3, 0, ("AA", "B", "S2")),
    "Y": (30, 3, 0, ("B",)),
    "XX": (30, 3, 0, ("AA",)),
}


def circuit(proteins: Mapping[str, Protein]) -> Scenario:
    """A genetic circuit; `no_X` counts the steps that X could still make."""
    lines, start = [], []
    for name, (molecules, most, first, repressors) in proteins.items():
        made = " + ".join(f"1 / (1.99 + ({_half(one, proteins)})^2)" for one in repressors)
        lines += [f"no_{name} -> {name} @ [(no_{name} > 0) * {9.9 / molecules!r} * ({made})]",
                  f"{name} -> no_{name} @ 0.0075"]  # fmt: skip
        start += [f"{name} = {first}", f"no_{name} = {most - first}"]
    text = "\n".join(lines)
    return loads(f'[network]\nreactions = """\n{text}\n"""\n[initial]\n' + "\n".join(start))


def _half(repressor: str, proteins: Mapping[str, Protein]) -> str:
    if repressor in INPUTS:
        return f"{INPUTS[repressor] / 2!r}"
    return f"{proteins[repressor][0] / 2!r} * {repressor}"
