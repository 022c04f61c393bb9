"""Models that are made of others (the SBML package comp), as one model.

libsbml writes every submodel out, its ids with a prefix, as `one__A` for the A of the submodel one.
What it would write is counted first: a definition that takes the next one twice, ten times over,
is a thousand models. Models in other files are refused: those would be read unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.errors import InputError
from covey.model.io.identifiers import one_line

_MAX_ELEMENTS = 200_000  # of the model that comes out
_MAX_DEPTH = 100  # of models within each other


def flatten(libsbml: Any, document: Any) -> bool:
    """Makes one model of a document with submodels; False where libsbml cannot, and tells it why.

    `InputError` where it is not to be tried.
    """
    comp = document.getPlugin("comp")
    if comp is None:
        return True
    for other in comp.getListOfExternalModelDefinitions():
        raise InputError(
            f"the model definition {one_line(other.getId()[:40])} stands in another file, "
            f"{one_line(other.getSource()[:80])}: put it into this one, or save the model as core "
            "SBML (flattened) first",
            line=other.getLine() or None,
        )
    definitions = {part.getId(): part for part in comp.getListOfModelDefinitions()}
    _written_out(document.getModel(), definitions, {}, 0)
    options = libsbml.ConversionProperties()
    options.addOption("flatten comp", True)
    options.addOption("leavePorts", False)
    return bool(document.convert(options) == libsbml.LIBSBML_OPERATION_SUCCESS)


def _written_out(
    model: Any, definitions: Mapping[str, Any], known: dict[str, int], depth: int
) -> int:
    """How many elements a model has with all its submodels; `InputError` where too many."""
    if depth > _MAX_DEPTH:
        raise InputError(f"more than {_MAX_DEPTH} models are nested in each other (package comp)")
    total = int(model.getListOfAllElements().getSize()) + 1
    for part in model.getPlugin("comp").getListOfSubmodels():
        name = part.getModelRef()
        if name not in definitions:
            raise InputError(
                f"the submodel {one_line(part.getId()[:40])} is of the model "
                f"{one_line(name[:40])}, which is not defined in this file",
                line=part.getLine() or None,
            )
        if name not in known:
            known[name] = _written_out(definitions[name], definitions, known, depth + 1)
        total += known[name]
    if total > _MAX_ELEMENTS:
        raise InputError(
            f"written out, its submodels have {total:,} elements or more: at most "
            f"{_MAX_ELEMENTS:,} can be"
        )
    return total
