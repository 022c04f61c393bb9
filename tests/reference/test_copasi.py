"""SBML as COPASI understands it. Skipped where python-copasi is not installed.

COPASI reads a model and says how fast each reaction goes in its start state: that is covey's
propensity there, worked out by another program. Read by both, a model changes as fast.
"""

from __future__ import annotations

import locale
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covey import Network, Scenario, from_sbml, load, to_sbml
from covey.dynamics.ctmc.propensity import propensity
from tests.conftest import CONSTANT
from tests.model.io.sbml.sbml_models import math, reaction, species
from tests.model.io.sbml.sbml_models import model as sbml

BEFORE = locale.setlocale(locale.LC_ALL)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    COPASI: Any = pytest.importorskip("COPASI")
locale.setlocale(locale.LC_ALL, BEFORE)  # COPASI sets its own, for the whole process

SCENARIOS = {path.stem: load(path) for path in CONSTANT} | {
    "falling": Scenario(
        Network("k = 2\n2 A + B -> C @ k\n3 A -> 2 A @ 0.25\n0 -> B @ 3\nC -> 0 @ 1.5"),
        initial={"A": 7, "B": 4, "C": 2},
    ),
    "power": Scenario(
        Network("kinetics = power\n2 A + B -> C @ 1e-05\n3 A -> 2 A @ 0.25"),
        initial={"A": 7, "B": 4, "C": 2},
    ),
}


@pytest.fixture
def model() -> Iterator[Any]:
    """Reads SBML, and gives COPASI's model of it in its start state."""
    data = COPASI.CRootContainer.addDatamodel()

    def read(text: str) -> Any:
        assert data.importSBMLFromString(text)
        values = data.getModel().getMathContainer()
        values.applyInitialValues()
        values.updateSimulatedValues(False)
        values.pushAllTransientValues()
        return data.getModel()

    yield read
    COPASI.CRootContainer.removeDatamodel(data)
    locale.setlocale(locale.LC_ALL, BEFORE)


def _propensities(scenario: Scenario) -> list[float]:
    network, state = scenario.network, scenario.start[:, None]
    return [float(propensity(network, r, state)[0]) for r in range(len(network.reactions))]


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_every_reaction_goes_as_fast(scenario: Scenario, model: Any) -> None:
    reactions = model(to_sbml(scenario)).getReactions()
    theirs = [reactions.get(i).getParticleFlux() for i in range(reactions.size())]
    assert theirs == pytest.approx(_propensities(scenario), rel=1e-12, abs=0)


def _in_concentrations(ids: str, **amounts: int) -> str:
    return "".join(
        species(i, amounts.get(i, 0), hasOnlySubstanceUnits="false") for i in ids.split()
    )


MODELS = {
    "a volume": sbml(
        reaction("A + B <=> C", "c * (k * A * B - kr * C)"),
        reaction("2 A -> B", "c * k * A^2", id="s"),
        plain="",
        more_species=_in_concentrations("A B C", A=6, B=4, C=3),
        size="0.5",
    ),
    "held species": sbml(
        reaction("X -> A", "k * X"),
        reaction("A + Y -> C", "kr * A * Y", id="s"),
        plain="C",
        more_species=species("A", 5)
        + species("X", 7, boundaryCondition="true")
        + species("Y", 3, boundaryCondition="true", constant="true"),
    ),
    "catalysts, parameters of a reaction and initial assignments": sbml(
        reaction("A -> B", "k * A * C", modifiers="C"),
        reaction("B -> A", "k * B", id="s", local={"k": 0.125}),
        plain="",
        more_species=species("A") + species("B", 2) + species("C", 3),
        assigned={"A": "kr * 4", "k": "kr / 16"},
    ),
    "a function": sbml(
        reaction("A + B -> C", "f(k, A) * B"),
        plain="C",
        more_species=species("A", 4) + species("B", 5),
        functions=f'<functionDefinition id="f">{math("lambda(x, y, x * y / 2)")}</functionDefinition>',
    ),
}


@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS)
def test_every_species_changes_as_fast(text: str, model: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(text)
    read = from_sbml(path)
    scenario = Scenario(read.network, initial=read.initial)
    drift = _propensities(scenario) @ read.network.changes
    copasi = model(text)
    found, mole = copasi.getMetabolites(), copasi.getQuantity2NumberFactor()  # COPASI's own unit
    theirs = {found.get(i).getObjectName(): found.get(i).getRate() for i in range(found.size())}
    for name, ours in zip(read.network.species, drift, strict=True):
        assert theirs[str(name)] / mole == pytest.approx(ours, rel=1e-12)
