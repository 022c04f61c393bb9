"""Figures to files: the same figure gives the same bytes, whole or not at all."""

from __future__ import annotations

import math
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from covey.errors import InputError
from covey.report.style import PNG_DPI

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """Writes the figure as .png, .svg or .pdf, by the ending of `path`.

    The file appears when it is complete: one that was there before stays until then.
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
    if path.is_dir():
        raise InputError("this is a directory; the name of a picture is expected", file=str(path))
    try:
        _write(figure, path, ending)
    except FileNotFoundError:
        raise InputError(
            f"there is no folder {path.parent}: make it first, or choose another", file=str(path)
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"the picture cannot be written: {reason}", file=str(path)) from None


def _write(figure: Figure, path: Path, ending: str) -> None:
    unfinished = path.with_name(f".covey-{secrets.token_hex(6)}{ending}")
    try:
        with unfinished.open("xb") as stream, mpl.rc_context(_SETTINGS):
            figure.savefig(
                stream,
                format=ending[1:],
                dpi=_resolution(figure),
                facecolor=figure.get_facecolor(),
                metadata=_METADATA[ending],
            )
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _resolution(figure: Figure) -> float:
    """Dots per inch: fewer for a figure of many square feet, which would not fit in memory."""
    width, height = map(float, figure.get_size_inches())
    return min(PNG_DPI, math.sqrt(_MAX_PIXELS / (width * height)), _MAX_SIDE / max(width, height))
