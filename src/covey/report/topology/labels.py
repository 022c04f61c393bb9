"""What is written in the nodes of a picture, broken into lines, and how much room it takes.

Sizes are in inches, measured with the font that the picture will use.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

from covey.model.rate import print_rate
from covey.model.reaction import Reaction
from covey.report.style import LABEL_SIZE, SMALL_SIZE, drawable, fonts_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from covey.model.species import Species
    from covey.report.topology.layers import Box

LEADING = 1.22  # from line to line, in font sizes

_ONE_LINE = 0.25  # the radius up to which a name is not broken
_MAX_WORD = 18
_MAX_WORDS = 24
_MAX_LINES = 4
_MAX_TEXT = 4000  # letters of a title: more than four lines of any picture hold
_DPI = 300


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a label, `size` in points; `rise` is its middle over the label's middle."""

    text: str
    size: float
    width: float
    rise: float = 0.0

    @property
    def height(self) -> float:
        """From line to line."""
        return LEADING * self.size / 72


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text, set around their common centre."""

    lines: tuple[Line, ...]

    @classmethod
    def of(cls, texts: Sequence[tuple[str, float]]) -> Label:
        """The label with these lines, each with its font size."""
        plain = [Line(drawable(text), size, text_width(text, size)) for text, size in texts]
        top = sum(line.height for line in plain) / 2
        lines = []
        for line in plain:
            lines.append(Line(line.text, line.size, line.width, top - line.height / 2))
            top -= line.height
        return cls(tuple(lines))

    @property
    def width(self) -> float:
        """Of the widest line."""
        return max(line.width for line in self.lines)

    @property
    def height(self) -> float:
        """Of all lines."""
        return sum(line.height for line in self.lines)

    @property
    def radius(self) -> float:
        """Of the smallest circle around the middle that holds all letters."""
        return max(
            math.hypot(line.width / 2, abs(line.rise) + 0.4 * line.size / 72) for line in self.lines
        )


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """How wide the text is set."""
    text = drawable(text)
    font = FontProperties(family=fonts_for(text), size=size)
    renderer: Any = RendererAgg(1, 1, _DPI)  # type: ignore[no-untyped-call]
    return float(renderer.get_text_width_height_descent(text, font, ismath=False)[0]) / _DPI


def wrap(text: str, size: float, width: float) -> list[str]:
    """The text in lines of at most that width; a word that is wider is cut."""
    lines = [""]
    for word in text[:_MAX_TEXT].split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= width:
            lines[-1] = longer
            continue
        if len(lines) > _MAX_LINES:
            break
        wider = bisect_right(
            range(1, len(word)), width, key=lambda n: text_width(f"{word[:n]}…", size)
        )
        lines.append(word if text_width(word, size) <= width else f"{word[: max(wider, 1)]}…")
    lines = [line for line in lines if line] or [""]
    return lines if len(lines) <= _MAX_LINES else [*lines[: _MAX_LINES - 1], "…"]


def species_label(species: Species) -> Label:
    """The species' name, in one line if that is short, else in the roundest shape."""
    breaks = [Label.of([(line, LABEL_SIZE) for line in lines]) for lines in _breaks(species)]
    return (
        breaks[0] if breaks[0].radius <= _ONE_LINE else min(breaks, key=lambda label: label.radius)
    )


def box_label(box: Box) -> Label:
    """The names of the box's reactions, else their numbers, and their rates in smaller print."""
    numbers = ", ".join(_called(box))
    rates = ", ".join(_print_rate(reaction) for reaction in box.reactions)
    return Label.of([(numbers, LABEL_SIZE), (rates, SMALL_SIZE)])


def _called(box: Box) -> list[str]:
    """What its reactions are called; of a name and that of its way back, the name says it all."""
    names = [reaction.name for reaction in box.reactions]
    if box.reversible and names[0] and names[1] == f"{names[0]}'":
        return [_shorten(names[0])]
    called = zip(names, box.numbers, strict=True)
    return [_shorten(name) if name else f"r{number}" for name, number in called]


def _print_rate(reaction: Reaction) -> str:
    rate = reaction.rate
    if isinstance(rate, float):
        return print_rate(float(f"{reaction.times * rate:.3g}"))
    return _shorten(reaction.time)


def _breaks(species: Species) -> Iterator[list[str]]:
    """Every way to break the name into lines of about equal length, from one line on."""
    words = _words(species)
    total = sum(map(len, words))
    seen: list[list[str]] = []
    for limit in range(total, max(map(len, words)) - 1, -1):
        lines = [""]
        for word in words:
            if lines[-1] and len(lines[-1]) + len(word) > limit:
                lines.append("")
            lines[-1] += word
        if lines not in seen:
            seen.append(lines)
            yield lines


def _words(species: Species) -> list[str]:
    """The name cut where a line may end: after a comma, a brace or an underscore."""
    members = _fewer([*species.members])
    activity = species.activity.replace("_", "_\n").split("\n") if species.activity else [""]
    words = _fewer(activity)
    if members:
        braced = [f"{member}," for member in members[:-1]] + [members[-1] + "}"]
        if len(words[-1]) > 2:
            words.append("")
        words[-1] += "{" + braced[0]
        words += braced[1:]
    return [word for word in words if word]


def _fewer(words: list[str]) -> list[str]:
    """The words, each short, with those in the middle left out where they are many."""
    if len(words) > _MAX_WORDS:
        words = [*words[: _MAX_WORDS - 4], "…", *words[-3:]]
    return [_shorten(word) for word in words]


def _shorten(word: str) -> str:
    return word if len(word) <= _MAX_WORD else f"{word[: _MAX_WORD - 7]}…{word[-6:]}"
