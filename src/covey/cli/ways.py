"""What `covey protect` says of the ways to publish: as tables and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from covey.cli.printing import table

if TYPE_CHECKING:
    from covey.remedy.mechanism import Compared, Mechanism
    from covey.remedy.protect_stream import StreamMechanism


def as_json(found: Mechanism, others: list[Compared]) -> dict[str, Any]:
    """The keys that programs rely on."""
    return {
        "epsilon": found.epsilon,
        "delta": found.delta,
        "leakage_before": max(leak.value for leak in found.before),
        "leakage": found.leakage.value,
        "lower": found.leakage.interval[0],
        "upper": found.leakage.interval[1],
        "total_variation": found.profile.total_variation,
        "loss": found.loss,
        "least": found.least,
        "unchanged": found.unchanged,
        "seen": len(found.seen),
        "published": len(found.published),
        "compared": list(map(point_json, others)),
    }


def point_json(point: Compared) -> dict[str, Any]:
    """One way among several."""
    return {
        "kind": point.kind,
        "name": point.name,
        "leakage": point.leakage,
        "epsilon_at": {"delta": point.delta, "epsilon": point.epsilon},
        "total_variation": point.total_variation,
        "guess": point.guess,
        "loss": None if math.isnan(point.loss) else point.loss,
    }


def points_table(points: Sequence[Compared]) -> Any:
    """Ways to publish a glance, one below the other."""
    rows = table("published", "leakage", f"ε at {points[0].delta:g}", "right", "loss", right=True)
    rows.columns[0].justify = "left"
    for point in points:
        leaks, at = (
            "∞" if math.isinf(value) else f"{value:.4g}" for value in (point.leakage, point.epsilon)
        )
        rows.add_row(point.name, leaks, at, f"{point.guess:.1%}", f"{point.loss:.3g}")
    return rows


def tried_table(found: StreamMechanism) -> Any:
    """Ways to publish a stream that were judged."""
    rows = table("every", "held below", "ε of the table", "right at most", "loss", right=True)
    for one in sorted(found.tried, key=lambda one: (one.hold, one.every, one.epsilon)):
        rows.add_row(
            f"{one.every:.6g}",
            f"{one.hold}" if one.hold else "",
            f"{one.epsilon:.3g}",
            f"{one.guess:.1%}",
            f"{one.loss:.4g}",
        )
    return rows
