"""Whatever a public function takes or gives back has a name that users can find."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import matplotlib.figure
import pandas as pd
import pytest
import xarray as xr

import covey
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

FUNCTIONS = dict(functions())
FIELDS = {
    name: found
    for name, found in CLASSES.items()
    if not issubclass(found, Exception) and inspect.get_annotations(found)
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


def unknown(hints: dict[str, Any]) -> set[str]:
    """The classes of covey's own that the reference does not know."""
    found = {kind for hint in hints.values() for kind in classes_in(hint)}
    own = {kind for kind in found if kind.__module__.partition(".")[0] == "covey"}
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in own - set(CLASSES.values())}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_and_methods(name: str) -> None:
    function: Callable[..., Any] = FUNCTIONS[name]
    assert unknown(get_type_hints(function, localns=dict(NAMES))) == set()


@pytest.mark.parametrize("name", FIELDS)
def test_fields(name: str) -> None:
    assert unknown(get_type_hints(FIELDS[name], localns=dict(NAMES))) == set()
