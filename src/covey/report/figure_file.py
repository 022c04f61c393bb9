"""Figures to files: the same figure gives the same bytes, whole or not at all."""

from __future__ import annotations

import math
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import matplotlib as mpl

from covey.errors import InputError
from covey.escaping import escape
from covey.files.atomic_file import whole_file
from covey.report.style import PNG_DPI

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOT_IN_FONTS = dict.fromkeys(range(0x2400, 0x2422), "\N{REPLACEMENT CHARACTER}")  # ␛ and such
_MAX_PIXELS = 8e7
_MAX_SIDE = 32_000  # more, and other programs cannot open it

# For each ending, what to leave out of the file: the hour it was written and by which version.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": "covey"},
    ".pdf": {"CreationDate": None, "Creator": "covey", "Producer": "covey"},
}

# Held only while a file is written; a matplotlibrc of the user's must not change covey's files.
_SETTINGS: Any = {
    "svg.hashsalt": "covey",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3
    "pdf.compression": 6,
    "savefig.bbox": None,
    "savefig.transparent": False,
}


def save_figure(figure: Figure, path: str | Path) -> None:
    """Writes a figure to a file.

    Args:
        figure: What to write.
        path: Ends in .png, .svg or .pdf. A file that was there before stays until the new one is
            complete.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in _METADATA:
        found = f"ends in {path.suffix}" if path.suffix else "has no ending"
        raise InputError(
            f"a picture cannot be written here: the name {found}, "
            f"and {', '.join(list(_METADATA)[:-1])} or .pdf is expected",
            file=str(path),
        )
    with whole_file(path) as file, file.open("wb") as stream:
        write_figure(figure, stream, ending)


def write_figure(figure: Figure, stream: IO[bytes], ending: str) -> None:
    """The bytes of a .png, .svg or .pdf file, into an open stream."""
    _show_all(figure)
    with mpl.rc_context(_SETTINGS):
        figure.savefig(
            stream,
            format=ending[1:],
            dpi=_resolution(figure),
            facecolor=figure.get_facecolor(),
            metadata=_METADATA[ending],
        )


def _show_all(figure: Figure) -> None:
    """Makes visible what names have that cannot be seen: SVG cannot hold it, nor PDF draw it."""
    from matplotlib.text import Text  # noqa: PLC0415
    from matplotlib.ticker import FixedFormatter  # noqa: PLC0415

    for text in figure.findobj(Text):
        if isinstance(text, Text):
            text.set_text(_shown(text.get_text()))
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(formatter := axis.get_major_formatter(), FixedFormatter):
                formatter.seq = list(map(_shown, formatter.seq))


def _shown(text: str) -> str:
    return escape(text, lines=True).translate(_NOT_IN_FONTS)


def _resolution(figure: Figure) -> float:
    """Dots per inch: fewer for a figure of many square feet, which would not fit in memory."""
    width, height = map(float, figure.get_size_inches())
    return min(PNG_DPI, math.sqrt(_MAX_PIXELS / (width * height)), _MAX_SIDE / max(width, height))
