"""A finished sweep, known again by its checksum.

A file carries a checksum over the sweep that it is of and all that was found: as an attribute, or
in a table as its last column. Who asks for the same sweep again has the answer from the file. One
whose numbers were changed since, or that is another sweep's, is computed anew; so are cells that
had no answer, as what kept it from them may have been this machine's memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from covey.errors import CoveyError
from covey.files.journal import Record
from covey.study.sweep.cells import Job
from covey.study.sweep.file import read
from covey.study.sweep.measures import CHECKSUM, fields_of
from covey.study.sweep.result import Sweep, assemble
from covey.study.sweep.soundness import also_in

if TYPE_CHECKING:
    import xarray as xr


def with_checksum(job: Job, records: Mapping[int, Record]) -> Sweep:
    """The result, from what was found for every cell, with its checksum."""
    data = assemble(job, records).data
    return Sweep(data.assign_attrs({CHECKSUM: _checksum(job, _columns(job, data))}))


def answered_in(output: Path, job: Job) -> dict[int, Record]:
    """The cells of this sweep that have an answer in a file; none where it is not this sweep's."""
    try:
        if not output.is_file():
            return {}
        data = read(output)
        if data[data.attrs["measure"]].size != len(job.design) or also_in(data) != job.also:
            return {}
        columns = _columns(job, data)
        if data.attrs.get(CHECKSUM) != _checksum(job, columns):
            return {}
    except (CoveyError, OSError, KeyError):  # whatever it is, it is not what was saved
        return {}
    cells = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return {number: record for number, record in enumerate(cells) if not record["error"]}


def _columns(job: Job, data: xr.Dataset) -> dict[str, list[Any]]:
    """What was found for the cells, in their order."""
    first = job.measures[0].column
    return {
        name: data[first if name == "value" else name].values.ravel().tolist()
        for name in fields_of(job.also)
    }


def _checksum(job: Job, columns: dict[str, list[Any]]) -> str:
    text = json.dumps([job.identity(), columns], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
