"""What a watcher comes to know of numbers, as JSON and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.privacy.inference.estimate.estimate import Estimation
    from covey.privacy.inference.estimate.estimated import Estimated


def estimate_keys(found: Estimation) -> dict[str, Any]:
    """Of each number, by its name: before, and after each number of snapshots."""
    return {
        "at": found.at,
        "taken_for_steady": found.taken_for_steady,
        "every": found.every,
        "snapshots": list(found.snapshots),
        "of": {one.name: _number_keys(one) for one in found.of},
        "level": found.level,
        "method": found.method,
        "hypotheses": found.hypotheses,
        "paths": found.paths,
        "confidence": found.confidence,
        "seed": found.seed,
        "states": found.states,
    }


def _number_keys(one: Estimated) -> dict[str, Any]:
    keys: dict[str, Any] = {
        "truth": one.truth,
        "values": list(one.values),
        "prior": list(one.prior),
        "before": one.before,
        "within": [figure.value for figure in one.within],
        "lower": [figure.lower for figure in one.within],
        "upper": [figure.upper for figure in one.within],
        "posterior": [[chance.value for chance in row] for row in one.posterior],
        "posterior_lower": [[chance.lower for chance in row] for row in one.posterior],
        "posterior_upper": [[chance.upper for chance in row] for row in one.posterior],
    }
    if one.checked is not None:
        keys["checked"] = [share.value for share in one.checked]
        keys["checked_lower"] = [share.lower for share in one.checked]
    return keys


def estimate_table(found: Estimation) -> tuple[list[str], list[list[float]]]:
    """The same as a table: its header, and a row for each number of snapshots."""
    header = ["snapshots", "time"]
    header += [
        name + more for name in (o.name for o in found.of) for more in ("", ".lower", ".upper")
    ]
    rows: list[list[float]] = [
        [
            snapshots,
            (snapshots - 1) * found.every,
            *(end for one in found.of for end in one.within[i]),
        ]
        for i, snapshots in enumerate(found.snapshots)
    ]
    return header, rows
