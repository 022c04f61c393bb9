"""The picture of the network, in the colours of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from covey.app.answers.asked import Asked
from covey.report.page.themed import STAND_IN, plain_picture
from covey.report.topology import draw_network


def network(asked: Asked) -> Iterator[tuple[str, Any]]:
    """An SVG whose words are shapes, and whose colours are the page's variables."""
    scenario = asked.scenario()
    drawn, resources = scenario.network, tuple(scenario.team.resources)
    says = f"{len(drawn.species)} species and {len(drawn.reactions)} reactions"
    figure = draw_network(drawn, resources=resources, theme=STAND_IN)
    yield "network", {"svg": str(plain_picture(figure, "network", says))}
