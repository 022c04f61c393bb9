"""Where the paper is worked out: tables that are kept as files, and the workers that make them.

A table is computed once. Beside `NAME.csv` stands `NAME.json` with the settings it was made with
and the digest of the CSV file; where both agree with what is asked, the file is read instead. A
table of a coarser grid is called `NAME-coarse`, so that neither replaces the other. Every table is
read back from its file, so that a second run finds the very same numbers.

What takes many minutes is kept answer by answer meanwhile, in a `.jsonl` file: a run that is
interrupted loses only the jobs in flight.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from covey.executors import a_few_at_a_time, result_of
from covey.files.atomic_file import write_whole
from covey.files.csv_cells import read_cell, write_csv
from covey.numbers import Floats
from covey.paper.claims import Claim

Array = NDArray[Any]
Job = TypeVar("Job")
Found = TypeVar("Found")
Progress = Callable[[float, float, str], None]

_KEPT = "Tables that are done are kept: run it again to go on"

VERSION = 2  # counted up where tables of the same settings would come out differently


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers or words, all as long."""

    columns: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def where(self, **wanted: float | str) -> Table:
        """The rows in which the columns have these values."""
        chosen = np.ones(len(self), dtype=np.bool_)
        for name, value in wanted.items():
            chosen &= self[name] == value
        return Table({name: column[chosen] for name, column in self.columns.items()})

    def grid(self, up: str, right: str, value: str) -> tuple[Floats, Floats, Floats]:
        """A column over the grid of two others: their values, and (up, right) of it."""
        ups, i = np.unique(self[up], return_inverse=True)
        rights, j = np.unique(self[right], return_inverse=True)
        found = np.full((len(ups), len(rights)), np.nan)
        found[i, j] = self[value]
        return ups, rights, found


@dataclass(frozen=True)
class Part:
    """One part of the paper: its data by name, the claims that they decide, and files beside."""

    name: str
    tables: Mapping[str, Table]
    claims: tuple[Claim, ...]
    files: Mapping[str, str] = field(default_factory=dict)  # texts, by their names in the folder


@dataclass(frozen=True)
class Workspace:
    """Where tables are kept, whether the grids are the full ones, and who computes."""

    folder: Path
    full: bool
    executor: Executor
    progress: Progress | None = None
    ahead: int = 1  # jobs that are out at a time
    log: list[str] = field(default_factory=list)  # what each table took

    def table(
        self,
        name: str,
        settings: Mapping[str, Any],
        make: Callable[[], Mapping[str, Sequence[Any] | Array]],
    ) -> Table:
        """The table of this name and settings: read, or else made and kept."""
        file = self.folder / f"{name}.csv"
        settings = json.loads(json.dumps({"version": VERSION, **settings}))
        if not _is_kept(file, settings):
            began = time.perf_counter()
            columns = make()
            seconds = time.perf_counter() - began
            _keep(file, columns, settings, seconds)
            self.log.append(f"{name}: {len(next(iter(columns.values()))):,} rows, {seconds:.1f} s")
        else:
            self.log.append(f"{name}: kept from before")
        return read_table(file)

    def name(self, name: str) -> str:
        """What a table is called that has a coarser variant."""
        return name if self.full else f"{name}-coarse"

    def map_kept(
        self, work: Callable[[Job], Found], jobs: Sequence[Job], what: str, name: str
    ) -> list[Found]:
        """The same, each answer kept in a file until `forget`; jobs and answers are plain JSON."""
        file = self.folder / f"{name}.jsonl"
        known = _answers(file)
        keys = [json.dumps([VERSION, job]) for job in jobs]
        missing = [job for key, job in zip(keys, jobs, strict=True) if key not in known]
        with file.open("a", encoding="utf-8") as stream:

            def keep(job: Job, found: Found) -> None:
                key = json.dumps([VERSION, job])
                known[key] = found
                stream.write(json.dumps({"job": key, "found": found}) + "\n")
                stream.flush()

            self.map(work, missing, what, keep)
        return [known[key] for key in keys]

    def forget(self, name: str) -> None:
        """Removes the answers that were kept on the way to a table that is done."""
        (self.folder / f"{name}.jsonl").unlink(missing_ok=True)

    def map(
        self,
        work: Callable[[Job], Found],
        jobs: Sequence[Job],
        what: str,
        keep: Callable[[Job, Found], None] | None = None,
    ) -> list[Found]:
        """The work on every job, by the workers, in the order of the jobs.

        Only so many jobs are out at a time: an executor may do them when they are submitted, and
        what is done must be kept before the next one begins.
        """
        found: dict[int, Found] = {}
        batches = a_few_at_a_time(
            lambda number: self.executor.submit(work, jobs[number]), range(len(jobs)), self.ahead
        )
        with closing(batches):
            for number, future in itertools.chain.from_iterable(batches):
                found[number] = result_of(future, _KEPT)
                if keep is not None:
                    keep(jobs[number], found[number])
                if self.progress is not None:
                    self.progress(len(found), len(jobs), what)
        return [found[number] for number in range(len(jobs))]


def _answers(file: Path) -> dict[str, Any]:
    """What was kept of an interrupted run; a line that was being written is left out."""
    found: dict[str, Any] = {}
    if not file.is_file():
        return found
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
            found[row["job"]] = row["found"]
        except (ValueError, TypeError, KeyError):
            continue
    write_whole(file, "".join(json.dumps({"job": k, "found": v}) + "\n" for k, v in found.items()))
    return found


def _record(file: Path) -> Path:
    return file.with_suffix(".json")


def _is_kept(file: Path, settings: Mapping[str, Any]) -> bool:
    try:
        record = json.loads(_record(file).read_text(encoding="utf-8"))
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
    except (OSError, ValueError):
        return False
    return (
        isinstance(record, dict)
        and record.get("settings") == settings
        and record.get("sha256") == digest
    )


def _keep(
    file: Path,
    columns: Mapping[str, Sequence[Any] | Array],
    settings: Mapping[str, Any],
    seconds: float,
) -> None:
    rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    stream = io.StringIO()
    write_csv(stream, columns, rows)
    text = stream.getvalue()
    write_whole(file, text)
    record = {
        "settings": settings,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "seconds": round(seconds, 2),
    }
    write_whole(_record(file), json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def read_table(file: Path) -> Table:
    """A table that was kept in a file."""
    with file.open(encoding="utf-8", newline="") as stream:
        names, *rows = list(csv.reader(stream))
    return Table(
        {
            read_cell(name): _column([read_cell(row[i]) for row in rows])
            for i, name in enumerate(names)
        }
    )


def _column(cells: list[str]) -> Array:
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        return np.array(cells)
