"""Audits of logs, feeds and residuals, as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from covey.cli.printing import console, print_table, print_title, table

if TYPE_CHECKING:
    from covey.model.scenario import Scenario
    from covey.study.audit.feed_audit import FeedAudit
    from covey.study.audit.log_audit import LogAudit
    from covey.study.fit.residuals import Residuals

_MOST_ROWS = 10


def print_log_audit(found: LogAudit) -> None:
    """How well two logs can be told apart, and by what."""
    out = console()
    one, other = found.logs
    what = "runs" if found.block is None else f"blocks of {found.block:g}"
    counted = " and ".join(
        f"{n:,} {what} of {log}" for n, log in zip(found.runs, found.logs, strict=True)
    )
    looked = f"looked at for {found.length:g}, every {found.every:g}" if found.every else ""
    out.print(f"{counted}{', ' * bool(looked)}{looked}; classifier: {found.classifier}\n")
    out.print(str(found), style="bold")
    _print_notes(found.notes)
    if found.telling:
        out.print("\nWhat differs most, in the runs that were learnt from:\n")
        rows = table("what", one, other, "spreads apart", align="lr")
        for each in found.telling:
            means = (f"{mean:.4g}" for mean in each.means)
            rows.add_row(each.what, *means, f"{each.apart:.2g}")
        print_table(out, rows)


def print_feed_audit(found: FeedAudit, scenario: Scenario) -> None:
    """Whether a feed is that of its reference, and what was odd about it."""
    out = console()
    print_title(out, scenario)
    out.print(str(found), style="bold")
    _print_notes(found.notes)
    out.print()
    rows = table("the oddest", "feed", "reference", "±", "p", align="lr")
    for one in found.features[:_MOST_ROWS]:
        numbers = (f"{value:.4g}" for value in (one.found, one.expected, one.spread))
        rows.add_row(one.what, *numbers, f"{one.p_value:.2g}")
    print_table(out, rows)


def print_residuals(found: Residuals, scenario: Scenario) -> None:
    """Whether a model fits a log, reaction by reaction."""
    out = console()
    print_title(out, scenario)
    out.print(str(found), style="bold")
    _print_notes(found.notes)
    out.print("\np-values of each reaction, corrected for their number:\n")
    rows = table("reaction", "events", "expected", "spread", "rate", "drift", "shape", align="lr")
    for one in found.of:
        numbers = (one.spread, one.rate, one.drift, one.shape)
        shown = ("" if math.isnan(value) else f"{value:.2g}" for value in numbers)
        rows.add_row(one.reaction, f"{one.events:,}", f"{one.expected:.1f}", *shown)
    print_table(out, rows)


def _print_notes(notes: Iterable[str]) -> None:
    out = console()
    for note in notes:
        out.print(f"\n{note}")
