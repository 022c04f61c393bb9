"""How results show themselves, in a notebook or as a picture.

How a result looks is for `covey.report` to say, which comes after all results and knows each of
them. Results must not know it in turn, so it is called by name, as the public names in `covey` are,
and first loaded when something is to be shown: computing never loads a plotting library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Showing:
    """A value that a notebook shows with its sentence, its tables and its pictures."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = import_module("covey.report.notebook").html_of(self)
        return html


class Drawing(Showing):
    """A value that has a picture of its own."""

    __slots__ = ()

    def plot(self, **options: Any) -> Figure:
        """The picture, as a figure of matplotlib's.

        Args:
            **options: As the function takes them that draws this kind: `title` and `theme` for
                most.
        """
        figure: Figure = import_module("covey.report.figures.of_result").figure_of(self, **options)
        return figure
