"""An SBML document as libsbml gives it, once all that covey cannot mean is refused.

Refused here is what would change the team in another way than by its reactions: events, rates of
change and equations beside the reactions, packages that change what core SBML means, and factors
between what a reaction moves and what a species gains. Units are not read: SBML converts none.

Of the packages of Level 3, drawings, groups and flux bounds say nothing of how a team moves: they
are left unread, with a word. A model that is made of others (comp) becomes one (see `flattening`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from covey.errors import CoveyError, CoveyWarning, InputError
from covey.model.io.identifiers import one_line
from covey.model.io.sbml.antimony import is_antimony, read_antimony
from covey.model.io.sbml.flattening import flatten
from covey.model.io.sbml.text import read_sbml_text

_UNREAD = {  # packages that change nothing of what is read here, and what they hold
    "layout": "a drawing",
    "render": "the style of a drawing",
    "groups": "groups of its parts",
    "fbc": "flux bounds and objectives",
}


def open_sbml(path: Path) -> Any:
    """The `libsbml.SBMLDocument` in a file, which has a model that is made of reactions alone."""
    libsbml = import_libsbml()
    text = read_antimony(path) if is_antimony(path) else read_sbml_text(path)
    document = libsbml.readSBMLFromString(text)
    try:
        if document.getLevel() < 2:
            raise InputError("this is SBML Level 1: save it as Level 2 or 3 first")
        unread = _unread_packages(document)
        _check_errors(libsbml, document)
        if document.getModel() is None:
            raise InputError("there is no <model> in it: a model is expected")
        flat = flatten(libsbml, document)
        _check_errors(libsbml, document)
        if not flat:
            raise InputError("its submodels cannot be made one model: save it as core SBML first")
        model = document.getModel()
        _check_model(model)
        _check_ids(model)
    except InputError as error:
        raise in_file(error, path) from None
    for package in unread:
        warnings.warn(
            CoveyWarning(
                f"{path} has {_UNREAD[package]} (the SBML package {package}): it was not read, as "
                "it changes nothing of how the team moves"
            ),
            stacklevel=3,
        )
    return document


def in_file(error: CoveyError, path: Path) -> CoveyError:
    """The error, with the name of the file; without a line where the file is not SBML itself."""
    if is_antimony(path):
        error.line = None
    return error.at(file=str(path))


def import_libsbml() -> Any:
    """The module, or how to install it."""
    try:
        with warnings.catch_warnings():  # some versions of Python deprecate how it was compiled
            warnings.simplefilter("ignore", DeprecationWarning)
            import libsbml  # noqa: PLC0415  (optional, and half a second)
    except ImportError:
        raise InputError(
            'SBML is read by python-libsbml, which is not installed: pip install "covey[sbml]"',
            key="network.sbml",
        ) from None
    return libsbml


def _check_errors(libsbml: Any, document: Any) -> None:
    for number in range(document.getNumErrors()):
        error = document.getError(number)
        wrong = error.getSeverity() >= libsbml.LIBSBML_SEV_ERROR
        if wrong and error.getPackage() not in _UNREAD:
            # The rule that is broken, over several lines, and then what breaks it.
            said = [line.strip() for line in error.getMessage().splitlines() if line.strip()]
            detail = next((s for s in reversed(said) if not s.startswith("Reference:")), "")
            raise InputError(
                f"not valid SBML: {error.getShortMessage()} ({detail[:300]})",
                line=error.getLine() or None,
            )


def _unread_packages(document: Any) -> list[str]:
    """Those that are left unread; `InputError` where one changes what a model means."""
    found = []
    for number in range(document.getNumPlugins()):
        plugin = document.getPlugin(number)
        package, uri = plugin.getPackageName(), plugin.getURI()
        # libsbml has plugins for parts of the core, and for annotations of Level 2, too.
        is_package = "/level3/" in uri and not uri.endswith("/core")
        if is_package and package in _UNREAD:
            found.append(package)
        elif is_package and package != "comp" and document.getPackageRequired(package):
            raise InputError(
                f"it uses the SBML package {package}, which changes what a model means: "
                "save it as core SBML first",
                line=document.getLine() or None,
            )
    return found


def _check_model(model: Any) -> None:
    references = [
        reference
        for reaction in model.getListOfReactions()
        for side in (reaction.getListOfReactants(), reaction.getListOfProducts())
        for reference in side
    ]
    changed = {reference.getSpecies() for reference in references}
    free = {s.getId() for s in model.getListOfSpecies() if s.getBoundaryCondition()}
    free |= {s.getId() for s in model.getListOfSpecies()} - changed
    free |= {parameter.getId() for parameter in model.getListOfParameters()}
    for event in model.getListOfEvents():
        raise _refused(event, "an event", "only reactions may change the team")
    for rule in model.getListOfRules():
        if rule.isRate() or rule.isAlgebraic():
            kind = "a rate rule" if rule.isRate() else "an algebraic rule"
            raise _refused(rule, kind, "only reactions may change the team")
        if rule.getVariable() not in free:
            what = f"an assignment rule for {rule.getVariable()[:40]}"
            allowed = "only parameters, and species that no reaction changes, may have one"
            raise _refused(rule, what, allowed)
    for part in (model, *model.getListOfSpecies()):
        if part.isSetConversionFactor():
            raise _refused(part, "a conversion factor", "write amounts in the unit of reactions")
    for reaction in model.getListOfReactions():
        if reaction.getFast():
            raise _refused(reaction, "a fast reaction", "give it a rate instead")


def _check_ids(model: Any) -> None:
    """Of two things with one id libsbml takes the first; nobody would know which was meant."""
    reactions = model.getListOfReactions()
    sides = [side for r in reactions for side in (r.getListOfReactants(), r.getListOfProducts())]
    everywhere = [
        ("compartment", model.getListOfCompartments()),
        ("species", model.getListOfSpecies()),
        ("parameter", model.getListOfParameters()),
        ("reaction", reactions),
        ("function", model.getListOfFunctionDefinitions()),
        *(("species reference", side) for side in sides),
    ]
    _check_distinct((part.getId(), kind, part) for kind, parts in everywhere for part in parts)
    rules, starts = model.getListOfRules(), model.getListOfInitialAssignments()
    _check_distinct((rule.getVariable(), "rule", rule) for rule in rules)
    _check_distinct((start.getSymbol(), "initial assignment", start) for start in starts)
    for law in filter(None, (reaction.getKineticLaw() for reaction in reactions)):
        own = [law.getParameter(i) for i in range(law.getNumParameters())]
        _check_distinct((part.getId(), "parameter of one law", part) for part in own)


def _check_distinct(named: Iterable[tuple[str, str, Any]]) -> None:
    seen: dict[str, str] = {}
    for id_, kind, part in named:
        if id_ in seen:
            raise InputError(
                f"{one_line(id_[:40])} is given twice ({seen[id_]}, {kind}): leave one of them out",
                line=part.getLine() or None,
            )
        if id_:
            seen[id_] = kind


def _refused(part: Any, what: str, expected: str) -> InputError:
    return InputError(f"the model has {what}: {expected}", line=part.getLine() or None)
