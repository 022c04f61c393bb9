"""The parts of covey's HTML: escaped text, tables, pictures.

Tables have no colours of their own: they take those of the page that they stand on, light or dark.
A picture is an SVG in an `img`, so that the names inside it never meet those of another picture.
Whatever is not `Markup` already is text, perhaps a user's, and is escaped; `Markup` itself is only
ever made of a literal (the linter sees to it), and fills its gaps with escaped text.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from covey.report.figure_file import write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 20

_CELL = "padding:0.15em 0.8em 0.15em 0;border:0;vertical-align:top;background:none"
_RULE = "border-bottom:1px solid rgba(128,128,128,0.5)"
_SIDES = {True: "text-align:right", False: "text-align:left"}


def paragraph(text: object) -> Markup:
    """A paragraph; line breaks of the text are kept."""
    return Markup('<p style="margin:0.3em 0;white-space:pre-wrap">{}</p>').format(text)


def table(
    headers: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    left: Sequence[int] = (0,),
    most: int | None = MOST_ROWS,
) -> Markup:
    """A table; the columns of `left` are words, all others numbers, set to the right.

    Of more than `most` rows the first are shown, and how many are not.
    """
    listed = list(rows)
    shown = listed if most is None or len(listed) <= most else listed[:most]
    head = _row("th", headers, left)
    body = Markup().join(_row("td", row, left) for row in shown)
    made = Markup(
        '<table style="border-collapse:collapse;margin:0.5em 0">'
        "<thead>{}</thead><tbody>{}</tbody></table>"
    ).format(head, body)
    hidden = len(listed) - len(shown)
    return made + paragraph(f"… and {hidden:,} more") if hidden else made


def figure_svg(figure: Figure) -> str:
    """The figure as an SVG document: the same figure gives the same text."""
    stream = io.BytesIO()
    write_figure(figure, stream, ".svg")
    return stream.getvalue().decode("utf-8")


def picture(figure: Figure, says: str = "") -> Markup:
    """The figure inside a page; `says` is for those who cannot see it."""
    data = b64encode(figure_svg(figure).encode("utf-8")).decode("ascii")
    width = round(96 * figure.get_figwidth())
    return Markup(
        '<img alt="{}" src="data:image/svg+xml;base64,{}" '
        'style="width:{}px;max-width:100%;height:auto;border-radius:4px;margin:0.5em 0">'
    ).format(says, data, width)


def _row(tag: str, texts: Sequence[object], left: Sequence[int]) -> Markup:
    cells = Markup().join(_cell(tag, text, i in left) for i, text in enumerate(texts))
    return Markup("<tr>{}</tr>").format(cells)


def _cell(tag: str, text: object, left: bool) -> Markup:
    style = f"{_CELL};{_SIDES[not left]}" + (f";{_RULE}" if tag == "th" else "")
    return Markup('<{0} style="{1}">{2}</{0}>').format(tag, style, text)
