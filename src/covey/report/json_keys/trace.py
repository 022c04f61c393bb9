"""Leakage over time, as JSON and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.report.json_keys.leakage import relation_keys

if TYPE_CHECKING:
    from covey.study.trace import Trace


def trace_keys(found: Trace) -> dict[str, Any]:
    """At every time what a snapshot gives away, and what the team achieves."""
    return {
        "times": list(found.times),
        "leakage": found.values.tolist(),
        "lower": found.intervals[:, 0].tolist(),
        "upper": found.intervals[:, 1].tolist(),
        "exposed": {name: values.tolist() for name, values in found.exposed.items()},
        "performance": {name: done.tolist() for name, done in found.performance.items()},
        "measures": {
            name: dict(zip(("values", "lower", "upper"), rows.T.tolist(), strict=True))
            for name, rows in found.measures.items()
        },
        "worst_time": found.worst_time,
        **relation_keys(found.worst.relation, found.worst.team),
        "limit": found.limit,
        "why_no_limit": found.why_no_limit or None,
    }


def trace_table(found: Trace) -> tuple[list[str], list[list[float]]]:
    """The same as a table: its header, and a row for each time."""
    columns = found.table_columns
    return list(columns), [list(map(float, row)) for row in zip(*columns.values(), strict=True)]
