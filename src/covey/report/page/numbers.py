"""Numbers in the page: rounded for reading, whole for whoever looks closer.

Every number that covey computed stands in a `data` element, whose `value` has all digits and whose
`data-is` is the Python expression that gives it, with `leakage`, `profile`, `sensitivity`, `trace`
and `distributions` being what covey finds for the scenario. A test reads them back and compares.
"""

from __future__ import annotations

import math

from markupsafe import Markup

from covey.words import Way, number, odds, rounded


def quantity(value: float, text: str, name: str) -> Markup:
    """`text`, which stands for `value`; `name` is the expression for it."""
    whole = "inf" if math.isinf(value) else repr(float(value))
    return Markup('<data value="{}" data-is="{}" title="{}">{}</data>').format(
        whole, name, _title(value), text
    )


def leakage(value: float, name: str, way: Way = "nearest") -> Markup:
    """A leakage, an ε or any other number on that scale: `0.588`, `∞`."""
    return quantity(value, number(value, way), name)


def factor(value: float, name: str, way: Way = "nearest") -> Markup:
    """A leakage as a factor on the odds: `1.8`."""
    text = odds(value, way)
    if text[0] in "e∞":
        return quantity(value, text, name)
    return quantity(math.exp(value), text, f"exp({name})")


def percent(value: float, name: str, way: Way = "nearest") -> Markup:
    """A probability in percent: `12.4%`, `3.1e-05%`."""
    return quantity(value, as_percent(value, way), name)


def as_percent(value: float, way: Way = "nearest") -> str:
    """The text of it."""
    if value == 0:
        return "0"
    close = 0.9995 <= value < 1  # never 100% where it is not
    return rounded(value, ".6g%" if close else ".3g%", way)


def _title(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.12g}"
