"""What `covey protect` says of the ways to publish, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from covey.cli.printing import table
from covey.words import each, rounded

if TYPE_CHECKING:
    from covey.remedy.mechanism.mechanism import Compared
    from covey.remedy.mechanism.protect_stream import StreamMechanism
    from covey.remedy.stand_in.one_away import OneAway


def points_table(points: Sequence[Compared]) -> Any:
    """Ways to publish a snapshot, one below the other."""
    rows = table("published", "leakage", f"ε at {points[0].delta:g}", "right", "loss", align="lr")
    for point in points:
        leaks, at = (
            "∞" if math.isinf(value) else rounded(value, ".4g", "up")
            for value in (point.leakage, point.epsilon)
        )
        rows.add_row(point.name, leaks, at, rounded(point.guess, ".1%", "up"), f"{point.loss:.3g}")
    return rows


def streams_table(found: StreamMechanism, shown: OneAway) -> Any:
    """The stand-in beside the table that was found."""
    rows = table("published", "right at most", "loss", align="lr")
    rows.add_row("a stand-in, one robot off", "50.0%", rounded(shown.loss, ".3g", "up"))
    right = rounded(found.stream.bayes_success[-1].upper, ".1%", "up")
    rows.add_row("through the table", right, f"{found.loss:.3g}")
    return rows


def tried_table(found: StreamMechanism) -> Any:
    """Ways to publish a stream that were judged."""
    heads = ["one snapshot", "held below", "ε of the table", "right at most", "loss"]
    rows = table(*heads, align="lr")
    for one in sorted(found.tried, key=lambda one: (one.hold, one.every, one.epsilon)):
        rows.add_row(
            each(one.every, found.stream.unit),
            f"{one.hold}" if one.hold else "",
            f"{one.epsilon:.3g}",
            rounded(one.guess, ".1%", "up"),
            f"{one.loss:.4g}",
        )
    return rows
