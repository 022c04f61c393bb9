"""Ways to publish a stream: how often an observer is right in the end, against the loss.

A line for every period and memory, along the tables from strict to lax; the target as an upright
line, and what was found with a ring around it.
"""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from covey.remedy.mechanism.protect_stream import StreamMechanism
from covey.remedy.mechanism.stream_search import Tried
from covey.report.figures.frame import finish, framed, key
from covey.report.style import LIGHT, LINE_WIDTH, SMALL_SIZE, Theme
from covey.words import each

_SIGNS = ("o", "s", "^")  # by the memory: none, a step, two
_DASHES = ("-", "--", ":")


def draw_stream_front(found: StreamMechanism, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """What was tried, by how much all of its stream tells and what its reader loses."""
    figure, axes = framed(title, theme)
    periods = sorted({tried.every for tried in found.tried})
    memories = sorted({tried.hold for tried in found.tried})
    for every in periods:
        for hold in memories:
            ways = sorted(_of(found, every, hold), key=lambda tried: tried.epsilon)
            if not ways:
                continue
            held = f", held below {hold}" if hold else ""
            kind = memories.index(hold) % len(_SIGNS)
            axes.plot(
                [way.guess for way in ways],
                [way.loss for way in ways],
                marker=_SIGNS[kind],
                linestyle=_DASHES[kind],
                markersize=3.5,
                linewidth=LINE_WIDTH,
                color=theme.series[periods.index(every) % len(theme.series)],
                label=f"{each(every, found.stream.unit)}{held}",
                clip_on=False,
            )
    right = found.stream.bayes_success[-1].upper
    axes.plot(right, found.loss, "o", markersize=9, markerfacecolor="none", clip_on=False,
              markeredgecolor=theme.ink, markeredgewidth=LINE_WIDTH)  # fmt: skip
    axes.axvline(found.target, color=theme.alert, linewidth=LINE_WIDTH, linestyle=(0, (4, 2)))
    axes.annotate(f"at most {found.target:.0%}", (found.target, 1.0), (3, -2), va="top",
                  xycoords=("data", "axes fraction"), textcoords="offset points",
                  fontsize=SMALL_SIZE, color=theme.ink)  # fmt: skip
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
    axes.set_xlim(0.5, None)
    finish(axes, theme, "an observer is right in the end, at most", "loss, ageing included")
    key(axes, theme)
    return figure


def _of(found: StreamMechanism, every: float, hold: int) -> list[Tried]:
    return [tried for tried in found.tried if (tried.every, tried.hold) == (every, hold)]
