"""Claims: what the paper says, by which criterion it is judged, what covey finds, and the verdict.

A criterion is a list of conditions, each with whether it holds: the verdict follows from them and
from nothing else. One tolerance serves all of them. Two numbers agree if they differ by at most
5 % of the one they are held against; something is mostly so if it is in at least 95 % of all cases.
The criteria and the tolerance were chosen when the paper's numbers and many of covey's were known:
no verdict is a blind test.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Literal

from covey.csv_cells import read_cell, write_csv

Verdict = Literal["reproduced", "partly", "not", "drawn"]
Condition = tuple[str, bool]  # what is asked, and whether it holds

TOLERANCE = 0.05
NOTHING_OPEN = "none is left open"
NOT_THEIRS = "not in their data"
NOTHING_ASKED = "nothing is compared: the paper gives no number for it"

RULES = (
    f"Each verdict follows from the criterion that stands before the numbers of its row: "
    "*reproduced* where all of it holds, *partly* where some does, *not* where nothing does, "
    "*drawn* where there is nothing to compare. One tolerance serves all rows: two numbers agree "
    f"if they differ by at most {TOLERANCE:.0%} of the one they are held against, and what "
    f"is asked of many cases holds if it does in at least {1 - TOLERANCE:.0%} of them. The "
    "criteria and the tolerance were chosen with the paper's numbers and many of covey's at hand: "
    "they are no blind test."
)

_HEADS = {
    "part": "part",
    "place": "where",
    "says": "the paper says",
    "criterion": "reproduced if",
    "finds": "covey finds",
    "authors": "the authors' data",
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
    criterion: str
    finds: str
    authors: str  # what their own data have for it
    verdict: Verdict
    why: str
    settings: str = NOTHING_OPEN

    def __post_init__(self) -> None:
        for field in fields(self):
            if not str(getattr(self, field.name)).strip():
                raise ValueError(f"a claim has no empty cell, and {field.name} is: {self}")


def judge(
    part: str, place: str, says: str, conditions: Sequence[Condition], finds: str, why: str,
    settings: str = NOTHING_OPEN, *, authors: str = NOT_THEIRS,
) -> Claim:  # fmt: skip
    """The claim with the verdict that its conditions give, and which of several hold."""
    letters = "abcdefgh"[: len(conditions)] if len(conditions) > 1 else ""
    asked = [text for text, _ in conditions]
    if letters:
        asked = [f"({letter}) {text}" for letter, text in zip(letters, asked, strict=True)]
        held = [
            f"({letter}) {'holds' if holds else 'fails'}"
            for letter, (_, holds) in zip(letters, conditions, strict=True)
        ]
        finds = f"{finds}. {', '.join(held)}"
    verdict = verdict_of(*(holds for _, holds in conditions))
    criterion = "; ".join(asked) or NOTHING_ASKED
    return Claim(part, place, says, criterion, finds, authors, verdict, why, settings)


def verdict_of(*holds: bool) -> Verdict:
    """Reproduced where all of it holds, partly where some does, drawn where nothing is asked."""
    if not holds:
        return "drawn"
    if all(holds):
        return "reproduced"
    return "partly" if any(holds) else "not"


def agrees(found: float, said: float) -> bool:
    """Whether two numbers are the same up to the tolerance; with infinity, only itself is."""
    return math.isclose(found, said, rel_tol=0.0, abs_tol=TOLERANCE * abs(said))


def above(found: float, other: float) -> bool:
    """Whether a number is larger than another by more than the tolerance."""
    return found > other and not agrees(found, other)


def mostly(hits: float, cases: float) -> bool:
    """Whether something is so in all cases up to the tolerance."""
    return hits >= (1 - TOLERANCE) * cases


def as_csv(claims: Iterable[Claim]) -> str:
    """One line for each claim, after the names of the columns."""
    stream = io.StringIO()
    write_csv(stream, _HEADS, (list(asdict(claim).values()) for claim in claims))
    return stream.getvalue()


def as_markdown(claims: Iterable[Claim], note: str) -> str:
    """The same as a table that people read, under how it is judged and how it was made."""
    lines = ["# The paper, claim by claim", "", RULES, "", note, ""]
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


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
