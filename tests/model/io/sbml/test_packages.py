"""Packages of SBML Level 3: submodels become one model, drawings and flux bounds are left unread."""

from __future__ import annotations

from pathlib import Path

import pytest

from covey import CoveyError, CoveyWarning, Network, from_sbml
from covey.model.io.sbml.reader import SbmlModel
from tests.cli.command import covey
from tests.model.io.sbml.sbml_models import SBML, model, reaction, species

PLAIN = model(reaction("A -> B", "k * A"), plain="B", more_species=species("A", 2))
COMP = "http://www.sbml.org/sbml/level3/version1/comp/version1"
CELL = PLAIN[PLAIN.index(">", PLAIN.index("<model ")) + 1 : PLAIN.index("</model>")]


def package(name: str, version: int, required: str, content: str = "", model: str = "") -> str:
    """The plain model with a package declared, and something of it in the model."""
    uri = f"http://www.sbml.org/sbml/level3/version1/{name}/version{version}"
    declared = f'<sbml xmlns:{name}="{uri}" {name}:required="{required}" '
    text = PLAIN.replace("<sbml ", declared).replace("<model ", f"<model {model} ")
    return text.replace("</model>", f"{content}</model>")


def composed(submodels: str, definitions: str, top: str = "") -> str:
    """A document whose model is made of others."""
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<sbml xmlns="{SBML}" level="3" version="1" xmlns:comp="{COMP}" comp:required="true">',
        f'<model id="top" name="together">{top}',
        f"<comp:listOfSubmodels>{submodels}</comp:listOfSubmodels></model>",
        f"{definitions}</sbml>",
    ])  # fmt: skip


def submodel(id_: str, of: str, more: str = "") -> str:
    return f'<comp:submodel comp:id="{id_}" comp:modelRef="{of}"{more}/>'


def defined(**models: str) -> str:
    inner = "".join(
        f'<comp:modelDefinition id="{id_}">{text}</comp:modelDefinition>'
        for id_, text in models.items()
    )
    return f"<comp:listOfModelDefinitions>{inner}</comp:listOfModelDefinitions>"


def read(tmp_path: Path, text: str) -> SbmlModel:
    path = tmp_path / "m.xml"
    path.write_text(text)
    return from_sbml(path)


def test_submodels_become_one_model(tmp_path: Path) -> None:
    """Two cells that share B, each with an A and a rate of its own."""
    shared = "".join(
        f'<comp:replacedElement comp:idRef="B" comp:submodelRef="{id_}"/>' for id_ in ("one", "two")
    )
    replaced = f"<comp:listOfReplacedElements>{shared}</comp:listOfReplacedElements>"
    b = species("B", 5).replace("/>", f">{replaced}</species>")
    compartment = '<compartment id="c" constant="true" size="1" spatialDimensions="3"/>'
    top = (
        f"<listOfCompartments>{compartment}</listOfCompartments><listOfSpecies>{b}</listOfSpecies>"
    )
    both = submodel("one", "cell") + submodel("two", "cell")
    found = read(tmp_path, composed(both, defined(cell=CELL), top))
    assert found.network == Network(
        "one__k = 3\ntwo__k = 3\none__A -> B @ one__k\ntwo__A -> B @ two__k"
    )
    assert found.initial == {"B": 5, "one__A": 2, "two__A": 2}
    assert found.title == "together"


def test_a_submodel_whose_clock_runs_otherwise(tmp_path: Path) -> None:
    top = '<listOfParameters><parameter id="slow" value="4" constant="true"/></listOfParameters>'
    one = submodel("one", "cell", ' comp:timeConversionFactor="slow"')
    found = read(tmp_path, composed(one, defined(cell=CELL), top)).network
    assert [found.rate_constants.tolist(), found.lines] == [[0.75], ["one__A -> one__B @ 0.75"]]


DRAWING = (
    '<layout:listOfLayouts><layout:layout layout:id="l">'
    '<layout:dimensions layout:width="1" layout:height="2"/></layout:layout></layout:listOfLayouts>'
)
OBJECTIVE = (
    '<fbc:listOfObjectives fbc:activeObjective="o"><fbc:objective fbc:id="o" fbc:type="maximize">'
    '<fbc:listOfFluxObjectives><fbc:fluxObjective fbc:reaction="r" fbc:coefficient="1"/>'
    "</fbc:listOfFluxObjectives></fbc:objective></fbc:listOfObjectives>"
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (package("layout", 1, "false", DRAWING), r"has a drawing \(the SBML package layout\)"),
        (package("layout", 1, "true", DRAWING), "has a drawing"),
        (package("fbc", 2, "false", OBJECTIVE, 'fbc:strict="false"'), "has flux bounds"),
        (package("fbc", 2, "false", OBJECTIVE), "has flux bounds"),  # and not valid, as fbc
        (package("groups", 1, "false"), "has groups of its parts"),
    ],
)
def test_what_says_nothing_of_how_a_team_moves_is_left_unread(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.warns(CoveyWarning, match=said):
        assert read(tmp_path, text).network == Network("k = 3\nA -> B @ k")


SCENARIO = """
types = { a = 2, b = 1 }
species = { A = "{a}", B = "w{a}", C = "{b}", D = "w{b}" }
[network]
sbml = "m.xml"
[observe]
free = "{a} + {b}"
[adversary]
at = 1
"""


def test_the_command_says_so(tmp_path: Path) -> None:
    moves = (reaction("A -> B", "k * A", id="r"), reaction("C -> D", "kr * C", id="s"))
    plain = model(*moves, plain="A B C D")
    uri = "http://www.sbml.org/sbml/level3/version1/layout/version1"
    drawn = plain.replace("<sbml ", f'<sbml xmlns:layout="{uri}" layout:required="false" ')
    (tmp_path / "s.toml").write_text(SCENARIO)
    for text, said in ((plain, ""), (drawn, "has a drawing (the SBML package layout)")):
        (tmp_path / "m.xml").write_text(text)
        answer = covey("check", tmp_path / "s.toml")
        assert answer.code == 0
        assert said in answer.err
        assert bool(said) == bool(answer.err)


OTHER_FILE = (
    "<comp:listOfExternalModelDefinitions><comp:externalModelDefinition comp:id='cell' "
    "comp:source='file:///etc/passwd'/></comp:listOfExternalModelDefinitions>"
)


def nested(inner: str) -> str:
    return f"<comp:listOfSubmodels>{inner}</comp:listOfSubmodels>"


DOUBLING = {
    f"m{n}": nested(submodel("a", f"m{n + 1}") + submodel("b", f"m{n + 1}")) for n in range(40)
}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (composed(submodel("one", "cell"), OTHER_FILE),
         r"m.xml:5: the model definition cell stands in another file, file:///etc/passwd: put it"),
        (composed(submodel("one", "cel"), defined(cell=CELL)), "m.xml:4: the submodel one is of the model cel, which"),
        (composed(submodel("one", "m0"), defined(m0=nested(submodel("a", "m0")))), "100 models are nested"),
        (composed(submodel("one", "m0"), defined(**DOUBLING, m40=CELL)),
         "written out, its submodels have .* elements or more: at most 200,000 can be"),
        (package("multi", 1, "true"), "it uses the SBML package multi, which changes what a model"),
        (composed(submodel("one", "cell"), defined(cell=CELL.replace("k </ci>", "q </ci>"))),
         "m.xml:.* uses 'q' that is not the id of"),
    ],
)  # fmt: skip
def test_what_cannot_be_translated_is_refused_with_the_reason(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(CoveyError, match=message):
        read(tmp_path, text)
