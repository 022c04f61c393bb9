"""Exported PRISM programs, as storm understands them. Skipped where stormpy is not installed."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from covey import Network, Query, Scenario, distribution, load, to_prism
from tests.conftest import EXAMPLES

stormpy = pytest.importorskip("stormpy")
BY_NAME = {path.stem: load(path) for path in EXAMPLES}
PRECISION = 1e-4  # storm's own, relative

TEAMS = {
    "shared-resource": BY_NAME["shared-resource"],
    "task-network": BY_NAME["task-network"].with_({f"types.{n}": 2 for n in "123"}),
    "warehouse": BY_NAME["warehouse"].with_({"types.carrier": 2, "types.picker": 2}),
    "three-types": BY_NAME["three-types"].with_({f"types.{n}": 3 for n in "123"}),
    "charging-bays": BY_NAME["charging-bays"],
    "pairs, falling": Scenario(
        Network("2 P <-> Q @ 0.5, 1\nP + 2 Q -> 3 P + Q @ 0.25"),
        query=Query(pairs="Q"),
        initial={"P": 5, "Q": 1},
    ),
    "pairs, powers": Scenario(
        Network("kinetics = power\n2 P <-> Q @ 0.5, 1\nP + 2 Q -> 3 P + Q @ 1e-1"),
        query=Query(pairs="Q"),
        initial={"P": 5, "Q": 1},
    ),
    "leaving for good": Scenario(
        Network("X -> 2 Y @ 0.7\nY -> 0 @ 2\nX -> X @ 5"), query=Query(y="Y"), initial={"X": 3}
    ),
}


def _value(path: Path, formula: str) -> float:
    """What storm answers; the whole model is built, whatever the formula is about."""
    program = stormpy.parse_prism_program(str(path), prism_compatibility=True)
    properties = stormpy.parse_properties(formula, program)
    model = stormpy.build_model(program, properties)
    found: Any = stormpy.model_checking(model, properties[0])
    return float(found.get_value(model.initial_states[0]))


@pytest.mark.parametrize("scenario", TEAMS.values(), ids=TEAMS)
@pytest.mark.parametrize(("at", "formula"), [(0.5, "P=? [F[0.5,0.5] {}]"), ("steady", "S=? [{}]")])
def test_probabilities(scenario: Scenario, at: Any, formula: str, tmp_path: Path) -> None:
    path = tmp_path / "team.sm"
    path.write_text(to_prism(scenario))
    observed = distribution(scenario, at=at)
    likely = observed.probabilities.argsort()[::-1][:4]
    for row in likely:
        seen = " & ".join(
            f"y_{name}={count}"
            for name, count in zip(observed.names, observed.outcomes[row], strict=True)
        )
        ours = float(observed.probabilities[row])
        if ours > 1e-3:
            found = _value(path, formula.format(f"({seen})"))
            assert ours == pytest.approx(found, rel=PRECISION, abs=1e-7)


@pytest.mark.parametrize("name", ["shared-resource", "task-network", "pairs, falling"])
def test_rewards_are_means(name: str, tmp_path: Path) -> None:
    path = tmp_path / "team.sm"
    path.write_text(to_prism(TEAMS[name]))
    for seen, mean in distribution(TEAMS[name]).mean.items():
        # In the long run only: storm 2.0's R=? [I=t] contradicts its own probabilities.
        assert _value(path, f'R{{"y_{seen}"}}=? [S]') == pytest.approx(mean, rel=PRECISION)


def test_names_that_are_keywords_elsewhere(tmp_path: Path) -> None:
    words = "P F module ctmc rewards min true init".split()  # noqa: SIM905
    network = Network(
        [f"{a} <-> {b} @ {a}, 1" for a, b in pairwise(words)],
        dict.fromkeys(words[:-1], 2.0),
    )
    scenario = Scenario(network, query=Query({"ctmc": "P", "true\n": "F"}), initial={"P": 1})
    path = tmp_path / "team.sm"
    path.write_text(to_prism(scenario))
    assert re.search(r"formula y_ctmc = n_P;", path.read_text())
    assert _value(path, "P=? [F[0,0] y_ctmc=1]") == 1
