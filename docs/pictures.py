"""The pictures of the README and the documentation: `make pictures`."""

import contextlib
import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from playwright.sync_api import sync_playwright

import covey
from covey.paper.authors import PROJECTED, UNPROJECTED
from covey.paper.figures.parts import FIGURES
from covey.paper.workspace import read_table
from covey.report.figure_file import save_figure
from covey.report.figures.design_plot import draw_design
from covey.report.figures.over_time import draw_trace
from covey.report.page.printing import require_browser
from covey.report.style import (
    HAIR_WIDTH,
    LABEL_SIZE,
    LIGHT,
    PAGE_WIDTH,
    SMALL_SIZE,
)
from covey.report.topology import draw_network

HERE = Path(__file__).parent
WAREHOUSE = covey.load(HERE.parent / "examples" / "warehouse.toml")
FULL_RUN = HERE.parent / "tests" / "paper" / "full_run"
SHARED = covey.load(HERE.parent / "examples" / "shared-resource.toml")
EXACT: dict[str, Any] = {
    "color": LIGHT.ink,
    "linewidth": HAIR_WIDTH,
    "linestyle": ":",
    "label": "exact",
}
TASKS = covey.load(HERE.parent / "examples" / "task-families.toml")


def draw_warehouse() -> None:
    """The network of the warehouse example."""
    figure = draw_network(
        WAREHOUSE.network, resources=WAREHOUSE.team.resources, title=WAREHOUSE.title
    )
    save_figure(figure, HERE / "warehouse.png")


def draw_gallery() -> None:
    """The network of every example."""
    for path in sorted((HERE.parent / "examples").glob("*.toml")):
        one = covey.load(path)
        figure = draw_network(one.network, resources=one.team.resources, title=one.title)
        save_figure(figure, HERE / "pictures" / "gallery" / f"{path.stem}.svg")


def photograph_report() -> None:
    """The top of the report of the shared-resource example, as a browser shows it."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        page = Path(folder) / "report.html"
        covey.write_report(SHARED, page)
        browser = play.chromium.launch(executable_path=require_browser(), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 860, "height": 900}, device_scale_factor=1.5)
        tab.goto(page.as_uri())
        tab.screenshot(path=HERE / "report.png")
        browser.close()


def photograph_app() -> None:
    """The app on the warehouse example, as a browser shows it."""
    command = [sys.executable, "-m", "covey", "app", "--no-open", "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app,
        sync_playwright() as play,
    ):
        assert app.stdout is not None
        (address,) = re.findall(r"http://\S+", app.stdout.readline())
        browser = play.chromium.launch(executable_path=require_browser(), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 860}, device_scale_factor=1.5)
        tab.set_default_timeout(300_000)
        tab.goto(address)
        tab.wait_for_selector("#answer:not([aria-busy]) .distributions tr")
        tab.locator("#snapshots").scroll_into_view_if_needed()
        tab.wait_for_selector("#verdict small:has-text('one every')")
        tab.evaluate("document.querySelector('#answer').scrollTo({top: 0, behavior: 'instant'})")
        tab.screenshot(path=HERE / "app.png")
        browser.close()
        app.terminate()


def draw_museum() -> None:
    """The network of the first tutorial and its leakage over time, from the file on the page."""
    page = (HERE / "tutorials" / "first-team.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    museum = covey.loads(text)
    figure = draw_network(museum.network, resources=museum.team.resources, title=museum.title)
    save_figure(figure, HERE / "pictures" / "museum.svg")
    trace = covey.trace(museum, np.linspace(0, 60, 61))
    save_figure(draw_trace(trace, title=museum.title), HERE / "pictures" / "museum-trace.svg")


def draw_front() -> None:
    """Privacy against accuracy of the warehouse, as `covey protect --front` draws it."""
    save_figure(covey.front(WAREHOUSE).plot(title=WAREHOUSE.title), HERE / "pictures" / "front.svg")


def draw_design_front() -> None:
    """Privacy against performance of the paper's task network: `covey design --front 8 --plot`."""
    found = covey.design(
        TASKS, ["rates.*=0.1:1"], keep={"throughput": 1}, minimise="leakage", front=8, starts=2
    )
    save_figure(draw_design(found, title=TASKS.title), HERE / "pictures" / "design-front.svg")


def photograph_changes() -> None:
    """What the report says is to change so that a target is met, as a browser shows it."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        page = Path(folder) / "report.html"
        covey.write_report(covey.assess(TASKS, target={"guess": 0.52}), page)
        browser = play.chromium.launch(executable_path=require_browser(), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 860, "height": 800}, device_scale_factor=1.5)
        tab.goto(page.as_uri())
        tab.locator("#do").screenshot(path=HERE / "pictures" / "design-report.png")
        browser.close()


def draw_beliefs() -> None:
    """What is believed of a followed robot: `covey certainty --follow --plot`."""
    followed = WAREHOUSE.with_({"adversary.follow": True})
    found = covey.certainty(followed, 1, 480, paths=100)
    save_figure(found.plot(title=WAREHOUSE.title), HERE / "pictures" / "beliefs.svg")


def draw_truncation() -> None:
    """Smoothed leakage over ν, whole and with 1% left out: by the page's code, and published."""
    page = (HERE / "trust.md").read_text(encoding="utf-8")
    section = page.split("## Where truncation invents leakage\n")[1]
    (code,) = re.findall(r"^```python\n(.*?)^```", section.split("\n## ")[0], re.M | re.S)
    names: dict[str, Any] = {"covey": covey, "np": np}
    exec(code, names)
    smoothings = np.geomspace(1e-2, 1e-10, 33)
    cut, whole = ([names["smoothed"](nu, out) for nu in smoothings] for out in (0.01, 0.0))
    figure = Figure((PAGE_WIDTH, 2.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    left.plot(smoothings, cut, color=LIGHT.series[1], label="1% of each distribution left out")
    left.plot(smoothings, whole, color=LIGHT.series[0], label="every outcome")
    left.axhline(covey.leakage_of(names["distributions"]).value, **EXACT)
    theirs, ours = zip(*PROJECTED.values(), strict=True)
    right.plot(list(PROJECTED), theirs, "s--", color=LIGHT.series[1], label="the authors' data")
    right.plot(list(PROJECTED), ours, "o--", color=LIGHT.series[0], label="covey, every state")
    right.axhline(UNPROJECTED, **EXACT)
    for axes, title in ((left, "(6,6,6), as in the code"), (right, "(10,10,10), as published")):
        axes.set_title(title, fontsize=LABEL_SIZE)
        axes.set_xlabel("smoothing ν")
        axes.legend(fontsize=SMALL_SIZE, frameon=False, loc="upper left")
    left.set(xscale="log", yscale="log", ylabel="leakage")
    left.invert_xaxis()
    save_figure(figure, HERE / "pictures" / "truncation.svg")


def draw_residuals() -> None:
    """Charging in four stages against a model that knows of one, by the code of the page."""
    page = (
        (HERE / "how-to" / "logs.md").read_text(encoding="utf-8").split("## Does the model fit")[1]
    )
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(code, {"covey": covey, "csv": csv})
        found = covey.residuals(covey.loads(text), "charging.csv", until=500)
    save_figure(found.plot(), HERE / "pictures" / "residuals.svg")


def draw_search() -> None:
    """The settings that the paper leaves open for groups, from the values of a full run."""
    tables = {"settings": read_table(FULL_RUN / "group-settings.csv")}
    figure = FIGURES["groups"]["group-settings"].draw(tables)
    save_figure(figure, HERE / "pictures" / "group-settings.svg")


if __name__ == "__main__":
    draw_search()
    draw_truncation()
    draw_warehouse()
    draw_gallery()
    draw_front()
    draw_museum()
    draw_design_front()
    draw_residuals()
    draw_beliefs()
    photograph_report()
    photograph_app()
    photograph_changes()
