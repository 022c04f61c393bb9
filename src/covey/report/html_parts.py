"""The parts of covey's HTML: escaped text, tables, pictures.

Tables have no colours of their own: they take those of the page that they stand on, light or dark.
A picture is an SVG in an `img`, so that the names inside it never meet those of another picture.
Whatever is not `Html` already is text, perhaps a user's, and is escaped.
"""

from __future__ import annotations

import html
import io
from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from covey.report.figure_file import write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 20

_CELL = "padding:0.15em 0.8em 0.15em 0;border:0;vertical-align:top;background:none"
_RULE = "border-bottom:1px solid rgba(128,128,128,0.5)"
_SIDES = {True: "text-align:right", False: "text-align:left"}


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(text: object) -> Html:
    """Any value as HTML that shows it."""
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def paragraph(text: object) -> Html:
    """A paragraph; line breaks of the text are kept."""
    return Html(f'<p style="margin:0.3em 0;white-space:pre-wrap">{escape(text)}</p>')


def table(
    headers: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    left: Sequence[int] = (0,),
    most: int | None = MOST_ROWS,
) -> Html:
    """A table; the columns of `left` are words, all others numbers, set to the right.

    Of more than `most` rows the first are shown, and how many are not.
    """
    listed = list(rows)
    shown = listed if most is None or len(listed) <= most else listed[:most]
    head = "".join(_cell("th", text, i in left) for i, text in enumerate(headers))
    body = "".join(
        f"<tr>{''.join(_cell('td', text, i in left) for i, text in enumerate(row))}</tr>"
        for row in shown
    )
    made = (
        '<table style="border-collapse:collapse;margin:0.5em 0">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
    hidden = len(listed) - len(shown)
    return Html(made + (paragraph(f"… and {hidden:,} more") if hidden else ""))


def figure_svg(figure: Figure) -> str:
    """The figure as an SVG document: the same figure gives the same text."""
    stream = io.BytesIO()
    write_figure(figure, stream, ".svg")
    return stream.getvalue().decode("utf-8")


def picture(figure: Figure, says: str = "") -> Html:
    """The figure inside a page; `says` is for those who cannot see it."""
    data = b64encode(figure_svg(figure).encode("utf-8")).decode("ascii")
    width = round(96 * figure.get_figwidth())
    return Html(
        f'<img alt="{escape(says)}" src="data:image/svg+xml;base64,{data}" '
        f'style="width:{width}px;max-width:100%;height:auto;border-radius:4px;margin:0.5em 0">'
    )


def _cell(tag: str, text: object, left: bool) -> str:
    rule = f";{_RULE}" if tag == "th" else ""
    return f'<{tag} style="{_CELL};{_SIDES[not left]}{rule}">{escape(text)}</{tag}>'
