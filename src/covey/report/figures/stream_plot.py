"""What glances give away, one after another: how often an observer is right, against their number.

A line for every neighbour, the worst of them in the accent, each with the band that its bounds
leave. The number of glances is on a logarithmic axis: most is learnt of the first few, and all of
the many.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from covey.privacy.stream import PairStream, Stream
from covey.report.picture import Picture
from covey.report.style import (
    HAIR_WIDTH,
    LABEL_SIZE,
    LIGHT,
    LINE_WIDTH,
    SMALL_SIZE,
    TITLE_SIZE,
    Theme,
    drawable,
    fonts_for,
)
from covey.report.topology.labels import wrap


def draw_stream(stream: Stream, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """How often an observer is right after 1, 2, … glances."""
    figure = Picture((5.0, 3.1), layout="constrained")
    figure.set_facecolor(theme.background)
    if title.strip():
        text = "\n".join(map(drawable, wrap(title, TITLE_SIZE, 4.7)))
        figure.suptitle(text, fontsize=TITLE_SIZE, color=theme.ink, fontfamily=fonts_for(text),
                        parse_math=False)  # fmt: skip
    axes = figure.add_subplot()
    _line(axes, stream, stream.worst, theme.accent, 1.6 * LINE_WIDTH, dots=True)
    for pair in stream.pairs:
        if pair is not stream.worst:
            _line(axes, stream, pair, theme.muted, LINE_WIDTH)
    lines = axes.get_lines()
    names = [str(stream.neighbour), str(stream.pairs[-1].neighbour)]
    if len(lines) > 2:
        names[1] = "another robot turned"
    elif stream.pairs[-1] is stream.worst:
        names[1] = str(stream.pairs[0].neighbour)
    axes.legend(lines[:2], list(map(drawable, names)), loc="upper left", frameon=False,
                fontsize=SMALL_SIZE, labelcolor=theme.ink)  # fmt: skip
    last = stream.worst.told[-1].guess.value
    axes.annotate(f"{last:.1%}", (stream.glances[-1], last), (-4, 6), ha="right",
                  textcoords="offset points", fontsize=SMALL_SIZE, color=theme.ink)  # fmt: skip
    _finish(axes, stream, theme)
    return figure


def _line(
    axes: Axes, stream: Stream, pair: PairStream, color: str, width: float, dots: bool = False
) -> None:
    right = [row.guess for row in pair.told]
    axes.fill_between(
        stream.glances,
        [guess.lower for guess in right],
        [guess.upper for guess in right],
        color=color,
        alpha=0.18,
        linewidth=0,
    )
    axes.plot(
        stream.glances,
        [guess.value for guess in right],
        marker="o" if dots else "",
        markersize=3.5,
        color=color,
        linewidth=width,
        clip_on=False,
    )


def _finish(axes: Axes, stream: Stream, theme: Theme) -> None:
    axes.set_xscale("log")
    axes.set_xticks(stream.glances, [f"{n:,}" for n in stream.glances])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0.5, 1.03)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
    axes.set_xlabel(f"glances, {stream.every:g} apart", fontsize=LABEL_SIZE, color=theme.ink)
    axes.set_ylabel("an observer is right", fontsize=LABEL_SIZE, color=theme.ink)
    axes.set_facecolor(theme.background)
    axes.tick_params(labelsize=SMALL_SIZE, colors=theme.ink, width=HAIR_WIDTH)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=theme.muted, linewidth=LINE_WIDTH)
