"""Which feed is read by whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from covey.dynamics.validation import Progress
from covey.errors import InputError, shown
from covey.model.scenario import Scenario
from covey.study.fit.logs.feeds.gbfs import gbfs_table
from covey.study.fit.logs.feeds.mcap_bag import mcap_table
from covey.study.fit.logs.feeds.vda5050 import vda5050_table
from covey.study.fit.logs.table import BadLines, Table, open_table

Source = Literal["log", "gbfs", "vda5050", "mcap"]


def open_source(
    source: Source,
    path: str,
    scenario: Scenario,
    columns: Mapping[str, str],
    progress: Progress | None = None,
    bad: BadLines | None = None,
    sorted_later: bool = False,
) -> Table:
    """The table in a log or a feed.

    Args:
        source: What it is.
        path: Where it is; `-` is standard input.
        scenario: Its [log] says what feeds call robots and states.
        columns: What columns are called.
        progress: Called as progress(done, total, text) while it is read.
        bad: What happens to lines that cannot be read; by default the first is an error.
        sorted_later: Whether whoever takes the rows puts them in the order of time.
    """
    bad = bad or BadLines()
    if source == "log":
        return open_table(path, columns, progress, bad)
    if source == "mcap":
        return mcap_table(path, scenario, columns, bad, progress, sorted_later=sorted_later)
    if source not in ("gbfs", "vda5050"):
        raise InputError(f"the source is {shown(source)}: log, gbfs, vda5050 or mcap is expected")
    if columns:
        raise InputError(f"columns are for logs and bags: {source} has names of its own")
    if source == "gbfs":
        return gbfs_table(path, scenario, bad, progress)
    return vda5050_table(path, scenario, bad, progress, sorted_later=sorted_later)
