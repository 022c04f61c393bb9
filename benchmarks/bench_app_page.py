"""How long a slider's answer takes in the browser: from the move to the answer on the screen.

The real page in Chromium, on the real server, its workers warm. A slider goes to and fro; the page
notes by the browser's own clock when the text changed and when the whole answer was drawn.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from benchmarks.timing import markdown
from covey.app.examples import examples
from covey.model.io.value_edit import with_values
from covey.report.page.printing import require_browser

AGAINST = "no other program; how long the app itself takes, in Chromium"
MOVES = 20
WARM = 3
PATIENCE = 120_000  # milliseconds: so many that only a hang takes longer
LARGE = "task-families"
# The slider moves, and the page says how long it took until the answer was drawn.
MOVE = """([place, share]) => new Promise((resolve) => {
    const slider = document.querySelectorAll("#model .knob input[type=range]")[place];
    new PerformanceObserver((list, watching) => {
        watching.disconnect();
        resolve(list.getEntriesByName("answer").at(-1).duration);
    }).observe({ entryTypes: ["measure"] });
    slider.value = Number(slider.min) + share * (slider.max - slider.min);
    slider.dispatchEvent(new Event("input"));
})"""


def run() -> str:
    with opened() as page:
        rows = [[name, *measured(page, text)] for name, text in cases()]
    head = ["scenario", "slider", "median", "9 of 10 within", "slowest"]
    return (
        f"### From a slider's move to the answer on the screen: {MOVES} moves, in milliseconds\n\n"
        f"{markdown(head, rows)}"
    )


def cases() -> Iterator[tuple[str, str]]:
    for one in examples():
        yield one["name"], one["text"]
    (text,) = (one["text"] for one in examples() if one["name"] == LARGE)
    yield f"{LARGE}, 7 of each", with_values(text, {f"types.{i}": 7 for i in "123"})


def measured(page: Page, text: str) -> list[str]:
    """The slider, and the times of its moves."""
    page.get_by_label("The scenario file").fill(text)
    page.wait_for_selector("#answer:not([aria-busy]) .distributions tr", timeout=PATIENCE)
    names = page.eval_on_selector_all("#model .knob", "all => all.map((one) => one.dataset.knob)")
    place = next((i for i, name in enumerate(names) if name.startswith("rates.")), 0)
    shares = [0.4 + 0.01 * (i % 20) if names[place][0] == "r" else 0.2 + 0.1 * (i % 2)
              for i in range(WARM + MOVES)]  # fmt: skip
    times = [page.evaluate(MOVE, [place, share]) for share in shares][WARM:]
    nine = statistics.quantiles(times, n=10)[-1]
    return [names[place], f"**{statistics.median(times):.0f}**", f"{nine:.0f}", f"{max(times):.0f}"]


@contextmanager
def opened() -> Iterator[Page]:
    """The page of an app that was just started."""
    command = [sys.executable, "-m", "covey", "app", "--no-open", "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app,
        sync_playwright() as play,
    ):
        try:
            assert app.stdout is not None
            (address,) = re.findall(r"http://\S+", app.stdout.readline())
            browser = play.chromium.launch(executable_path=require_browser(), args=["--no-sandbox"])
            # So low that nothing but the answer is in view: what is not looked at is not asked.
            page = browser.new_page(viewport={"width": 1280, "height": 500})
            page.goto(address)
            page.wait_for_selector("body.is-ready", timeout=PATIENCE)
            yield page
            browser.close()
        finally:
            app.terminate()
