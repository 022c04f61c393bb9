"""SBML Level 3 models for tests, from arrows and formulas as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from covey.model.io.sbml.document import import_libsbml

libsbml = import_libsbml()
SBML = "http://www.sbml.org/sbml/level3/version1/core"


def math(formula: str) -> str:
    """MathML from a formula such as `k * A * (A - 1)`."""
    tree = libsbml.parseL3Formula(formula)
    assert tree is not None, libsbml.getLastParseL3Error()
    text: str = libsbml.writeMathMLToString(tree)
    return text.partition("?>")[2]


def reaction(
    arrow: str, law: str, *, id: str = "r", modifiers: str = "", local: Mapping[str, float] = {}
) -> str:
    """A reaction from `2 A + B -> C`, or `<=>` where it is reversible."""
    reversible = "<=>" in arrow
    left, _, right = arrow.replace("<=>", "->").partition("->")
    inner = "".join(f'<localParameter id="{k}" value="{v}"/>' for k, v in local.items())
    return (
        f'<reaction id="{id}" reversible="{str(reversible).lower()}" fast="false">'
        + _side("listOfReactants", left)
        + _side("listOfProducts", right)
        + _listed(
            "listOfModifiers",
            "".join(f'<modifierSpeciesReference species="{m}"/>' for m in modifiers.split()),
        )
        + f"<kineticLaw>{math(law)}{_listed('listOfLocalParameters', inner)}</kineticLaw></reaction>"
    )


def species(id: str, amount: float | None = 0, **attributes: str) -> str:
    """A species that is counted in items; any attribute may be given otherwise."""
    given = {
        "id": id,
        "compartment": "c",
        "hasOnlySubstanceUnits": "true",
        "boundaryCondition": "false",
        "constant": "false",
    } | ({} if amount is None else {"initialAmount": str(amount)})
    written = " ".join(f"{key}={quoteattr(v)}" for key, v in (given | attributes).items())
    return f"<species {written}/>"


def model(
    *reactions: str,
    plain: str = "A B C",
    more_species: str = "",
    parameters: Mapping[str, float | None] = {"k": 3.0, "kr": 2.0},
    more_parameters: str = "",
    size: str = "1",
    functions: str = "",
    assigned: Mapping[str, str] = {},
    rules: str = "",
    events: str = "",
) -> str:
    """A whole document; the plain species start with none."""
    listed = "".join(species(id_) for id_ in plain.split()) + more_species
    values = "".join(
        f'<parameter id="{k}" constant="true"' + ("/>" if v is None else f' value="{v}"/>')
        for k, v in parameters.items()
    )
    starts = "".join(
        f'<initialAssignment symbol="{k}">{math(v)}</initialAssignment>'
        for k, v in assigned.items()
    )
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<sbml xmlns="{SBML}" level="3" version="1">',
            '<model id="m" name="a model">',
            _listed("listOfFunctionDefinitions", functions),
            f'<listOfCompartments><compartment id="c" size="{size}" constant="true"/></listOfCompartments>',
            _listed("listOfSpecies", listed),
            _listed("listOfParameters", values + more_parameters),
            _listed("listOfInitialAssignments", starts),
            _listed("listOfRules", rules),
            _listed("listOfReactions", "\n".join(reactions)),
            _listed("listOfEvents", events),
            "</model>",
            "</sbml>",
        ]
    )


def _side(tag: str, side: str) -> str:
    references = ""
    for term in filter(None, (part.strip() for part in side.split("+"))):
        n, _, name = term.rpartition(" ")
        references += (
            f'<speciesReference species="{name}" stoichiometry="{n or 1}" constant="true"/>'
        )
    return _listed(tag, references)


def _listed(tag: str, inner: str) -> str:
    return f"<{tag}>{inner}</{tag}>" if inner else ""
