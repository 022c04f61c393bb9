"""Pictures of audits from logs.

Two logs: how much each run that was tried looks like the first, as a histogram for each log; what
lies on the wrong side of the line was guessed wrong. A feed: how far every feature is off, in
spreads, and beyond which it shows that the feed is not its reference's. Residuals: the share of
times between events that are longer than t, in expected events, on a logarithmic scale: of a model
that fits they fall along the straight line e^−t.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from covey.report.figures.frame import finish, framed, key
from covey.report.style import HAIR_WIDTH, LIGHT, LINE_WIDTH, SMALL_SIZE, Theme, drawable, fonts_for
from covey.study.audit.feed_audit import FeedAudit
from covey.study.audit.log_audit import LogAudit
from covey.study.fit.residuals import Residual, Residuals

_BINS = 24
_FEATURES = 12  # of a feed that are drawn, the oddest
_NAMED = 6  # reactions that have a line of their own
_LONGEST = 40  # characters of a name


def draw_log_audit(found: LogAudit, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """How much each run that was tried looks like the first log."""
    figure, axes = framed(title, theme)
    sides = [np.array([one.score for one in found.tried if one.log == log]) for log in (0, 1)]
    most = max(float(np.abs(np.concatenate(sides)).max()), 1e-9)
    most = min(most, 3 * float(np.quantile(np.abs(np.concatenate(sides)), 0.9)) or most)
    edges = np.linspace(-most, most, _BINS + 1).tolist()
    for log, (scores, hatch) in enumerate(zip(sides, ("", "////"), strict=True)):
        color = theme.series[log]
        right = sum(one.right for one in found.tried if one.log == log)
        label = f"{_short(found.logs[log])}: {right:,} of {len(scores):,} right"
        axes.hist(np.clip(scores, -most, most), edges, color=color, alpha=0.45, edgecolor=color,
                  hatch=hatch, linewidth=HAIR_WIDTH, label=label)  # fmt: skip
    axes.axvline(0.0, color=theme.ink, linewidth=LINE_WIDTH)
    first, second = map(_short, found.logs)
    finish(axes, theme, f"looks like {second}  ←  score  →  looks like {first}", "runs")
    axes.xaxis.label.set(parse_math=False, fontfamily=fonts_for(first + second))
    key(axes, theme)
    return figure


def draw_feed_audit(found: FeedAudit, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """How far the oddest features are off, in spreads of the reference's feeds."""
    figure, axes = framed(title, theme)
    listed = [one for one in found.features if one.spread > 0][:_FEATURES][::-1]
    off = [(one.found - one.expected) / one.spread for one in listed]
    odd = [one.p_value <= found.level for one in listed]
    colors = [theme.alert if is_odd else theme.accent for is_odd in odd]
    axes.barh(range(len(listed)), off, color=colors, height=0.6,
              hatch=["////" if is_odd else "" for is_odd in odd])  # fmt: skip
    axes.axvline(0.0, color=theme.ink, linewidth=LINE_WIDTH)
    names = [_short(one.what) for one in listed]
    axes.set_yticks(range(len(listed)), names, fontfamily=fonts_for("".join(names)))
    for label in axes.get_yticklabels():
        label.set(parse_math=False)
    finish(axes, theme, "how far off, in spreads of the reference's feeds", "")
    return figure


def draw_residuals(found: Residuals, *, title: str = "", theme: Theme = LIGHT) -> Figure:
    """The share of times between events that are longer, against the exponential line."""
    figure, axes = framed(title, theme)
    tested = sorted((one for one in found.of if len(one.gaps) > 1), key=_oddity)
    named = {id(one) for one in tested[:_NAMED]}
    furthest = 1.0
    for number, one in enumerate(tested):
        gaps = np.sort(one.gaps) / one.gaps.mean()
        shares = 1 - np.arange(len(gaps)) / len(gaps)
        furthest = max(furthest, float(gaps[-1]))
        style: dict[str, Any] = {"color": theme.muted, "linewidth": HAIR_WIDTH, "zorder": 1.0}
        if id(one) in named:
            wrong = " (does not fit)" if one.says else ""
            style = {
                "color": theme.series[number % len(theme.series)],
                "linewidth": (2 if one.says else 1) * LINE_WIDTH,
                "label": _short(one.reaction) + wrong,
                "zorder": 2.0,
            }
        axes.step(gaps, shares, where="post", **style)
    line = np.array([0.0, furthest])
    axes.plot(line, np.exp(-line), color=theme.ink, linewidth=LINE_WIDTH, linestyle=(0, (4, 2)),
              label="exponential: the model")  # fmt: skip
    axes.set_yscale("log")
    axes.set_ylim(min(0.5 / max((len(one.gaps) for one in tested), default=1), 0.1), 1.5)
    finish(axes, theme, "time between two events, over its mean, in expected events",
           "share of times that are longer")  # fmt: skip
    key(axes, theme)
    axes.tick_params(which="minor", labelsize=SMALL_SIZE, colors=theme.ink)
    return figure


def _oddity(one: Residual) -> float:
    return 1.0 if np.isnan(one.shape) else one.shape


def _short(name: str) -> str:
    name = drawable(name)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
