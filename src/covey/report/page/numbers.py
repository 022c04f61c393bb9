"""Numbers in the page: rounded for reading, whole for whoever looks closer.

Every number that covey computed stands in a `data` element, whose `value` has all digits and whose
`data-is` is the Python expression that gives it, with `leakage`, `profile`, `sensitivity`, `trace`
and `laws` being what covey finds for the scenario. A test reads them back and compares.
"""

from __future__ import annotations

import math

from markupsafe import Markup

from covey.words import number as rounded
from covey.words import odds


def quantity(value: float, text: str, name: str) -> Markup:
    """`text`, which stands for `value`; `name` is the expression for it."""
    whole = "inf" if math.isinf(value) else repr(float(value))
    return Markup('<data value="{}" data-is="{}" title="{}">{}</data>').format(
        whole, name, _title(value), text
    )


def leakage(value: float, name: str) -> Markup:
    """A leakage, an ε or any other number on that scale: `0.588`, `∞`."""
    return quantity(value, rounded(value), name)


def factor(value: float, name: str) -> Markup:
    """A leakage as a factor on the odds: `1.8`."""
    text = odds(value)
    if text[0] in "e∞":
        return quantity(value, text, name)
    return quantity(math.exp(value), text, f"exp({name})")


def percent(value: float, name: str) -> Markup:
    """A probability in percent: `12.4 %`, `3.1e-05 %`."""
    return quantity(value, as_percent(value), name)


def as_percent(value: float) -> str:
    """The text of it."""
    if value == 0:
        return "0"
    close = 0.9995 <= value < 1  # never 100 % where it is not
    return f"{100 * value:.6g} %" if close else f"{100 * value:.3g} %"


def _title(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.12g}"
