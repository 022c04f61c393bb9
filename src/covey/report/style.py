"""How covey's pictures look: colours, lettering, line widths, in a light and a dark theme.

The colours of series are those of Okabe and Ito, which people with any kind of colour vision can
tell apart; wherever colour says something, a dash, an outline or a shade says it too. A theme is a
value that a plot is given: nothing here changes matplotlib's settings for anybody else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

FONT = "DejaVu Sans"  # comes with matplotlib, so that a picture is the same on every machine

# In points, for a picture that is printed at its own size.
TITLE_SIZE = 9.5
LABEL_SIZE = 8.0
SMALL_SIZE = 6.5
LINE_WIDTH = 0.9
HAIR_WIDTH = 0.6

PNG_DPI = 300
COLUMN_WIDTH = 3.4  # inches: one column of a two-column paper
PAGE_WIDTH = 7.0


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one look, by what they stand for.

    Args:
        background: Behind everything.
        ink: Text, outlines, axes.
        muted: What should stand back: keys, second lines, resources.
        grid: Lines to read values off.
        accent: What is private: robots whose type is to be protected.
        accent_fill: The same, for areas.
        neutral_fill: What is not private: resources, plain species.
        alert: What cannot be undone, breaches, bounds that are passed.
        series: Lines and bars, in the order in which they are used.
        sequential: Matplotlib's name for the colour map of a heat map.
    """

    background: str
    ink: str
    muted: str
    grid: str
    accent: str
    accent_fill: str
    neutral_fill: str
    alert: str
    series: tuple[str, ...]
    sequential: str


LIGHT = Theme(
    background="#ffffff",
    ink="#1f2328",
    muted="#5f666d",
    grid="#d9dde1",
    accent="#0072b2",
    accent_fill="#e1eff8",
    neutral_fill="#e9e9e9",
    alert="#c2510a",
    series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#000000"),
    sequential="cividis",
)

DARK = Theme(
    background="#14171a",
    ink="#e6e8ea",
    muted="#a0a7ae",
    grid="#363c42",
    accent="#56b4e9",
    accent_fill="#16364a",
    neutral_fill="#363a3e",
    alert="#f0954a",
    series=("#56b4e9", "#e69f00", "#2fc39a", "#e39ac4", "#f0e442", "#3d9bd6", "#ffffff"),
    sequential="cividis",
)


def fonts_for(text: str) -> list[str]:
    """The families to set `text` in: covey's own, and one more for characters that it lacks."""
    missing = frozenset(map(ord, text)) - _characters_of(_own_font())
    missing -= {ord("\n")}
    return [FONT, *_fallback(missing)] if missing else [FONT]


def drawable(text: str) -> str:
    """`text` with a box for every character that no font on this machine has."""
    missing = frozenset(map(ord, text)) - _characters_of(_own_font()) - {ord("\n")}
    if not missing or _fallback(missing):
        return text
    return "".join("\u25a1" if ord(c) in missing else c for c in text)


def _own_font() -> str:
    return font_manager.findfont(FONT)


@cache
def _characters_of(file: str) -> frozenset[int]:
    return frozenset(FT2Font(file).get_charmap())


@cache
def _fallback(missing: frozenset[int]) -> tuple[str, ...]:
    """The first family, by name, that has all of them; none where there is none."""
    entries = font_manager.fontManager.ttflist
    for entry in sorted(entries, key=lambda entry: (entry.name, entry.fname)):
        if entry.name.startswith("Last Resort"):  # has a sign for everything, a letter for nothing
            continue
        try:
            if missing <= _characters_of(entry.fname):
                return (entry.name,)
        except (OSError, RuntimeError):  # listed by matplotlib, but gone or not readable
            continue
    return ()
