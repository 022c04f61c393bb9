"""Pictures of how time grows: logarithmic both ways, one line for each way to compute."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from covey.report.figure_file import save_figure
from covey.report.style import FONT, LABEL_SIZE, LIGHT, LINE_WIDTH, SMALL_SIZE, TITLE_SIZE

_MARKS = "osD^v"


@dataclass(frozen=True)
class Line:
    """What was measured: (size, seconds)."""

    name: str
    points: list[tuple[float, float]]


def draw(path: Path, title: str, across: str, lines: list[Line]) -> None:
    """One picture; marks tell the lines apart where colours do not."""
    figure = Figure(figsize=(5.2, 3.2), facecolor=LIGHT.background, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xscale("log")
    axes.set_yscale("log")
    for i, line in enumerate(lines):
        points = sorted(line.points)
        colour = LIGHT.series[i % len(LIGHT.series)]
        axes.plot(
            *zip(*points, strict=True), color=colour, marker=_MARKS[i % len(_MARKS)],
            markersize=3.5, linewidth=2 * LINE_WIDTH if line.name == "covey" else LINE_WIDTH,
            label=line.name,
        )  # fmt: skip
    axes.set_xlabel(across, fontsize=LABEL_SIZE, fontfamily=FONT)
    axes.set_ylabel("seconds", fontsize=LABEL_SIZE, fontfamily=FONT)
    axes.set_title(title, fontsize=TITLE_SIZE, fontfamily=FONT, loc="left")
    axes.tick_params(labelsize=SMALL_SIZE, which="both")
    axes.grid(visible=True, color=LIGHT.grid, linewidth=0.5)
    axes.legend(fontsize=SMALL_SIZE, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    save_figure(figure, path)
