"""The 39 core cases of the SBML project's stochastic suite, against moments known otherwise.

The cases are written here from their descriptions [1]: births and deaths, immigration and death in
ones and in batches, and dimers. Where every rate is linear in the counts, mean m and covariance C
solve m' = A m + b and C' = A C + C Aᵀ + Σ a_r(m) γ_r γ_rᵀ, which are followed here by themselves;
dimers by the exponential of their chain, written down state by state. Cases with events are
refused.

[1] github.com/sbmlteam/sbml-test-suite, cases/stochastic, after Evans, Gillespie and Wilkinson,
    The SBML discrete stochastic models test suite, Bioinformatics 24 (2008) 285.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from covey import InputError, load
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.numbers import Floats
from tests.model.io.sbml.sbml_models import math, model, reaction, species

Move = tuple[float, dict[str, float], dict[str, int]]  # constant part, linear part, change

BIRTH, DEATH = "X -> 2 X", "X -> "


@dataclass(frozen=True)
class Case:
    """A model, what is listed as its output, and rates that are linear in the counts."""

    sbml: str
    seen: tuple[str, ...]
    start: dict[str, int]
    moves: tuple[Move, ...] = ()
    dimers: tuple[int, float, float] | None = None
    accuracy: float = field(default=1e-6)


def _births(
    x: int = 100,
    *,
    rates: tuple[float, float] = (0.1, 0.11),
    laws: tuple[str, str] = ("Lambda * X", "Mu * X"),
    given: tuple[float, float] | None = None,
    to: str = "",
    more: str = "",
    **kind: str,
) -> Case:
    """Births at `rates[0]` and deaths at `rates[1]`, each by whoever is there."""
    parameters = dict(zip(("Lambda", "Mu"), given or rates, strict=True))
    size = kind.pop("size", "1")
    sbml = model(
        reaction(BIRTH, laws[0], id="Birth"),
        reaction(DEATH + to, laws[1], id="Death"),
        plain="",
        more_species=species("X", x, **kind) + more,
        parameters=parameters,
        size=size,
    )
    moves: tuple[Move, ...] = ((0, {"X": rates[0]}, {"X": 1}), (0, {"X": rates[1]}, {"X": -1}))
    return Case(sbml, ("X",), {"X": x}, moves)


def _immigrants(alpha: float, mu: float = 0.1, batch: int = 1) -> Case:
    sbml = model(
        reaction(f" -> {batch} X", "Alpha", id="Immigration"),
        reaction(DEATH, "Mu * X", id="Death"),
        plain="X",
        parameters={"Alpha": alpha, "Mu": mu},
    )
    return Case(sbml, ("X",), {"X": 0}, ((alpha, {}, {"X": batch}), (0, {"X": mu}, {"X": -1})))


def _locals() -> dict[int, Case]:
    """Parameters that belong to one reaction, beside others of the same name."""
    two = model(
        reaction(BIRTH, "Lambda * X", id="Birth", local={"Lambda": 0.1}),
        reaction(DEATH, "Mu * X", id="Death", local={"Mu": 0.11}),
        plain="", more_species=species("X", 100), parameters={},
    )  # fmt: skip
    one = model(
        reaction(" -> X", "Alpha", id="Immigration", local={"Alpha": 5}),
        reaction(DEATH, "Mu * X", id="Death"),
        plain="X", parameters={"Alpha": 10, "Mu": 0.1},
    )  # fmt: skip
    both = model(
        reaction(" -> X", "k", id="Immigration", local={"k": 1}),
        reaction(DEATH, "k * X", id="Death", local={"k": 0.1}),
        plain="X", parameters={"k": 2},
    )  # fmt: skip
    return {
        2: Case(two, ("X",), {"X": 100}, _births().moves),
        22: Case(one, ("X",), {"X": 0}, _immigrants(5).moves),
        27: Case(both, ("X",), {"X": 0}, _immigrants(1).moves),
    }


def _boundaries() -> dict[int, Case]:
    """Sources and sinks that are listed as outputs, held or counted."""
    held = {"boundaryCondition": "true"}
    sink = _births(to="Sink", more=species("Sink", 0, **held))
    counted = _births(to="Sink", more=species("Sink", 0))
    deaths: Move = (0, {"X": 0.11}, {"X": -1, "Sink": 1})
    found = {
        6: Case(sink.sbml, ("X", "Sink"), {"X": 100, "Sink": 0}, sink.moves),
        7: Case(counted.sbml, ("X", "Sink"), {"X": 100, "Sink": 0}, (counted.moves[0], deaths)),
    }
    for number, kind in ((24, held), (25, {}), (26, held | {"constant": "true"})):
        sbml = model(
            reaction("Source -> X", "Alpha", id="Immigration"),
            reaction("X -> Sink", "Mu * X", id="Death"),
            plain="X",
            more_species=species("Source", 0, **held) + species("Sink", 0, **kind),
            parameters={"Alpha": 10, "Mu": 0.1},
        )
        gain = {"X": -1} if kind else {"X": -1, "Sink": 1}
        moves: tuple[Move, ...] = ((10, {}, {"X": 1}), (0, {"X": 0.1}, gain))
        found[number] = Case(sbml, ("X", "Source", "Sink"), {"X": 0, "Source": 0, "Sink": 0}, moves)
    return found


def _ruled() -> Case:
    births = _births(more=species("y", None))
    rule = (
        f'<listOfRules><assignmentRule variable="y">{math("2 * X")}</assignmentRule></listOfRules>'
    )
    sbml = births.sbml.replace("<listOfReactions>", f"{rule}<listOfReactions>")
    moves: tuple[Move, ...] = (
        (0, {"X": 0.1}, {"X": 1, "y": 2}), (0, {"X": 0.11}, {"X": -1, "y": -2}),
    )  # fmt: skip
    return Case(sbml, ("X", "y"), {"X": 100, "y": 200}, moves)


def _dimers(pairs: int, k1: float, k2: float, law: str | None = None, events: str = "") -> Case:
    parameters = {"k1": k1, "k2": k2}
    if law is None:
        sbml = model(
            reaction("2 P -> P2", "k1 * P * (P - 1) / 2", id="Dimerisation"),
            reaction("P2 -> 2 P", "k2 * P2", id="Disassociation"),
            plain="P2", more_species=species("P", 2 * pairs), parameters=parameters, events=events,
        )  # fmt: skip
        return Case(sbml, ("P", "P2"), {"P": 2 * pairs, "P2": 0}, dimers=(pairs, k1, k2))
    sbml = model(
        reaction(" -> P2", law, id="Dimerisation"),
        reaction("P2 -> ", "k2 * P2", id="Disassociation"),
        plain="P2", parameters=parameters,
    )  # fmt: skip
    return Case(sbml, ("P2",), {"P2": 0}, dimers=(pairs, k1, k2))


WRITTEN_OUT = "k1 * (100 - 2 * P2) * (100 - 2 * P2 - 1) / 2"
CASES: dict[int, Case] = {
    1: _births(),
    3: _births(rates=(1.0, 1.1)),
    4: _births(10),
    5: _births(10_000),
    8: _births(size="1"),
    9: _births(size="2"),
    10: _births(hasOnlySubstanceUnits="false"),
    11: _births(hasOnlySubstanceUnits="false", size="2", rates=(0.05, 0.055), given=(0.1, 0.11)),
    12: _births(laws=("Lambda * X * 0.5 * 2", "Mu * X")),
    13: _births(laws=("Lambda * X * 0.5", "Mu * X"), given=(0.2, 0.11)),
    14: _births(laws=("Lambda * X / 2 / 0.5", "Mu * X")),
    15: _births(laws=("Lambda * (X / 2) / 0.5", "Mu * X")),
    16: _births(laws=("Lambda * X / (2 / 2)", "Mu * X")),
    17: _births(laws=("c * Lambda * X", "c * Mu * X")),
    18: _births(laws=("c * Lambda * X", "c * Mu * X"), size="0.5", rates=(0.05, 0.055), given=(0.1, 0.11)),
    19: _ruled(),
    20: _immigrants(1),
    21: _immigrants(10),
    23: _immigrants(1000),
    30: _dimers(50, 0.001, 0.01),
    31: _dimers(500, 0.0002, 0.004),
    34: _dimers(50, 0.001, 0.01, "0.5 * k1 * (100 - 2 * P2) * (99 - 2 * P2)"),
    35: _dimers(50, 0.001, 0.01, WRITTEN_OUT),
    36: _dimers(50, 0.001, 0.01, WRITTEN_OUT),
    37: _immigrants(1, 0.2, 5),
    38: _immigrants(1, 0.4, 10),
    39: _immigrants(1, 4.0, 100),
    **_locals(),
    **_boundaries(),
}  # fmt: skip
EVENTS = (28, 29, 32, 33)
LONG = (5, 7, 39)  # windows of thousands of states


def test_they_are_all_here() -> None:
    assert sorted([*CASES, *EVENTS]) == list(range(1, 40))


@pytest.mark.parametrize(
    ("number", "time"),
    [
        pytest.param(n, time, marks=pytest.mark.study if n in LONG and time > 3 else ())
        for n in sorted(CASES)
        for time in (3.0, 20.0)
    ],
)
def test_means_and_deviations(tmp_path: Path, number: int, time: float) -> None:
    case = CASES[number]
    (tmp_path / "m.xml").write_text(case.sbml)
    seen = "\n".join(f'{name} = "{name}"' for name in case.seen)
    (tmp_path / "s.toml").write_text(f'[network]\nsbml = "m.xml"\n[observe]\n{seen}\n')
    scenario = load(tmp_path / "s.toml")
    solver = Solver(scenario.network, Limits(tolerance=1e-7))  # 39 is fast: rounding loses 1e-9
    (distribution,) = solver.distributions(scenario.start, [time], scenario.query)
    p = np.exp(distribution.log_probabilities)
    mean = p @ distribution.outcomes
    deviation = np.sqrt(p @ (distribution.outcomes - mean) ** 2)
    expected = _by_chain(case, time) if case.dimers else _by_moments(case, time)
    assert np.abs(mean - expected[0]).max() <= case.accuracy * max(1, expected[0].max())
    assert np.abs(deviation - expected[1]).max() <= 10 * case.accuracy * max(1, expected[1].max())


def _by_moments(case: Case, time: float) -> tuple[Floats, Floats]:
    """Mean and standard deviation, by the equations that linear rates close."""
    names, n = list(case.start), len(case.start)
    change = np.array([[move[2].get(name, 0) for name in names] for move in case.moves]).T
    constant = np.array([move[0] for move in case.moves], dtype=float)
    linear = np.array([[move[1].get(name, 0) for name in names] for move in case.moves])
    sensitivity = change @ linear

    def speed(_: float, y: Floats) -> Floats:
        mean, spread = y[:n], y[n:].reshape(n, n)
        rates = constant + linear @ mean
        feed = (change * rates) @ change.T
        return np.concatenate(
            [change @ rates, (sensitivity @ spread + spread @ sensitivity.T + feed).ravel()]
        )

    start = np.concatenate([np.array(list(case.start.values()), float), np.zeros(n * n)])
    y = solve_ivp(speed, (0, time), start, method="LSODA", rtol=1e-11, atol=1e-11).y[:, -1]
    return y[:n], np.sqrt(np.maximum(np.diagonal(y[n:].reshape(n, n)), 0.0))


def _by_chain(case: Case, time: float) -> tuple[Floats, Floats]:
    """Mean and standard deviation of dimers, by the exponential of their chain."""
    assert case.dimers is not None
    pairs, k1, k2 = case.dimers
    generator = np.zeros((pairs + 1, pairs + 1))
    for n in range(pairs + 1):
        free = 2 * (pairs - n)
        for to, rate in ((n + 1, k1 * free * (free - 1) / 2), (n - 1, k2 * n)):
            if rate:
                generator[to, n] += rate
                generator[n, n] -= rate
    p = expm(generator * time)[:, 0]
    counts = {"P2": np.arange(pairs + 1.0), "P": 2 * pairs - 2 * np.arange(pairs + 1.0)}
    means = np.array([p @ counts[name] for name in case.seen])
    squares = np.array([p @ counts[name] ** 2 for name in case.seen])
    return means, np.sqrt(np.maximum(squares - means**2, 0.0))


@pytest.mark.parametrize("number", EVENTS)
def test_events_are_refused(tmp_path: Path, number: int) -> None:
    set_ = f'<eventAssignment variable="P2">{math("0")}</eventAssignment>'
    when = "time >= 25" if number in (28, 32) else "P2 > 30"
    event = (
        f'<event id="reset" useValuesFromTriggerTime="true"><trigger initialValue="true" '
        f'persistent="true">{math(when)}</trigger><listOfEventAssignments>{set_}'
        "</listOfEventAssignments></event>"
    )
    (tmp_path / "m.xml").write_text(_dimers(50, 0.001, 0.01, events=event).sbml)
    (tmp_path / "s.toml").write_text('[network]\nsbml = "m.xml"\n')
    with pytest.raises(InputError, match="an event: only reactions may change the team"):
        load(tmp_path / "s.toml")
