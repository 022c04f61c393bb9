"""What can be taken along: the report as one page, the numbers as tables."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from covey.app.answers.asked import Asked
from covey.dynamics.limits import Limits
from covey.files.csv_cells import write_csv
from covey.report.distribution_pair import of_leakage
from covey.report.json_keys.stream import stream_table
from covey.report.json_keys.trace import trace_table
from covey.report.page.document import html_of
from covey.study.assessment import Assessment, assess


def report(asked: Asked) -> Iterator[tuple[str, Any]]:
    """The page that `covey report` writes."""
    yield "report", {"name": "report.html", "html": html_of(_assessed(asked, changes=True))}


def csv(asked: Asked) -> Iterator[tuple[str, Any]]:
    """The tables that verbs save: both distributions, over time, over snapshots, single changes."""
    found = _assessed(asked, changes=True)
    files = {"distributions.csv": _distributions(found)}
    if found.trace is not None:
        files["time.csv"] = _text(*trace_table(found.trace))
    if found.stream is not None:
        files["snapshots.csv"] = _text(*stream_table(found.stream))
    if found.sensitivity is not None:
        rows = [effect.row() for effect in found.sensitivity.effects]
        if rows:
            files["changes.csv"] = _text(list(rows[0]), [list(row.values()) for row in rows])
    yield "csv", {"files": files, "missing": found.missing}


def _assessed(asked: Asked, *, changes: bool) -> Assessment:
    scenario = asked.scenario()
    limits = Limits(max_states=asked.solver(scenario).max_states)
    return assess(scenario, changes=changes, limits=limits, workers=1, progress=asked.progress)


def _distributions(found: Assessment) -> str:
    both = of_leakage(found.distributions, found.leakage)
    rows = [
        [*outcome, *chances]
        for outcome, chances in zip(
            both.outcomes.tolist(), both.probabilities.T.tolist(), strict=True
        )
    ]
    return _text([*both.names, "team", str(both.neighbour)], rows)


def _text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    stream = io.StringIO()
    write_csv(stream, header, rows, line_end="\r\n")
    return stream.getvalue()
