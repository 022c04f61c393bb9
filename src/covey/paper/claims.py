"""Claims: what the paper says, what covey finds, and which of five verdicts that gives.

A criterion is a list of conditions, each with whether it holds, and gives the verdict.

    confirmed                    all of it holds as the paper has it
    confirmed with a correction  it holds with a correction that is named
    misprint                     a slip of the pen: what was meant holds
    false as stated              there is a counterexample
    underdetermined              the paper does not say the setting, and settings disagree

One tolerance serves all of them. Two numbers agree if they differ by at most 5% of the one they
are held against; something is mostly so if it is in at least 95% of all cases. Criteria and
tolerance were chosen when the paper's numbers and many of covey's were known: no verdict is a blind
test.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Literal, get_args

from covey.files.csv_cells import read_cell, write_csv

Verdict = Literal[
    "confirmed", "confirmed with a correction", "misprint", "false as stated", "underdetermined"
]
Condition = tuple[str, bool]  # what is asked, and whether it holds

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
TOLERANCE = 0.05
OFTEN = f"at least {1 - TOLERANCE:.0%}"
PICTURE = "claims.png"


@dataclass(frozen=True)
class Criterion:
    """What is asked of the numbers.

    Attributes:
        printed: Conditions on the claim as the paper has it.
        mended: Those on the claim with its correction, where one is known.
        failing: The verdict where `printed` does not hold; one that names a correction or a
            misprint needs `mended` to hold.
    """

    printed: Sequence[Condition]
    mended: Sequence[Condition] = ()
    failing: Verdict = "false as stated"

    @property
    def verdict(self) -> Verdict:
        """By the definitions above."""
        if all(holds for _, holds in self.printed):
            return "confirmed"
        return self.failing if all(holds for _, holds in self.mended) else "false as stated"

    def __str__(self) -> str:
        told = _told(self.printed)
        return f"{told}. With the correction: {_told(self.mended)}" if self.mended else told


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, held against what was computed. No field is empty."""

    part: str
    place: str  # the section or figure that says it
    says: str
    finds: str
    verdict: Verdict
    criterion: str
    story: str  # numbers, why, open settings, and what the authors' own data have

    def __post_init__(self) -> None:
        for field in fields(self):
            if not str(getattr(self, field.name)).strip():
                raise ValueError(f"a claim has no empty cell, and {field.name} is: {self}")

    @property
    def words(self) -> int:
        """How many words its row has."""
        return len(f"{self.verdict} {self.says} {self.finds} more".split())


def judge(
    part: str, place: str, says: str, finds: str, criterion: Criterion, story: str
) -> Claim:  # fmt: skip
    """The claim with the verdict that its criterion gives."""
    return Claim(part, place, says, finds, criterion.verdict, str(criterion), story)


def agrees(found: float, said: float) -> bool:
    """Whether two numbers are the same up to the tolerance; with infinity, only itself is."""
    return math.isclose(found, said, rel_tol=0.0, abs_tol=TOLERANCE * abs(said))


def above(found: float, other: float) -> bool:
    """Whether a number is larger than another by more than the tolerance."""
    return found > other and not agrees(found, other)


def mostly(hits: float, cases: float) -> bool:
    """Whether something is so in all cases up to the tolerance."""
    return hits >= (1 - TOLERANCE) * cases


def counts(claims: Iterable[Claim]) -> dict[str, int]:
    """How many claims have each verdict."""
    found = Counter(claim.verdict for claim in claims)
    return {verdict: found[verdict] for verdict in VERDICTS}


def summary(claims: Sequence[Claim]) -> str:
    """How many of each, in a sentence."""
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts(claims).items())
    return f"{len(claims)} claims: {told}"


def as_csv(claims: Iterable[Claim]) -> str:
    """One line for each claim, after the names of the columns."""
    stream = io.StringIO()
    names = [field.name for field in fields(Claim)]
    write_csv(stream, names, (list(asdict(claim).values()) for claim in claims))
    return stream.getvalue()


def from_csv(text: str) -> list[Claim]:
    """The claims that `as_csv` wrote; none where the text is something else."""
    try:
        rows = csv.DictReader(io.StringIO(text))
        plain = [{name: read_cell(cell) for name, cell in row.items()} for row in rows]
        return [Claim(**row) for row in plain]  # type: ignore[arg-type]
    except (TypeError, ValueError, csv.Error):
        return []


def as_markdown(claims: Sequence[Claim], note: str) -> str:
    """A paragraph, a picture, a short row for each claim, and the long stories behind them."""
    parts = dict.fromkeys(claim.part for claim in claims)
    named = [
        (f"{part} {number}", claim)
        for part in parts
        for number, claim in enumerate((c for c in claims if c.part == part), 1)
    ]
    lines = ["# The paper, claim by claim", "", _paragraph(claims), ""]
    lines += [f"![How many claims have each verdict]({PICTURE})", "", note, ""]
    lines += [_row(["verdict", "the paper says", "covey finds", ""]), _row(["---"] * 4)]
    for name, claim in named:
        link = f"[more](#{name.replace(' ', '-')})"
        lines.append(_row([claim.verdict, claim.says, claim.finds, link]))
    lines += ["", "## The long stories", ""]
    for name, claim in named:
        lines += [f"### {name}", "", f"{claim.place}: *{claim.says}*. **{claim.verdict}**.", ""]
        lines += [f"Asked: {claim.criterion}.", "", claim.story, ""]
    return "\n".join(lines)


def _paragraph(claims: Sequence[Claim]) -> str:
    return (
        f"{summary(claims)}. A claim is *confirmed* where it holds as the paper has it, *with a "
        "correction* where it holds with one that is named; a *misprint* leaves its meaning "
        "standing; *false as stated* has a counterexample; *underdetermined* is what the paper "
        "does not say the setting of, where settings disagree. Two numbers agree if they differ "
        f"by at most {TOLERANCE:.0%}, and what is asked of many cases holds if it does in {OFTEN} "
        "of them. Criteria and tolerance were chosen with the paper's numbers and many of covey's "
        "at hand: no verdict is a blind test."
    )


def _told(conditions: Sequence[Condition]) -> str:
    return "; ".join(f"{text} ({'holds' if holds else 'fails'})" for text, holds in conditions)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
