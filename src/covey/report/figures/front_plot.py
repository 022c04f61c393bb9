"""Privacy against accuracy: the mechanism as the lower line, and the usual ways to say less above.

What is given away is on a logarithmic axis, with a place of its own for ∞ at its end; the loss is
linear near 0, which the truth has, and logarithmic above. Every kind has a sign of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from covey.remedy.mechanism.front import Front
from covey.remedy.mechanism.mechanism import Compared
from covey.report.figures.frame import finish, framed, key
from covey.report.style import HAIR_WIDTH, LIGHT, LINE_WIDTH, Theme

_KINDS = {
    "truth": ("the truth", "*", 1),
    "coarser": ("coarser counts", "s", 2),
    "rounding": ("rounding", "^", 3),
    "coding": ("top- and bottom-coding", "D", 4),
    "noise": ("geometric noise", "x", 6),
    "thinning": ("thinning", "+", 5),
}
_LEAST = 1e-9  # what is less is drawn here: it is nothing
_NEAR = 1e-3  # up to this loss, or the least of the mechanism, the axis is linear


def draw_front(front: Front, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """What a snapshot gives away against what its reader loses."""
    figure, axes = framed(title, theme)
    tables = front.program + front.others
    drawn = [p for p in tables if math.isfinite(p.loss) and p.loss <= _highest(front)]
    spent = [max(front.spent(p), _LEAST) for p in drawn if math.isfinite(front.spent(p))]
    low, high = min(spent, default=0.1), max(spent, default=1.0)
    unbounded = any(math.isinf(front.spent(p)) for p in drawn)
    endless = high * (high / low) ** 0.12 * 1.6 if unbounded else high  # where ∞ is drawn

    def place(points: Sequence[Compared]) -> tuple[list[float], list[float]]:
        x = [min(max(front.spent(p), _LEAST), endless) for p in points]
        return x, [p.loss for p in points]

    for kind, (name, sign, colour) in _KINDS.items():
        if points := [p for p in drawn if p.kind == kind]:
            above = 5 if kind == "truth" else 3
            axes.scatter(*place(points), marker=sign, s=16, linewidth=LINE_WIDTH, label=name,
                         color=theme.series[colour], clip_on=False, zorder=above)  # fmt: skip
    ordered = sorted(front.program, key=front.spent)
    axes.plot(*place(ordered), marker="o", markersize=3.5, color=theme.accent, clip_on=False,
              linewidth=1.6 * LINE_WIDTH, label="the mechanism", zorder=4)  # fmt: skip
    if front.stand_in is not None:  # it gives away nothing: that is where the axis begins
        axes.scatter([low / 1.15], [front.stand_in.loss], marker="P", s=30, clip_on=False, zorder=6,
                     color=theme.accent, linewidth=0,
                     label="a stand-in, one robot off (at 0)")  # fmt: skip
    _scales(axes, low, high, endless, _near(front.program))
    if unbounded:
        axes.axvline(math.sqrt(high * endless), color=theme.grid, linewidth=HAIR_WIDTH, zorder=0)
    of = f"ε at δ = {front.delta:g}" if front.delta else "leakage"
    finish(axes, theme, f"{of}: what a snapshot gives away", "loss: what its reader loses")
    key(axes, theme)
    return figure


def _highest(front: Front) -> float:
    """Losses far above all that anybody would pay are left out: noise that is not truncated."""
    bounded = [p.loss for p in front.points if not math.isnan(p.loss) and p.kind != "noise"]
    return 8 * max([*bounded, 1e-9])


def _near(program: Sequence[Compared]) -> float:
    """Up to which loss the axis is linear."""
    return max(min((p.loss for p in program if p.loss > 0), default=1.0), _NEAR)


def _scales(axes: Axes, low: float, high: float, endless: float, near: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(low / 1.15, endless * 1.1)
    inside = [t for t in LogLocator(subs=(1, 2, 5)).tick_values(low, high) if low <= t <= high]
    every = inside if len(inside) <= 7 else inside[:: math.ceil(len(inside) / 7)]
    axes.xaxis.set_major_locator(FixedLocator([*every, *([endless] if endless > high else [])]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: "∞" if x == endless else f"{x:.3g}"))
    axes.set_yscale("symlog", linthresh=near, linscale=0.4)
    axes.set_ylim(0.0, None)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axes.yaxis.set_minor_locator(NullLocator())
