"""Another program's opinion: storm, on the same chain. Skipped where stormpy is not installed."""

from pathlib import Path

import numpy as np
import pytest

from covey import distribution, first_passage, load, to_prism
from tests.conftest import EXAMPLES

stormpy = pytest.importorskip("stormpy")
TASK = load(next(path for path in EXAMPLES if path.stem == "task-network"))


def _prism(n: int) -> str:
    """The task network with n robots of each type, written out in the PRISM language."""
    network, start = TASK.network, TASK.start // 4 * n
    names = [f"x{i}" for i in range(len(network.species))]
    lines = ["ctmc", "module team"]
    lines += [f"{x}: [0..{n}] init {k};" for x, k in zip(names, start, strict=True)]
    for needs, change in zip(network.reactants, network.changes, strict=True):
        guard = [f"{names[i]}>={needs[i]}" for i in np.flatnonzero(needs)]
        guard += [f"{names[i]}+{change[i]}<={n}" for i in np.flatnonzero(change > 0)]
        rate = "*".join(names[i] for i in np.flatnonzero(needs))
        moves = [f"({names[i]}'={names[i]}{change[i]:+d})" for i in np.flatnonzero(change)]
        lines.append(f"[] {' & '.join(guard)} -> {rate} : {' & '.join(moves)};")
    return "\n".join([*lines, "endmodule"])


@pytest.mark.parametrize(("at", "formula"), [(0.5, "P=? [F[0.5,0.5] {}]"), ("steady", "S=? [{}]")])
def test_probabilities_of_what_is_seen(tmp_path: Path, at: float, formula: str) -> None:
    n = 2
    path = tmp_path / "team.sm"
    path.write_text(_prism(n))
    program = stormpy.parse_prism_program(str(path), prism_compatibility=True)
    observed = distribution(TASK.with_({f"types.{name}": n for name in TASK.team.types}), at=at)
    for outcome in ([6, 0, 0], [2, 2, 1], [0, 2, 2]):
        sums = ("x0+x1+x2", "x3+x4+x5", "x6+x7+x8")
        seen = " & ".join(f"{s}={k}" for s, k in zip(sums, outcome, strict=True))
        properties = stormpy.parse_properties(formula.format(f"({seen})"), program)
        model = stormpy.build_model(program, properties)
        found = stormpy.model_checking(model, properties[0])
        found = found.get_value(model.initial_states[0])
        ours = observed.probability(**dict(zip(observed.names, outcome, strict=True)))
        assert ours == pytest.approx(found, rel=1e-4)  # storm's own precision


def test_when_something_is_seen_first(tmp_path: Path) -> None:
    warehouse = load(next(path for path in EXAMPLES if path.stem == "warehouse"))
    path = tmp_path / "warehouse.sm"
    path.write_text(to_prism(warehouse))
    program = stormpy.parse_prism_program(str(path), prism_compatibility=True)
    asked = "P=? [F<=10 y_driving<=1 & y_charging>0]; T=? [F y_driving<=1 & y_charging>0]"
    properties = stormpy.parse_properties(asked, program)
    model = stormpy.build_model(program, properties)
    probability, mean = (
        stormpy.model_checking(model, one).get_value(model.initial_states[0]) for one in properties
    )
    found = first_passage(warehouse, "driving <= 1 and charging > 0", [10.0])
    assert found.probability[0] == pytest.approx(probability, rel=1e-5)  # storm's own precision
    assert found.mean == pytest.approx(mean, rel=1e-5)
