"""The authors' own numbers against covey's, cell by cell.

The numbers behind the paper's figures are in its authors' public repositories (`authors` says
which). Put them in a folder as CSV files: a line of names, a line for each cell, the leakage last.
The name of a file says what its cells are and which ν they were smoothed by:

    cs1_populations_nu1e-5.csv     n1,n2,n3     case study 1, all rates 1
    cs1_rates_k1_k3_nu1e-5.csv     k1,k3        the same, (220,220,200), the other two rates 1
    cs2_1_1_20.csv                 x1,x2,x3     case study 2, all rates 1, ν = 1e-5
    cs2_alpha_1_1_1e-3.csv         x1,x2,x3     the same, (10,10,10), rates to encounter tasks
    cs2_beta_1_1_1e-3.csv          x1,x2,x3     the same, rates to abandon them

covey computes every one of these cells again, with every state there is, and smooths it by the
same ν. Case study 2 is at τ = 10.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from covey.errors import InputError, shown
from covey.files.bounded_file import read_text
from covey.numbers import Floats
from covey.paper.case_studies.collaboration import over_rates as collaboration_over_rates
from covey.paper.case_studies.collaboration import over_teams as collaboration_over_teams
from covey.paper.case_studies.task_distributions import KEPT
from covey.paper.case_studies.task_distributions import over_rates as tasks_over_rates
from covey.paper.case_studies.task_distributions import over_teams as tasks_over_teams
from covey.paper.readings import SMOOTHINGS, smoothed_by
from covey.paper.workspace import Array, Table, Workspace

_ROBOTS = 10  # of each type, in the maps of the second case study over rates
_NU = r"(?P<nu>\d+(?:\.\d+)?(?:e-?\d+)?)"
_LARGEST = 10_000_000  # bytes of one file
_MOST = 1e6  # robots, or a rate

Columns = Mapping[str, Sequence[Any] | Array]
Cells = Sequence[tuple[float, ...]]


@dataclass(frozen=True)
class Comparison:
    """One file against covey.

    Attributes:
        file: Its name.
        nu: What both are smoothed by.
        cells: How many cells it has.
        median: The median of |theirs − ours|.
        largest: The largest of them.
        at: The cell that has it.
        theirs: The leakage there by the file.
        ours: The leakage there by covey.
    """

    file: str
    nu: float
    cells: int
    median: float
    largest: float
    at: dict[str, float]
    theirs: float
    ours: float


@dataclass(frozen=True)
class _Kind:
    """What a file's name says: of which part it is, its columns, and who computes its cells."""

    pattern: str
    part: str
    whole: bool  # cells are numbers of robots
    compute: Callable[[Workspace, Cells, re.Match[str]], Columns]


@dataclass(frozen=True)
class _File:
    name: str
    kind: _Kind
    match: re.Match[str]
    nu: float
    names: tuple[str, ...]
    cells: tuple[tuple[float, ...], ...]
    leakages: tuple[float, ...]


def compare(workspace: Workspace, folder: Path, parts: Sequence[str]) -> list[Comparison]:
    """Every file of a folder against covey; tables of all cells are kept as `against-NAME`."""
    files = [file for file in _files(folder) if file.kind.part in parts]
    if not files:
        raise InputError(
            f"no file of it is of the part {' or '.join(parts)}: {_expected()}", file=str(folder)
        )
    found = [_compare(workspace, file) for file in files]
    workspace.forget(KEPT)
    return found


def _compare(workspace: Workspace, file: _File) -> Comparison:
    def make() -> Columns:
        columns = file.kind.compute(workspace, file.cells, file.match)
        named = dict(zip(file.names, np.array(file.cells).T, strict=True))
        ours = np.asarray(columns[smoothed_by(file.nu)], dtype=np.float64)
        return {**named, "theirs": file.leakages, "ours": ours}

    settings = {"nu": file.nu, "cells": file.cells, "leakages": file.leakages}
    table = workspace.table(f"against-{file.name}", settings, make)
    return _summary(file, table)


def _summary(file: _File, table: Table) -> Comparison:
    off: Floats = np.abs(table["theirs"] - table["ours"])
    worst = int(off.argmax())
    return Comparison(
        f"{file.name}.csv", file.nu, len(table), float(np.median(off)), float(off[worst]),
        {name: float(table[name][worst]) for name in file.names},
        float(table["theirs"][worst]), float(table["ours"][worst]),
    )  # fmt: skip


def _files(folder: Path) -> list[_File]:
    if not folder.is_dir():
        raise InputError("this is no folder: one with CSV files is expected", file=str(folder))
    found = [_read(path) for path in sorted(folder.glob("*.csv"))]
    if not found:
        raise InputError(f"there is no CSV file in it: {_expected()}", file=str(folder))
    return found


def _read(path: Path) -> _File:
    for kind in _KINDS:
        match = re.fullmatch(kind.pattern, path.stem)
        if match is not None:
            break
    else:
        raise InputError(f"its name does not say what its cells are: {_expected()}", file=str(path))
    said = match.groupdict().get("nu")
    nu = 1e-5 if said is None else float(said)
    if nu not in SMOOTHINGS:
        known = ", ".join(f"{one:g}" for one in SMOOTHINGS)
        raise InputError(f"ν is {nu:g}: one of {known} is expected", file=str(path))
    names, *rows = _rows(path)
    expected = _names(match)
    if tuple(names) != (*expected, "leakage"):
        raise InputError(
            f"the columns are {shown(','.join(names))}: {','.join(expected)},leakage is expected",
            file=str(path),
        )
    numbers = [
        _numbers(path, line, row, len(expected), kind.whole) for line, row in enumerate(rows, 2)
    ]
    if not numbers:
        raise InputError("there is no cell in it", file=str(path))
    cells = tuple(tuple(row[:-1]) for row in numbers)
    return _File(
        path.stem, kind, match, nu, expected, cells, tuple(row[-1] for row in numbers)
    )  # fmt: skip


def _rows(path: Path) -> list[list[str]]:
    text = read_text(path, "a CSV file", _LARGEST)
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except csv.Error as error:
        raise InputError(f"this is no CSV file: {error}", file=str(path)) from None
    return rows or [[]]


def _names(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    if "first" in groups:
        return groups["first"], groups["second"]
    return ("n1", "n2", "n3") if match[0].startswith("cs1") else ("x1", "x2", "x3")


def _numbers(path: Path, line: int, row: list[str], wanted: int, whole: bool) -> list[float]:
    """The numbers of one line, the leakage last."""
    try:
        *cell, leakage = map(float, row)
    except ValueError:
        *cell, leakage = [math.nan, math.nan]
    positive = all(0 < number <= _MOST for number in cell)
    if len(cell) != wanted or not positive or not 0 <= leakage < math.inf:
        raise InputError(
            f"{shown(','.join(row))}: {wanted} positive numbers up to {_MOST:g} and a leakage are "
            "expected",
            file=str(path), line=line,
        )  # fmt: skip
    if whole and not all(number.is_integer() for number in cell):
        raise InputError(
            f"{shown(','.join(row))}: whole numbers of robots are expected",
            file=str(path), line=line,
        )  # fmt: skip
    return [*cell, leakage]


def _expected() -> str:
    return (
        "files like cs1_populations_nu1e-5.csv, cs1_rates_k1_k3_nu1e-5.csv, cs2_1_1_20.csv, "
        "cs2_alpha_1_1_1e-3.csv and cs2_beta_1_1_1e-3.csv are expected"
    )


def _first_teams(workspace: Workspace, cells: Cells, _: re.Match[str]) -> Columns:
    return collaboration_over_teams(workspace, [(int(a), int(b), int(c)) for a, b, c in cells])


def _first_rates(workspace: Workspace, cells: Cells, match: re.Match[str]) -> Columns:
    varied = [int(match[group][1]) - 1 for group in ("first", "second")]
    rates = np.ones((len(cells), 4))
    rates[:, varied] = cells
    return collaboration_over_rates(workspace, [(a, b, c, d) for a, b, c, d in rates.tolist()])


def _second_teams(workspace: Workspace, cells: Cells, _: re.Match[str]) -> Columns:
    return tasks_over_teams(workspace, [tuple(map(int, cell)) for cell in cells], "teams")


def _second_rates(workspace: Workspace, cells: Cells, match: re.Match[str]) -> Columns:
    varied = {"alpha": "encounter", "beta": "abandon"}[match["rate"]]
    return tasks_over_rates(
        workspace, _ROBOTS, [(a, b, c) for a, b, c in cells], varied, f"rates to {varied} tasks"
    )


_KINDS = (
    _Kind(rf"cs1_populations_nu{_NU}", "collaboration", True, _first_teams),
    _Kind(
        rf"cs1_rates_(?P<first>k[1-4])_(?P<second>(?!(?P=first))k[1-4])_nu{_NU}",
        "collaboration", False, _first_rates,
    ),
    _Kind(r"cs2_\d+_\d+_\d+", "tasks", True, _second_teams),
    _Kind(rf"cs2_(?P<rate>alpha|beta)_\d+_\d+_{_NU}", "tasks", False, _second_rates),
)  # fmt: skip
