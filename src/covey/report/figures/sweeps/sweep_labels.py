"""What the axes of a sweep's picture say."""

from __future__ import annotations

from collections.abc import Sequence

from covey.study.sweep.axes import Value
from covey.study.sweep.result import Sweep
from covey.words import format_number, when

MEASURE_LABELS = {
    "leakage": "leakage",
    "guess": "how often the best guess is right",
    "settled": "probability that one possibility is ruled out",
    "tv": "total variation",
    "hellinger": "Hellinger distance",
    "js": "Jensen–Shannon divergence (nats)",
    "max_leakage": "maximal leakage (nats)",
    "mu": "μ (Gaussian differential privacy)",
    "rho": "ρ (zero-concentrated differential privacy)",
    "kl": "Kullback–Leibler divergence (nats)",
    "delta": "δ",
    "epsilon": "ε",
    "renyi": "Rényi divergence (nats)",
}
PARAMETERS = {"delta": "ε", "epsilon": "δ", "renyi": "α"}
_ADVERSARY = {"at": "time of the snapshot", "smoothing": "smoothing ν"}
_TABLES = {"rates": "rate", "resources": "number of", "initial": "initial"}


def axis_label(names: Sequence[str]) -> str:
    """`robots of type A`, `rate k3 = k13`; other names as they are."""
    table = names[0].partition(".")[0]
    if any(name.partition(".")[0] != table for name in names):
        return " = ".join(names)
    keys = [name.partition(".")[2] for name in names]
    if table == "types":
        return f"robots of type {' = '.join(keys)}"
    if table == "adversary":
        return " = ".join(_ADVERSARY.get(key, key) for key in keys)
    return f"{_TABLES.get(table, table)} {' = '.join(keys)}"


def measure_label(sweep: Sweep) -> str:
    """`leakage (ν = 1e-05)`, `δ at ε = 0.5`."""
    kind, _, parameter = str(sweep.data.attrs["measured"]).partition("=")
    name = MEASURE_LABELS.get(kind, sweep.measure.removeprefix("performance.").replace("_", " "))
    if parameter:
        return f"{name} at {PARAMETERS[kind]} = {float(parameter):g}"
    scenario = sweep.scenario
    varied = any("adversary.smoothing" in names for names in sweep.axes)
    if kind == "leakage" and scenario and scenario.adversary.smoothing and not varied:
        return f"{name} (ν = {scenario.adversary.smoothing:g})"
    return name


def moment_label(sweep: Sweep) -> str:
    """When the team is seen, unless that is an axis or not known."""
    scenario = sweep.scenario
    if scenario is None or any("adversary.at" in names for names in sweep.axes):
        return ""
    return when(scenario.adversary.at, scenario.unit)


def value_label(value: Value) -> str:
    """A value of an axis, short."""
    if isinstance(value, float):
        return format_number(value, ".4g")
    return str(value)
