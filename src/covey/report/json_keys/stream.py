"""What many snapshots give away, as JSON and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.report.json_keys.leakage import neighbour_keys, relation_keys, team_keys

if TYPE_CHECKING:
    from covey.privacy.stream.stream import Stream
    from covey.privacy.stream.stream_row import StreamRow


def stream_keys(found: Stream) -> dict[str, Any]:
    """After each number of snapshots: what is known of the worst neighbour, and of each."""
    return {
        "at": found.at,
        "taken_for_steady": found.taken_for_steady,
        "every": found.every,
        **_columns(found, found.rows),
        "neighbour": neighbour_keys(found.neighbour),
        **relation_keys(found.relation, found.worst.team),
        "pairs": [
            {
                **team_keys(found.relation, pair.team),
                "neighbour": neighbour_keys(pair.neighbour),
                **_columns(found, pair.rows),
                "paths": pair.paths,
            }
            for pair in found.pairs
        ],
        "method": found.method,
        "exact": found.exact,
        "confidence": None if found.method == "exact" else found.confidence,
        "seed": found.seed,
        "states": found.states,
    }


def stream_table(found: Stream) -> tuple[list[str], list[list[float | str]]]:
    """The same as a table: its header, and a row for each number of snapshots."""
    return _header(found), [_row(found, row) for row in found.rows]


def _columns(found: Stream, rows: tuple[StreamRow, ...]) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "snapshots": [row.snapshots for row in rows],
        "total_variation": [row.total_variation.value for row in rows],
        "lower": [row.total_variation.lower for row in rows],
        "upper": [row.total_variation.upper for row in rows],
        "guess": [row.bayes_success.value for row in rows],
        "settled": [row.distinguishing_mass.value for row in rows],
        "learning": [row.learning for row in rows],
        "leakage": [None if row.leakage is None else row.leakage.value for row in rows],
    }
    for epsilon in found.epsilons:
        columns["epsilon"] = epsilon
        for name in ("value", "lower", "upper"):
            key = "delta" if name == "value" else f"delta_{name}"
            columns[key] = [getattr(row.delta[0], name) for row in rows]
    return columns


def _header(found: Stream) -> list[str]:
    figures = ["total_variation", *(f"delta({e:g})" for e in found.epsilons), "settled"]
    bounds = [name + more for name in figures for more in ("", ".lower", ".upper")]
    return ["snapshots", "time", "guess", *bounds, "learning", "leakage"]


def _row(found: Stream, row: StreamRow) -> list[float | str]:
    time = (row.snapshots - 1) * found.every
    figures = [
        bound for f in (row.total_variation, *row.delta, row.distinguishing_mass) for bound in f
    ]
    leakage = "" if row.leakage is None else row.leakage.value
    return [row.snapshots, time, row.bayes_success.value, *figures, row.learning, leakage]
