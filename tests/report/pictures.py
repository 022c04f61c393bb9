"""What tests of pictures share: where the text of a figure is, and whether it can be read."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox


def texts(figure: Figure) -> list[str]:
    """All that is written, in no order."""
    return [text.get_text() for text, _ in _placed(figure)]


def check_legible(figure: Figure) -> None:
    """Every text is inside the figure and on no other text."""
    placed = _placed(figure)
    whole = figure.bbox
    for text, box in placed:
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= whole.x1 + 1 and box.y1 <= whole.y1 + 1
        assert inside, f"{text.get_text()!r} leaves the figure: {box} in {whole}"
    for (one, box), (other, other_box) in combinations(placed, 2):
        assert not _meet(box, other_box), f"{one.get_text()!r} is on {other.get_text()!r}"


def _placed(figure: Figure) -> list[tuple[Text, Bbox]]:
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    beyond = _ticks_beyond(figure)
    found = []
    for artist in figure.findobj(Text):
        assert isinstance(artist, Text)
        if artist.get_visible() and artist.get_text().strip() and id(artist) not in beyond:
            found.append((artist, artist.get_window_extent(renderer)))
    return found


def _ticks_beyond(figure: Figure) -> set[int]:
    """Matplotlib keeps ticks beyond the ends of an axis, and does not draw them."""
    found = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if not low <= tick.get_loc() <= high:
                    found |= {id(tick.label1), id(tick.label2)}
    return found


def _meet(one: Bbox, other: Bbox) -> bool:
    """Whether two boxes share more than the sliver that letters leave empty."""
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(width > 1.5 and height > 1.5)
