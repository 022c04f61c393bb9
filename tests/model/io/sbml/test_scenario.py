"""Scenario files that name an SBML file: what each of the two says, and whose line is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from covey import CoveyError, Network, Scenario, dumps, load, loads
from tests.conftest import EXAMPLES
from tests.model.io.sbml.sbml_models import model, reaction, species

BAYS = next(path for path in EXAMPLES if path.stem == "charging-bays")
TEXT = BAYS.read_text()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with both files in it; tests work elsewhere."""
    folder = tmp_path / "files"
    folder.mkdir()
    shutil.copy(BAYS.with_suffix(".xml"), folder)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return folder


def _load(desk: Path, text: str) -> Scenario:
    path = desk / "s.toml"
    path.write_text(text)
    return load(path)


def test_it_is_an_ordinary_scenario(desk: Path) -> None:
    scenario = _load(desk, TEXT)
    assert scenario.network == Network(
        "find_bay = 0.4\ndrone_full = 0.2\nrover_full = 0.1\n"
        "{drone} + {bay} <-> charge{drone,bay} @ find_bay, drone_full\n"
        "{rover} + {bay} <-> charge{rover,bay} @ find_bay, rover_full"
    )
    assert scenario.title == "Charging bays, from an SBML file"
    assert str(scenario.team) == "4 drones, 3 rovers, 2 bays"
    assert loads(dumps(scenario)) == scenario  # and needs the SBML file no more
    assert scenario.with_({"rates.find_bay": 2}).network.rates["find_bay"] == 2


def test_where_the_file_is(desk: Path) -> None:
    scenario = _load(desk, TEXT)
    absolute = TEXT.replace("charging-bays.xml", str(desk / "charging-bays.xml"))
    assert loads(absolute) == scenario
    with pytest.raises(CoveyError, match="^charging-bays.xml: there is no such file"):
        loads(TEXT)
    shutil.copy(desk / "charging-bays.xml", Path.cwd())
    assert loads(TEXT) == scenario


def test_the_scenario_goes_before_the_model(desk: Path) -> None:
    text = f'title = "Bays"\n{TEXT}\n[rates]\nfind_bay = 7\n'
    scenario = _load(desk, text)
    assert scenario.title == "Bays"
    assert scenario.network.rates == {"find_bay": 7, "drone_full": 0.2, "rover_full": 0.1}


def test_plain_species_start_as_the_model_says(desk: Path) -> None:
    (desk / "m.xml").write_text(
        model(
            reaction("A + B -> C", "k * A * B"),
            plain="C",
            more_species=species("A", 4) + species("B", 5),
        )
    )
    text = '[network]\nsbml = "m.xml"\n'
    assert _load(desk, text).initial == {"A": 4, "B": 5, "C": 0}
    assert _load(desk, f"{text}[initial]\nB = 9\n").initial == {"A": 4, "B": 9, "C": 0}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # the scenario is wrong
        ('sbml = "charging-bays.xml"', "sbml = 3", "s.toml:6: network.sbml is 3: the name of an SBML file"),
        ('sbml = "charging-bays.xml"', 'sbml = ""', "s.toml:6: network.sbml is '': the name of an SBML"),
        ('.xml"', '.xml"\nreactions = "a -> b @ 1"', "s.toml:6: network has both sbml and reactions"),
        ('.xml"', '.xml"\nkinetic = "power"', "s.toml:7: [network] has no kinetic. Did you mean"),
        ('.xml"', '.xml"\nkinetics = "mass"', "s.toml:7: kinetics is 'mass'"),
        ('sbml = "charging-bays.xml"', 'reactions = "a -> b @ 1"', "s.toml:8: [species] is about the species of an SBML model"),
        ('S5 = "charge{rover,bay}"', 'S5 = "charge{rover,bay"', "s.toml:13: 'charge{rover,bay' is not a species"),
        ("S5 = ", "S9 = ", "s.toml:13: species.S9: the SBML model has no species with this id"),
        ("{rover,bay}\"\n", '{drone,bay}"\n', "s.toml:13: the species S4 and S5 of the SBML model are both"),
        ("[types]", "[rates]\nfind = 3\n[types]", 's.toml:16: rates.find: the SBML model has no parameter of this name. Did you mean "find_bay"?'),
        ("[types]", "[rates]\nfind_bay = 0\n[types]", "s.toml:16: rates.find_bay is 0: a rate must be"),
        ("drone = 4", "dron = 4", "s.toml:6: {bay} + {drone} -> charge{bay,drone} has drone, which is neither"),
        ("[species]", "[specie]", 's.toml:8: [specie] is not known in a scenario. Did you mean "species"?'),
        # the model is, in the light of the scenario
        ('S5 = "charge{rover,bay}"', 'S5 = "charge{rover}"', "charging-bays.xml:43: reaction rover_charges: {bay} + {rover} -> charge{rover} does not conserve bay"),
        ("charging-bays.xml", "none.xml", "none.xml: there is no such file"),
        ("charging-bays.xml", ".", "files: this is a directory"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(desk: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(CoveyError) as caught:
        _load(desk, TEXT.replace(old, new, 1))
    assert message in str(caught.value)


def test_only_a_file_can_name_another() -> None:
    scenario = loads("[network]\nreactions = 'a -> b @ 1'\n")
    with pytest.raises(CoveyError, match="network.sbml is for scenario files"):
        scenario.with_({"network.sbml": "m.xml"})
    with pytest.raises(CoveyError, match=r"\[species\] is about the species of an SBML model"):
        scenario.with_({"species.S1": "a"})
