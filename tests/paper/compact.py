"""The values of a full run of `covey paper`, in a form that is kept in the repository.

    covey paper --full
    python -m tests.paper.compact paper     # from the root, with the folder of that run

writes `tests/paper/full_run/*.csv`: of each table the columns that the claims and figures rest on,
to six digits, and of a map that is its own mirror image one half.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from covey.paper.readings import NU, RATES_NU, SMOOTHINGS, smoothed_by
from covey.paper.workspace import Table, read_table

HOME = Path(__file__).parent / "full_run"
DIGITS = 6

_ENDS = tuple(f"{name}{end}" for name in ("exact", "smoothed", "tv", "guess") for end in ("", "_low", "_high"))  # fmt: skip
_SEARCH = ("measure", "robots", "nu", "cases", "pearson")

# By the table's name, the columns that are kept.
COLUMNS: dict[str, tuple[str, ...]] = {
    "theory-numbers": ("what", "value"),
    "theory-foundations": ("what", "value"),
    "motivating-chains": ("team", "from", "to", "label", "rate"),
    "motivating-laws": ("team", "free", "busy", "probability"),
    "motivating-numbers": ("what", "value"),
    "collaboration-n1-n2": ("n1", "n2", NU, "tv"),
    "collaboration-n2-n3": ("n2", "n3", NU, "tv"),
    "collaboration-diagonal": ("n1", "leakage", *map(smoothed_by, SMOOTHINGS), "tv", "delta"),
    "collaboration-k1-k3": ("k1", "k3", NU, "tv"),
    "collaboration-k2-k4": ("k2", "k4", NU, "tv"),
    "tree-depth-1-per-type": ("number", "depth", NU, "tv"),
    "tree-depth-2-per-type": ("number", "depth", NU, "tv"),
    "tree-depth-3-per-type": ("number", "depth", NU, "tv"),
    "tree-settings": _SEARCH,
    "group-sizes-2-per-type": ("group_size", "size_class", NU, "tv"),
    "group-settings": (*_SEARCH, "low", "high"),
    "task-marginals": ("name", "count", "probability"),
    "task-populations": ("n2", "n3", "leakage", NU, "tv"),
    "task-balanced": ("n1", "leakage", NU, "tv"),
    "task-encounter": ("type2", "type3", "leakage", RATES_NU, NU, "tv"),
    "task-abandon": ("type2", "type3", "leakage", RATES_NU, NU, "tv"),
    "rule-systems": ("system", *_ENDS),
    "rule-trees": ("tree", "smoothed", "tv"),
    "design-rules": (
        "rule", "reading", "cases", "with", "against", "verdict", "files", "follows", "other",
        "of_follows", "of_other",
    ),
}  # fmt: skip
_MIRRORED = {
    "collaboration-n1-n2": ("n1", "n2"),
    "task-populations": ("n2", "n3"),
    "task-encounter": ("type2", "type3"),
    "task-abandon": ("type2", "type3"),
}


def compact(name: str, table: Table) -> Table:
    """What is kept of a table."""
    chosen = np.ones(len(table), dtype=np.bool_)
    if name in _MIRRORED:
        up, right = _MIRRORED[name]
        chosen = table[up] <= table[right]
    return Table({column: table[column][chosen] for column in COLUMNS[name]})


def kept(name: str) -> Table:
    """What a full run had."""
    return read_table(HOME / f"{name}.csv")


def whole(name: str) -> Table:
    """The same, with both halves of a map that is its own mirror image."""
    table = kept(name)
    if name not in _MIRRORED:
        return table
    up, right = _MIRRORED[name]
    below = table[up] < table[right]
    mirrored = {**table.columns, up: table[right], right: table[up]}
    return Table({c: np.append(table[c], mirrored[c][below]) for c in table.columns})


def _rows(table: Table) -> Sequence[Sequence[str]]:
    columns = [
        [f"{cell:.{DIGITS}g}" if column.dtype.kind == "f" else str(cell) for cell in column]
        for column in table.columns.values()
    ]
    return list(zip(*columns, strict=True))


def main(folder: Path) -> None:
    """Writes every table."""
    for name in COLUMNS:
        if not (folder / "data" / f"{name}.csv").is_file():
            print(f"{name}: not in {folder}, left as it was")
            continue
        table = compact(name, read_table(folder / "data" / f"{name}.csv"))
        with (HOME / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(table.columns)
            writer.writerows(_rows(table))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
