"""SBML that covey writes: valid to libsbml, and the same network when it is read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from covey import Network, Query, Scenario, Team, from_sbml, load, to_sbml
from covey.model.io.sbml.document import import_libsbml
from tests.conftest import EXAMPLES

libsbml = import_libsbml()
SHARED = load(next(path for path in EXAMPLES if path.stem == "shared-resource"))
ODD = Scenario(
    Network(
        "β = 1e-05\nteam = 0.1\nk = 123456789.12345678\nk_2 = 2\n_ = 3\n"
        "2 {1} + w{1,27} -> {1} + {1,1} + {27} @ β\n"
        "3 {1} <-> é{1} + 2 {1} @ team, k\n"
        "{27} -> w{27} @ k_2\n0 -> battery @ 5e-324\nbattery -> 0 @ 1.7976931348623157e308\n"
        "{1,1} -> 2 {1} @ _\n{27} + {1} -> w{1,27} @ 0.1"
    ),
    Team({}, {"1": 4, "27": 2}),
    initial={"battery": 7},
    title='a "title" <with>\n& \x00 trouble \N{SNOWMAN}',
)


CONSTANT = [one for one in map(load, EXAMPLES) if not one.network.timetable]  # SBML has no phases


def _document(text: str) -> Any:
    document = libsbml.readSBMLFromString(text)
    document.checkConsistency()
    return document


@pytest.mark.parametrize("scenario", [*CONSTANT, ODD], ids=lambda s: s.title[:12])
def test_valid_and_the_same_when_read(scenario: Scenario, tmp_path: Path) -> None:
    text = to_sbml(scenario)
    document = _document(text)
    assert document.getNumErrors(libsbml.LIBSBML_SEV_ERROR) == 0
    assert document.getNumErrors(libsbml.LIBSBML_SEV_FATAL) == 0
    path = tmp_path / "m.xml"
    path.write_text(text, encoding="ascii")
    model = from_sbml(path)
    assert model.network == scenario.network
    assert model.initial == {name: n for name, n in scenario.initial.items() if isinstance(n, int)}
    listed = document.getModel().getListOfSpecies()
    amounts = {species.getName(): species.getInitialAmount() for species in listed}
    counts = zip(scenario.network.species, scenario.start, strict=True)
    assert amounts == {str(species): count for species, count in counts}


def test_a_name_that_reactions_share(tmp_path: Path) -> None:
    network = Network("go: A <-> B @ 1, 2\ngo: C <-> D @ 2, 1")
    path = tmp_path / "m.xml"
    path.write_text(to_sbml(Scenario(network)), encoding="ascii")
    assert [one.name for one in from_sbml(path).network.reactions] == ["go", "go'"] * 2


def test_power_kinetics(tmp_path: Path) -> None:
    network = Network("kinetics = power\n3 A + B -> C @ 2")
    path = tmp_path / "m.xml"
    path.write_text(to_sbml(Scenario(network)))
    assert from_sbml(path).network == network


@pytest.mark.parametrize(
    ("network", "laws"),
    [
        ("k = 2\n2 A + B -> C @ k", ["k * A * (A - 1) * B"]),
        ("3 A <-> A + B @ 5, 0.25", ["5.0 * A * (A - 1) * (A - 2)", "0.25 * A * B"]),
        ("kinetics = power\n3 A + B -> C @ 2", ["2.0 * pow(A, 3) * B"]),
        ("0 -> A @ 1e-07", ["0.0000001"]),
    ],
)
def test_laws_are_propensities(network: str, laws: list[str]) -> None:
    document = _document(to_sbml(Scenario(Network(network))))
    reactions = document.getModel().getListOfReactions()
    assert [libsbml.formulaToString(r.getKineticLaw().getMath()) for r in reactions] == [
        libsbml.formulaToString(libsbml.parseFormula(law)) for law in laws
    ]


def test_titles_are_data() -> None:
    document = _document(to_sbml(ODD))  # its model lives as long as it does
    assert document.getModel().getName() == 'a "title" <with> &   trouble \N{SNOWMAN}'


@pytest.mark.parametrize(("level", "version"), [(2, v) for v in range(1, 6)] + [(3, 1), (3, 2)])
def test_every_level_is_read(level: int, version: int, tmp_path: Path) -> None:
    document = _document(to_sbml(SHARED))
    assert document.setLevelAndVersion(level, version, False)
    path = tmp_path / "m.xml"
    path.write_text(libsbml.writeSBMLToString(document))
    assert from_sbml(path).network == SHARED.network


@pytest.mark.filterwarnings("ignore::covey.errors.DirectBreachWarning")
def test_laws_of_their_own(tmp_path: Path) -> None:
    """Min, max and comparisons are values by pieces in Level 3 Version 1, and are read as such."""
    network = Network(
        "{A} <-> w{A} @ [k * min({A}, 3 - w{A}, 2 * w{A} + 1) * ({A} != 4)], [w{A}^1.5 / (2 + p)]\n"
        "0 <-> p @ [max(0, 3 - p) - (p == 2) * {A} / 9], [-(0 - p) * ({A} >= 0)]",
        rates={"k": 2.0},
    )
    scenario = Scenario(network, Team({"A": 5}), Query(all="{A} + w{A}"), initial={"A": "{A}"})
    text = to_sbml(scenario)
    assert _document(text).getNumErrors(libsbml.LIBSBML_SEV_ERROR) == 0
    (tmp_path / "m.xml").write_text(text, encoding="ascii")
    assert from_sbml(tmp_path / "m.xml").network == network
