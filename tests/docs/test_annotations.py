"""Whatever a public function takes or gives back has a name that users can find."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import matplotlib.figure
import pandas as pd
import xarray as xr

import covey
from covey.cli.options.arguments import Request
from tests.docs.public_names import CLASSES, functions

# What modules import for their annotations only.
NAMES = {
    "Collection": Collection,
    "Figure": matplotlib.figure.Figure,
    "Leakage": covey.Leakage,
    "Network": covey.Network,
    "pd": pd,
    "xr": xr,
}


def classes_in(annotation: Any) -> Iterator[type]:
    """Every class that an annotation mentions, however deep."""
    for part in (get_origin(annotation), *get_args(annotation)):
        yield from classes_in(part) if part is not None else ()
    if isinstance(annotation, list):  # the arguments of a Callable
        for part in annotation:
            yield from classes_in(part)
    if inspect.isclass(annotation):
        yield annotation


def unknown(annotated: Any) -> set[str]:
    """The classes of covey's own that an annotation names and the reference does not know."""
    try:
        hints = get_type_hints(annotated, localns=dict(NAMES))
    except NameError as error:
        return {str(error)}
    found = {kind for hint in hints.values() for kind in classes_in(hint)}
    own = {kind for kind in found if kind.__module__.partition(".")[0] == "covey"}
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in own - set(CLASSES.values())}


def test_functions_and_methods() -> None:
    wrong = {name: found for name, function in functions() if (found := unknown(function))}
    assert wrong == {}


def test_fields() -> None:
    fields = {
        name: kind
        for name, kind in CLASSES.items()
        if not issubclass(kind, Exception) and inspect.get_annotations(kind)
    }
    assert fields
    assert {name: found for name, kind in fields.items() if (found := unknown(kind))} == {}


def test_a_class_that_nobody_can_find_would_fail() -> None:
    def asked(known: covey.Network, one: list[Request]) -> None: ...

    def lost(one: Nothing) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert unknown(asked) == {"covey.cli.options.arguments.Request"}
    assert unknown(lost) == {"name 'Nothing' is not defined"}
