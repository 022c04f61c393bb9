"""What snapshots give away, one after another: how often an observer is right, by their number.

A line for every neighbour, and in the accent the most that is told of any of them, each with the
band that its bounds leave. The number of snapshots is on a logarithmic axis: most is learnt of the
first few, and all of the many.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from covey.privacy.stream.stream import Stream
from covey.privacy.stream.stream_row import StreamRow
from covey.report.figures.frame import finish, framed, key
from covey.report.style import LIGHT, LINE_WIDTH, SMALL_SIZE, Theme, drawable
from covey.words import lasting


def draw_stream(stream: Stream, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """How often an observer is right after 1, 2, … snapshots."""
    figure, axes = framed(title, theme)
    one = len(set(stream.worst_neighbours)) == 1  # neighbour is told best throughout
    others = [pair for pair in stream.pairs if not one or pair is not stream.worst]
    typed = stream.relation.is_type
    best = str(stream.neighbour) if one else f"whichever {'robot ' * typed}is told best"
    _line(axes, stream, stream.rows, theme.accent, best, marker="o")
    for pair in others:
        name = (
            str(pair.neighbour)
            if len(others) == 1
            else "another robot turned"
            if typed
            else "others"
        )
        _line(axes, stream, pair.rows, theme.muted, name if pair is others[0] else "")
    last = stream.rows[-1].bayes_success.value
    axes.annotate(f"{last:.1%}", (stream.snapshots[-1], last), (-4, 6), ha="right",
                  textcoords="offset points", fontsize=SMALL_SIZE, color=theme.ink)  # fmt: skip
    axes.set_xscale("log")
    axes.set_xticks(stream.snapshots, [f"{n:,}" for n in stream.snapshots])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0.5, 1.03)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
    finish(
        axes,
        theme,
        f"snapshots, {lasting(stream.every, stream.unit)} apart",
        "an observer is right",
    )
    key(axes, theme, at="upper left")
    return figure


def _line(
    axes: Axes, stream: Stream, rows: tuple[StreamRow, ...], color: str, name: str, marker: str = ""
) -> None:
    """What is told of a neighbour, with the band that its bounds leave."""
    right = [row.bayes_success for row in rows]
    axes.fill_between(
        stream.snapshots,
        [guess.lower for guess in right],
        [guess.upper for guess in right],
        color=color,
        alpha=0.18,
        linewidth=0,
    )
    axes.plot(
        stream.snapshots,
        [guess.value for guess in right],
        marker=marker,
        markersize=3.5,
        color=color,
        linewidth=(1.6 if marker else 1.0) * LINE_WIDTH,
        clip_on=False,
        label=drawable(name) if name else "_",
    )
