"""The commands and the Python that give the same numbers, for whoever wants to go on by hand."""

from __future__ import annotations

from typing import Any

from covey.model.scenario import Scenario
from covey.privacy.pace import usual_pace

FILE = "fleet.toml"


def commands(scenario: Scenario, delta: float) -> dict[str, Any]:
    """For a file that holds the text of the page."""
    every, until = usual_pace(scenario)
    shell = [
        f"covey leakage {FILE} --delta {delta:g}",
        f"covey stream {FILE} --every {every:g} --for {until:g}",
        f"covey sensitivity {FILE}",
        f"covey protect {FILE} --epsilon 0.5 -o mechanism.json",
        f"covey report {FILE} -o report.html",
    ]
    python = [
        "import covey",
        "",
        f'scenario = covey.load("{FILE}")',
        "leakage = covey.leakage(scenario)",
        f"print(leakage.headline({delta!r}))",
        f"print(covey.stream(scenario, every={every:g}, until={until:g}))",
        "print(covey.protect(scenario, epsilon=0.5))",
    ]
    if scenario.performance:
        shell.insert(1, f"covey performance {FILE}")
        python.append("print(covey.performance(scenario))")
    return {"shell": shell, "python": "\n".join(python) + "\n"}
