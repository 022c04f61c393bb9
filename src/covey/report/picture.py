"""Picture: a figure that a notebook shows when it is the last line of a cell.

Matplotlib's own figures are shown there only after `%matplotlib inline` or an import of pyplot, and
covey never imports pyplot, whose figures are global.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from covey.report.html_parts import picture


class Picture(Figure):
    """A figure of matplotlib's in every way, that knows its HTML."""

    def _repr_html_(self) -> str:
        return picture(self, self.get_suptitle())
