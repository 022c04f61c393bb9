"""Claims: what the paper says, what covey finds, and whether the two agree."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Literal

from covey.csv_cells import read_cell, write_csv

Verdict = Literal["reproduced", "partly", "not"]
NOTHING_OPEN = "none is left open"

_HEADS = {
    "part": "part",
    "place": "where",
    "says": "the paper says",
    "finds": "covey finds",
    "verdict": "reproduced?",
    "why": "why",
    "settings": "open settings taken, and how the number moves with them",
}


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, held against what was computed. No field is empty."""

    part: str
    place: str  # the section or figure that says it
    says: str
    finds: str
    verdict: Verdict
    why: str
    settings: str = NOTHING_OPEN

    def __post_init__(self) -> None:
        for field in fields(self):
            if not str(getattr(self, field.name)).strip():
                raise ValueError(f"a claim has no empty cell, and {field.name} is: {self}")


def as_csv(claims: Iterable[Claim]) -> str:
    """One line for each claim, after the names of the columns."""
    stream = io.StringIO()
    write_csv(stream, _HEADS, (list(asdict(claim).values()) for claim in claims))
    return stream.getvalue()


def as_markdown(claims: Iterable[Claim], note: str) -> str:
    """The same as a table that people read, under a note on how it was made."""
    lines = ["# The paper, claim by claim", "", note, ""]
    lines += [_row(list(_HEADS.values())), _row(["---"] * len(_HEADS))]
    lines += [_row([str(cell) for cell in asdict(claim).values()]) for claim in claims]
    return "\n".join(lines) + "\n"


def from_csv(text: str) -> list[Claim]:
    """The claims that `as_csv` wrote; none where the text is something else."""
    try:
        rows = csv.DictReader(io.StringIO(text))
        plain = [{name: read_cell(cell) for name, cell in row.items()} for row in rows]
        return [Claim(**row) for row in plain]  # type: ignore[arg-type]
    except (TypeError, ValueError, csv.Error):
        return []


def verdict_of(*holds: bool) -> Verdict:
    """Reproduced where all of it holds, partly where some does."""
    if all(holds):
        return "reproduced"
    return "partly" if any(holds) else "not"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
