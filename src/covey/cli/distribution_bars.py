"""The bars that `covey leakage` draws in a terminal: what is seen of the team and of a neighbour.

A pair of bars for each observation, the team's above the neighbour's, so that they are told apart
also without colours. They fill the window; where it is narrow, names stand above their bars. A
terminal that knows ASCII only gets whole characters instead of eighths of blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from covey.escaping import escape
from covey.words import counts as in_words

if TYPE_CHECKING:
    from rich.console import Console

    from covey.report.distribution_pair import DistributionPair

MOST = 12

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_COLOURS = ("#56b4e9", "#e69f00")  # of Okabe and Ito's, those seen on black and on white
_NUMBER = 10  # cells for a probability
_LEAST = 16  # cells that bars need beside their names


def print_distribution_bars(out: Console, both: DistributionPair) -> None:
    """The chart, below what was printed before."""
    chart = _Chart(both, out.width, out.options.ascii_only)
    out.print(chart.key())
    for line in chart.rows():
        out.print(line)
    if note := both.note(len(chart.chosen)):
        out.print(note)


class _Chart:
    """The lines of the chart, for one width."""

    def __init__(self, both: DistributionPair, width: int, ascii_only: bool) -> None:
        self.both, self.width, self.ascii_only = both, width, ascii_only
        self.chosen = both.shown(MOST)
        self.names = [_name(both.counts(i)) for i in self.chosen]
        longest = 2 + max(map(cell_len, self.names))  # with the mark
        self.beside = longest + 1 + _LEAST + _NUMBER <= width
        self.indent = longest + 1 if self.beside else 2
        self.room = max(width - self.indent - _NUMBER, 1)
        self.top = float(both.probabilities[:, self.chosen].max())

    def key(self) -> Text:
        """Which bar is whose."""
        block = "##" if self.ascii_only else "██"
        names = "above: this team", escape(f"below: with {self.both.neighbour}")
        space = "   " if sum(map(cell_len, names)) + 9 <= self.width else "\n"
        (upper, lower), (one, other) = _COLOURS, names
        return Text.assemble("\n", (block, upper), f" {one}{space}", (block, lower), f" {other}")

    def rows(self) -> Iterator[Text]:
        """For each observation its name and its two bars; of the marked one, what it gives away."""
        for observation, name in zip(self.chosen, self.names, strict=True):
            marked = observation == self.both.marked
            mark = (">" if self.ascii_only else "▶") if marked else " "
            line = Text().append(f"{mark} {name}", "bold" if marked else "")
            if not self.beside:
                yield line
                line = Text()
            for team, probability in enumerate(self.both.probabilities[:, observation].tolist()):
                line.append(" " * (self.indent - line.cell_len))
                line.append(self._bar(probability), _COLOURS[team])
                yield line.append(f" {probability:.3g}")
                line = Text()
            if marked:
                for said in wrap(escape(self.both.verdict), max(self.width - self.indent, 20)):
                    yield Text(" " * self.indent + said, "italic")

    def _bar(self, probability: float) -> str:
        """As long as it is probable; of what is possible at all, a trace at least."""
        length = self.room * probability / self.top
        if self.ascii_only:
            return "#" * max(round(length), int(probability > 0))
        eighths = max(round(8 * length), int(probability > 0))
        return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _name(counts: dict[str, int]) -> str:
    """`free 2, busy 1`."""
    return escape(in_words(counts))
