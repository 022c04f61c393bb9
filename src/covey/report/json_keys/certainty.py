"""How long until an observer is sure, as JSON and as a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.privacy.inference.certainty.certainty import Certainty
    from covey.privacy.inference.certainty.sure_of import SureOf


def certainty_keys(found: Certainty) -> dict[str, Any]:
    """For every question, after each number of snapshots; and the median time until sure."""
    return {
        "at": found.at,
        "every": found.every,
        "level": found.level,
        "continuous": found.continuous,
        "snapshots": list(found.snapshots),
        "times": list(found.times),
        "of": [_keys(found, one) for one in found.of],
        "paths": found.sampled,
        "confidence": found.confidence,
        "seed": found.seed,
    }


def _keys(found: Certainty, one: SureOf) -> dict[str, Any]:
    columns = {
        f"{name}{end}": [row[place] for row in rows]
        for name, rows in (("guess", one.bayes_success), ("sure", one.sure))
        for place, end in enumerate(("", "_lower", "_upper"))
    }
    return {
        "names": list(one.names),
        "among": one.among or None,
        **columns,
        "median": one.median.value,
        "median_lower": one.median.lower,
        "median_upper": one.median.upper,
        "right": None if math.isnan(one.right) else one.right,
        "guess_reaches_level": one.reaches.value,
        "guess_reaches_level_lower": one.reaches.lower,
        "guess_reaches_level_upper": one.reaches.upper,
    }


def certainty_table(found: Certainty) -> tuple[list[str], list[list[Any]]]:
    """The same as a table: its header, and its rows."""
    columns = found.table_columns
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]
