"""What the results in a notebook share: how they are put together, and how numbers look."""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup
from matplotlib.figure import Figure

from covey.errors import CoveyError
from covey.report.html_parts import paragraph, picture
from covey.words import NOTHING, Way, rounded


def together(*parts: Markup) -> Markup:
    """The parts one below the other; what is too wide is scrolled."""
    return Markup('<div style="overflow-x:auto">{}</div>').format(Markup().join(parts))


def drawn(draw: Callable[[], Figure], says: str) -> Markup:
    """The picture, or the reason why there is none: the rest is shown in any case."""
    try:
        return picture(draw(), says)
    except CoveyError as error:
        return paragraph(f"There is no picture: {error.message}.")


def number(value: float, digits: int = 4, way: Way = "nearest") -> str:
    """A number in so many digits; a bound is rounded outward."""
    return "∞" if value == math.inf else rounded(value, f".{digits}g", way)


def leaked(value: float, way: Way = "nearest") -> str:
    """A leakage; what is nothing but rounding is 0."""
    return "0" if value < NOTHING else number(value, 8, way)
