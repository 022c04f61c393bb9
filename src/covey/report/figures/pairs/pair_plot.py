"""What is seen of the team and of one neighbour: a pair of bars for each observation.

The observation that gives most away is marked, and what it gives away is said below its bars, which
may be too short to be seen. Where there are many observations and one number tells which it is, as
`free` does where `busy` is the rest, that number is an axis (`pair_axis`); otherwise the most
probable ones are shown. Text is measured before it is placed, so that nothing overlaps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from covey.model.hypothesis import Hypothesis
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.report.distribution_pair import DistributionPair, distribution_pair
from covey.report.figures.pairs.pair_axis import draw_along, free_column
from covey.report.figures.pairs.pair_look import INSIDE, blank, finish, inches, pair_style
from covey.report.style import LABEL_SIZE, LIGHT, SMALL_SIZE, Theme, drawable, fonts_for
from covey.report.topology.labels import text_width, wrap

MAX_ROWS = 16

_LABEL = 7.0  # points
_LABEL_WIDTH = 1.9  # inches, at most
_LABEL_LINES = 4
_BAR = 0.11  # inches, like everything along the rows
_GAP = 0.09
_PAD = 0.03  # between bars and what is said of them
_AXIS = 0.45  # for the ticks and the name of the axis


def draw_pair(
    distributions: TeamDistributions,
    neighbour: Hypothesis | None = None,
    *,
    title: str = "",
    theme: Theme = LIGHT,
) -> Figure:
    """The picture; the neighbour is by default the one of the largest leakage."""
    both = distribution_pair(distributions, neighbour)
    column = free_column(both) if len(both) > MAX_ROWS else None
    if column is not None:
        return draw_along(both, column, title=title, theme=theme)
    rows = _rows(both, zeros=True)
    zeros = max(len(row.label) for row in rows) <= 2
    if not zeros:
        rows = _rows(both, zeros=False)
    height = sum(row.height + _GAP for row in rows)
    note = both.note(len(rows)) + ("" if zeros else " Counts of 0 are not written.")
    figure, axes = blank(both, 1.05 * height + _AXIS, title, note, theme)
    _draw_rows(axes, both, rows, theme)
    axes.set_ylim(height, 0.0)
    axes.set_xlim(left=0.0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.set_xlabel("probability", fontsize=LABEL_SIZE, color=theme.ink)
    finish(axes, theme)
    axes.tick_params(axis="y", labelsize=_LABEL, length=0)
    return figure


@dataclass(frozen=True)
class _Row:
    """One observation: its label in lines, and what is said below its bars."""

    observation: int
    label: list[str]
    said: list[str]

    @property
    def height(self) -> float:
        """Without the gap to the next row."""
        bars = 2 * _BAR + (inches(len(self.said), SMALL_SIZE) + _PAD if self.said else 0.0)
        return max(bars, inches(len(self.label), _LABEL))


def _rows(both: DistributionPair, zeros: bool) -> list[_Row]:
    chosen = both.shown(MAX_ROWS)
    labels = [_label(both.counts(i), zeros) for i in chosen]
    widest = max(text_width(line, _LABEL) for label in labels for line in label)
    said = wrap(both.verdict, SMALL_SIZE, INSIDE - widest - 0.3)
    return [
        _Row(i, label, said if i == both.marked else [])
        for i, label in zip(chosen, labels, strict=True)
    ]


def _draw_rows(axes: Axes, both: DistributionPair, rows: list[_Row], theme: Theme) -> None:
    top, centres = 0.0, []
    for row in rows:
        start = top + _GAP / 2
        for team in (0, 1):
            axes.barh(start + (team + 0.5) * _BAR, both.probabilities[team, row.observation],
                      height=0.92 * _BAR, **pair_style(team, theme))  # fmt: skip
        if row.said:
            axes.axhspan(top, top + row.height + _GAP, color=theme.neutral_fill, linewidth=0,
                         zorder=0)  # fmt: skip
            axes.text(0.015, start + 2 * _BAR + _PAD, "\n".join(map(drawable, row.said)),
                      transform=axes.get_yaxis_transform(), va="top", fontsize=SMALL_SIZE,
                      color=theme.ink, fontfamily=fonts_for(both.verdict), parse_math=False,
                      linespacing=1.1)  # fmt: skip
        centres.append(start + max(_BAR, inches(len(row.label), _LABEL) / 2))
        top += row.height + _GAP
    texts = ["\n".join(map(drawable, row.label)) for row in rows]
    axes.set_yticks(centres, texts, parse_math=False)
    for tick, row in zip(axes.get_yticklabels(), rows, strict=True):
        tick.set(fontfamily=fonts_for(tick.get_text()), linespacing=1.1)
        if row.said:
            tick.set_fontweight("bold")


def _label(counts: Mapping[str, int], zeros: bool) -> list[str]:
    """`free 2, busy 1`, in lines that fit."""
    lines = _packed(counts if zeros else {name: n for name, n in counts.items() if n})
    if len(lines) > _LABEL_LINES:
        lines = [*lines[: _LABEL_LINES - 1], "…"]
    return lines or ["nothing"]


def _packed(counts: Mapping[str, int]) -> list[str]:
    lines: list[str] = []
    last = len(counts) - 1
    for i, (name, count) in enumerate(counts.items()):
        word = _shortened(name, f" {count}{',' if i < last else ''}")
        if lines and text_width(f"{lines[-1]} {word}", _LABEL) <= _LABEL_WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _shortened(name: str, count: str) -> str:
    """A name with its count, its middle left out where it is too long for a line."""
    shown, kept = name, len(name)
    while kept > 1 and text_width(shown + count, _LABEL) > _LABEL_WIDTH:
        kept -= 1
        shown = f"{name[: (kept + 1) // 2]}…{name[len(name) - kept // 2 :]}"
    return shown + count
